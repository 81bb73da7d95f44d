import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../../db/api-keys.ts';
import { createApiClient, type ApiClient } from '../../support/api-client.ts';
import { createMonitor, failureOf, unusedTag } from '../../support/api-monitors.ts';
import { serve } from '../../support/api-server.ts';
import { startProxy, type CuttableProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let proxy: CuttableProxy;
let server: { base: string; stop(): Promise<void> };
let api: ApiClient;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await startProxy(database.url);
  const created = await createApiKey(database.pool, 'test');
  // The program starts while the database is away.
  await proxy.cut();
  server = await serve(proxy.url);
  api = await createApiClient(server.base, created?.key ?? '');
});
afterAll(async () => {
  await server.stop();
  await proxy.close();
  await database.drop();
});

it('answers 503 with Retry-After while the database is away, and works again when it is back, time after time', async () => {
  for (let round = 0; round < 3; round += 1) {
    const away = await api.get('/api/v4/monitors');
    expect(failureOf(away)).toEqual([503, 'The database is away, try again later']);
    expect(away.headers.get('retry-after')).toBe('5');
    expect(away.body).toMatchObject({ error: { code: 'UNAVAILABLE' } });
    expect((await api.post('/api/v4/monitors', { tag: unusedTag(), name: 'x' })).status).toBe(503);
    const health = await api.request('GET', '/healthz', { authorization: null });
    expect([health.status, health.text]).toEqual([503, expect.stringContaining('database')]);
    await proxy.mend();
    await createMonitor(api);
    expect((await api.get('/healthz')).status).toBe(200);
    await proxy.cut();
  }
});
