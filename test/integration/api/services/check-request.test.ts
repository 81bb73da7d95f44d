import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { AppError } from '../../../../core/app-error.ts';
import { insertCheckRequest, removeEndedChecks } from '../../../../db/check-requests.ts';
import { startAgentProcess } from '../../../support/agent-process.ts';
import { openCheckScene, REPORT, reported, type CheckScene } from '../../../support/check-scene.ts';
import { eventually } from '../../../support/eventually.ts';
import { tlsOf } from '../../../support/test-identity.ts';

/** Whatever happens, whoever asks is told within this time. */
const PROMISED_MS = 15_000;

let scene: CheckScene;
beforeAll(async () => {
  scene = await openCheckScene();
});
afterEach(async () => {
  expect(await scene.clear()).toEqual([]);
});
afterAll(() => scene.end());

/** How asking failed, as a client sees it, and after how long. */
async function failure(asked: Promise<unknown>): Promise<{ code: string; message: string; afterMs: number }> {
  const begun = performance.now();
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof AppError)) throw new Error('it did not fail as expected', { cause: error });
  return { code: error.code, message: error.message, afterMs: performance.now() - begun };
}

describe('a run on demand', () => {
  it('is made by an agent of the region that is asked for, and leaves nothing behind', async () => {
    const collector = await scene.startCollector();
    const eu = await scene.connect(collector, 'eu-1', 'eu', () => reported);
    const us = await scene.connect(collector, 'us-1', 'us', () => reported);
    expect(await scene.ask('us')).toEqual({
      region: 'us',
      agent: 'us-1',
      status: 'DOWN',
      latency: 1.5,
      type: 'REALTIME',
      cause: 'TARGET',
      error_message: 'Host 127.0.0.1:80 is timeout',
      packets: null,
      results: REPORT.results,
    });
    expect([eu.seen.length, us.seen.length]).toEqual([0, 1]);
    expect(JSON.parse(us.seen[0]?.definition ?? '')).toEqual({
      kind: 'TCP',
      config: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }] },
    });
    expect(await scene.rowsLeft()).toBe(0);
  });

  it('finds the collector that holds the agent, whichever it is, and is made once', async () => {
    const [first, second] = [await scene.startCollector(), await scene.startCollector()];
    const one = await scene.connect(first, 'eu-1', 'eu', () => reported);
    const two = await scene.connect(second, 'eu-2', 'eu', () => reported);
    const us = await scene.connect(second, 'us-1', 'us', () => reported);
    const answers = await Promise.all([scene.ask('us'), ...Array.from({ length: 10 }, () => scene.ask('eu'))]);
    expect(answers[0]?.agent).toBe('us-1');
    expect(one.seen.length + two.seen.length).toBe(10);
    expect(us.seen).toHaveLength(1);
  });

  it('is made anywhere where no region is named', async () => {
    await scene.connect(await scene.startCollector(), 'us-1', 'us', () => reported);
    expect((await scene.ask()).agent).toBe('us-1');
  });

  it('is made by a real agent, which tells what it measured', async () => {
    const collector = await scene.startCollector();
    const stateDir = mkdtempSync(join(tmpdir(), 'farwatch-check-'));
    const agent = startAgentProcess({
      collector: collector.address,
      natsUrl: scene.nats.url,
      stateDir,
      region: 'de',
      tls: tlsOf(scene.tokens.get('de-1') ?? ''),
    });
    const target: Server = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    // A server that listens on TCP has such an address.
    const { port } = target.address() as AddressInfo;
    try {
      await eventually('the agent to connect', 30_000, () => agent.log.some(({ msg }) => msg === 'collector reached'));
      const hosts = [{ type: 'IP4', host: '127.0.0.1', port }];
      expect(await scene.ask('de', { monitor_type: 'TCP', type_data: { hosts } })).toMatchObject({
        region: 'de',
        agent: 'de-1',
        status: 'UP',
        cause: 'NONE',
        error_message: null,
        results: [{ host: '127.0.0.1', address: '127.0.0.1', port, status: 'open', code: 'open', problem: null }],
      });
    } finally {
      target.close();
      agent.kill('SIGTERM');
      await agent.exited;
      rmSync(stateDir, { recursive: true, force: true });
    }
  });
});

