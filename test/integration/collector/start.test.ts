import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCollector } from '../../support/collector.ts';
import { startProxy, type CuttableProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startNats, type TestNats } from '../../support/nats.ts';

let database: TestDatabase;
let nats: TestNats;
let proxy: CuttableProxy;

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  proxy = await startProxy(database.url);
});
afterAll(async () => {
  await proxy.close();
  await nats.stop();
  await database.drop();
});

it.each([
  ['is migrated', 'migration'],
  ['is looked at', 'pg_control_system'],
  ['is asked how long it keeps results', 'retention_results_days'],
])('a collector waits for a database that goes away while it %s', async (_, said) => {
  const cut = proxy.cutAt(said);
  const collector = await startTestCollector(proxy.url, nats.url);
  try {
    await cut;
    const health = await fetch(collector.healthUrl);
    expect([health.status, collector.failures]).toEqual([200, []]);
  } finally {
    await collector.stop();
  }
});
