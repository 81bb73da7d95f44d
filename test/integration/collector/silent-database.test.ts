import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { tcpResult } from '../../support/check-results.ts';
import { startProxy, type CuttableProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor } from '../../support/monitoring-fixture.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent } from '../../support/test-identity.ts';
import { connectWireAgent } from '../../support/wire-agent.ts';

let database: TestDatabase;
let nats: TestNats;
let proxy: CuttableProxy;
let collector: TestCollector;

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  proxy = await startProxy(database.url);
  // A job that is cut off within its transaction holds its locks until that is ended.
  const limits = { statementTimeoutMs: 1000, idleInTransactionMs: 2000 };
  collector = await startTestCollector(proxy.url, nats.url, undefined, limits);
});
afterAll(async () => {
  // A job waits for its answer for minutes.
  await proxy.cut();
  await collector.stop();
  await nats.stop();
  await database.drop();
});

it(
  'results that meet a database fallen silent are stored once when it is there again',
  { timeout: 60_000 },
  async () => {
    const created = await createAgent(database.pool, 'eu-1', 'eu');
    if ('problem' in created) return expect.fail(created.problem);
    const monitorId = await addMonitor(database.pool, 'silent');
    const agent = await connectWireAgent({ address: collector.address, token: created.token, region: 'eu' });
    const lastMinute = Math.floor(Date.now() / 60_000) * 60 - 60;
    const rowOf = (number: number) => tcpResult(monitorId, { minute: lastMinute - number * 60 });
    const stored = { answer: 'stored', reason: null };
    expect(await agent.send([rowOf(0)])).toEqual([stored]);
    proxy.freeze();
    const rows = [rowOf(0), rowOf(1)];
    const answers = agent.send(rows);
    const health = await fetch(collector.healthUrl);
    expect([health.status, await health.json()]).toMatchObject([503, { parts: { database: 'away' } }]);
    await proxy.mend();
    // A batch that waits for longer is its agent's to send again.
    let told = (await answers).map(({ answer }) => answer);
    while (told.includes('retry')) told = (await agent.send(rows)).map(({ answer }) => answer);
    expect(told).toEqual(['duplicate', expect.stringMatching(/stored|duplicate/)]);
    const { rowCount } = await database.pool.query('select from check_results where monitor_id = $1', [monitorId]);
    expect(rowCount).toBe(2);
    expect(collector.failures).toEqual([]);
    await agent.close();
  },
);
