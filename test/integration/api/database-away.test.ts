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
  server = await serve(proxy.url, 500);
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

/** A connection that was cut is noticed by the request that uses it next. */
async function untilServed(): Promise<void> {
  const deadline = Date.now() + 20_000;
  while ((await api.get('/healthz')).status !== 200) expect(Date.now()).toBeLessThan(deadline);
}

it('answers 503 where the database is there but says nothing any more, to readers and writers', async () => {
  await proxy.mend();
  await untilServed();
  const { tag } = await createMonitor(api);
  proxy.freeze();
  expect((await api.get('/api/v4/monitors')).status).toBe(503);
  expect((await api.patch(`/api/v4/monitors/${tag}`, {})).status).toBe(503);
  await proxy.cut();
  await proxy.mend();
  await untilServed();
  expect((await api.patch(`/api/v4/monitors/${tag}`, {})).status).toBe(200);
});

it('says so where the database is there but not migrated', async () => {
  await database.pool.query('drop table api_keys');
  const health = await api.request('GET', '/healthz', { authorization: null });
  expect(failureOf(health)).toEqual([503, 'The database is not migrated']);
});