describe('a run that cannot be made', () => {
  it('is refused where the definition is none, or the region does not exist', async () => {
    expect(await failure(scene.ask('eu', { monitor_type: 'API', type_data: {} }))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'Monitors of type API have no check to run',
    });
    expect(await failure(scene.ask('eu', { monitor_type: 'TCP', type_data: { hosts: [] } }))).toMatchObject({
      code: 'BAD_REQUEST',
      message: 'type_data.hosts: at least one host is required',
    });
    expect(await failure(scene.ask('mars'))).toMatchObject({
      code: 'BAD_REQUEST',
      message: "Region 'mars' does not exist",
    });
  });

  it('is told so soon where the region has no agent, or nobody is there at all', async () => {
    const none = await failure(scene.ask('eu'));
    expect(none).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'No agent of region eu is connected that can run TCP checks',
    });
    const collector = await scene.startCollector();
    await scene.connect(collector, 'us-1', 'us', () => reported);
    const elsewhere = await failure(scene.ask('empty'));
    expect(elsewhere).toMatchObject({
      code: 'UNAVAILABLE',
      message: 'No agent of region empty is connected that can run TCP checks',
    });
    expect(Math.max(none.afterMs, elsewhere.afterMs)).toBeLessThan(PROMISED_MS);
    expect(await scene.rowsLeft()).toBe(0);
  });

  it.each([
    ['busy: too many runs at once', 'Agent us-1 is busy with other checks, try again in a few seconds'],
    ['unsupported: no', 'Agent us-1 cannot run checks of this type'],
    ['failed: secret detail', 'Agent us-1 could not run the check'],
  ])('tells what the agent says: %s', async (error, message) => {
    await scene.connect(await scene.startCollector(), 'us-1', 'us', () => ({ error }));
    expect(await failure(scene.ask('us'))).toMatchObject({ code: 'UNAVAILABLE', message });
  });

  it('asks the next agent of the region where the first is busy', async () => {
    const collector = await scene.startCollector();
    const busy = await scene.connect(collector, 'eu-1', 'eu', () => ({ error: 'busy: too many runs at once' }));
    await scene.connect(collector, 'eu-2', 'eu', () => reported);
    const answers = await Promise.all([scene.ask('eu'), scene.ask('eu')]);
    expect(answers.map(({ agent }) => agent)).toEqual(['eu-2', 'eu-2']);
    expect(busy.seen.length).toBeGreaterThan(0);
  });

  it.each([
    ['is no JSON', '{'],
    ['is no report', '{"status":"UP"}'],
    ['says what no report says', JSON.stringify({ ...REPORT, latencyUs: -1 })],
    ['is longer than any', JSON.stringify({ ...REPORT, results: [], more: 'x'.repeat(1024 * 1024) })],
  ])('does not show a report that %s', async (_, outcome) => {
    await scene.connect(await scene.startCollector(), 'us-1', 'us', () => ({ outcome }));
    expect(await failure(scene.ask('us'))).toMatchObject({ message: 'Agent us-1 could not run the check' });
  });

  it('is told when the agent is lost meanwhile', async () => {
    const collector = await scene.startCollector();
    const { agent, seen } = await scene.connect(collector, 'us-1', 'us', () => null);
    const asked = failure(scene.ask('us'));
    await eventually('the agent to be asked', 10_000, () => seen.length > 0);
    await agent.close();
    const told = await asked;
    expect(told).toMatchObject({ code: 'UNAVAILABLE', message: 'Agent us-1 was lost before it answered' });
    expect(told.afterMs).toBeLessThan(PROMISED_MS);
  });

  it('is told when the agent never answers, and answers of another request count for nothing', async () => {
    const { seen } = await scene.connect(await scene.startCollector(), 'us-1', 'us', () => ({
      ...reported,
      requestId: 'another',
    }));
    const told = await failure(scene.ask('us'));
    expect(told).toMatchObject({ code: 'UNAVAILABLE', message: 'Agent us-1 did not answer in time' });
    expect(told.afterMs).toBeLessThan(PROMISED_MS);
    // The agent itself is to stop before it is given up.
    expect(seen[0]?.deadlineMs).toBeLessThan(told.afterMs);
  });

  it('is told when the collector that took it has died', async () => {
    const asked = failure(scene.ask('us'));
    await eventually('the request to be there, and to be claimed by one that then dies', 5000, async () => {
      const { rowCount } = await scene.database.pool.query(
        `update check_requests set claimed_at = now(), agent_id = (select id from agents where name = 'us-1')`,
      );
      return rowCount === 1;
    });
    const told = await asked;
    expect(told).toMatchObject({ code: 'UNAVAILABLE', message: 'Agent us-1 did not answer in time' });
    expect(told.afterMs).toBeLessThan(PROMISED_MS);
    expect(await scene.rowsLeft()).toBe(0);
  });

  it('is refused at once where many are under way', async () => {
    const flood = await Promise.all(Array.from({ length: 100 }, () => failure(scene.ask('eu'))));
    const refused = flood.filter(({ code }) => code === 'RATE_LIMITED');
    expect(refused.length).toBeGreaterThan(100 - 64 - 11);
    expect(refused[0]?.message).toBe('Too many checks are under way, try again in a few seconds');
    expect(flood.filter(({ code }) => code === 'UNAVAILABLE')).toHaveLength(100 - refused.length);
    expect(await scene.rowsLeft()).toBe(0);
  });
});

describe('requests that nobody waits for any more', () => {
  it('are removed a while after their end', async () => {
    for (const ageS of [0, 30, 120]) {
      const id = await insertCheckRequest(scene.database.pool, { kind: 'PING', config: { hosts: [] } }, null, 1);
      await scene.database.pool.query(
        `update check_requests set expires_at = now() - $2 * interval '1 s' where id = $1`,
        [id, ageS],
      );
    }
    expect(await removeEndedChecks(scene.database.pool)).toBe(1);
    expect(await scene.rowsLeft()).toBe(2);
  });
});
