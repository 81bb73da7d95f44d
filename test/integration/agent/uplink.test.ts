import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createServiceClock, type ServiceClock } from '../../../agent/service-clock.ts';
import { Spool } from '../../../agent/spool/spool.ts';
import { systemTime } from '../../../agent/time-source.ts';
import { Uplink, type UplinkOptions } from '../../../agent/uplink.ts';
import type { CheckResult } from '../../../core/result.ts';
import { openAgentStream } from '../../../proto/agent-stream.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { MINUTE, tcpResult } from '../../support/check-results.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { startCountingCollector, type CountingCollector } from '../../support/counting-collector.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgentTls } from '../../support/test-identity.ts';

const HOUR_MS = 3_600_000;

let folder: string;
let collector: CountingCollector;
let spool: Spool;
let clock: ServiceClock;
let acks: number[];
let end: AbortController;
let running: Promise<void>[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-uplink-'));
  collector = await startCountingCollector({ nowMs: () => Date.now() + HOUR_MS });
  clock = createServiceClock(systemTime(), null);
  acks = [];
  end = new AbortController();
  running = [];
  spool = await Spool.open({
    folder: join(folder, 'spool'),
    bootId: clock.bootId,
    limitBytes: 2 ** 30,
    offsetOf: () => (clock.known ? clock.offsetMs() : null),
    monotonicMs: () => clock.monotonicMs(),
    logger: createLogger('agent', 'silent'),
    commitMs: 20,
  });
  running.push(spool.run(end.signal));
});

afterEach(async () => {
  end.abort();
  await Promise.all(running);
  await spool.close();
  await collector.stop();
  rmSync(folder, { recursive: true, force: true });
});

function startUplink(options: Partial<UplinkOptions> = {}): Uplink {
  const uplink = new Uplink({
    open: () => openAgentStream({ address: collector.address, tls: testAgentTls }),
    clock,
    spool,
    logger: createLogger('agent', 'silent'),
    onAck: (sentMs) => acks.push(sentMs),
    answer: async ({ definition }) => ({ outcome: `ran ${definition}`, error: '' }),
    hello: () => ({ region: 'eu', version: 'test', capabilities: ['TCP'], epoch: 'epoch-1', bootId: clock.bootId }),
    status: () => agentStatus({ definitions: 7, epoch: 'epoch-1', generation: 1, spoolRecords: spool.state().rows }),
    ...options,
  });
  running.push(uplink.run(end.signal));
  return uplink;
}

/** Time that passes twenty times as fast. */
function fastClock(): ServiceClock {
  const time = systemTime();
  return createServiceClock({ ...time, monotonicMs: () => time.monotonicMs() * 20 }, null);
}

/** The collector reads no more, and has asked for more answers than a stream holds. */
async function fillStream(): Promise<void> {
  collector.isDeaf = true;
  const definition = 'x'.repeat(50_000);
  for (let asked = 0; asked < 60; asked += 1)
    await collector.broadcast({
      body: 'checkRequest',
      checkRequest: { requestId: `r${asked}`, definition, deadlineMs: 1000 },
    });
}

function keep(results: readonly CheckResult[]): Promise<void> {
  return spool.append(
    'epoch-1',
    results.map((result) => ({ result, startedMs: 0, usedOffsetMs: null })),
  );
}

function range(from: number, to: number): CheckResult[] {
  return Array.from({ length: to - from }, (_, index) => tcpResult(from + index));
}

function received(): number[] {
  return collector.results.map(({ monitorId }) => monitorId);
}

describe('the uplink', () => {
  it('says hello, learns the clock, and delivers what is kept within a second', async () => {
    startUplink();
    await eventually('the clock', 5000, () => clock.known);
    expect(Math.abs(clock.nowMs() - Date.now() - HOUR_MS)).toBeLessThan(500);
    expect(collector.hellos).toMatchObject([{ protocol: 1, region: 'eu', bootId: clock.bootId }]);
    const startedMs = performance.now();
    await keep(range(1, 500));
    await eventually('all results', 5000, () => received().length === 499);
    expect(performance.now() - startedMs).toBeLessThan(1000);
    await eventually('that nothing is left', 5000, () => spool.state().rows === 0);
    expect(acks.length).toBeGreaterThan(0);
    expect(collector.statuses).toMatchObject([{ definitions: 7 }]);
  });

  it('bounds what is unacknowledged, and after a reconnect sends again what was not answered', async () => {
    collector.options.maxInFlight = 3;
    collector.isSilent = true;
    startUplink();
    for (let batch = 0; batch < 10; batch += 1) await keep(range(batch * 100 + 1, batch * 100 + 101));
    await eventually('a full window', 5000, () => collector.mostInFlight === 3);
    await keep(range(5001, 5002));
    expect(collector.mostInFlight).toBe(3);
    const { port } = collector;
    await collector.stop();
    collector = await startCountingCollector({ maxInFlight: 3, nowMs: () => Date.now() + HOUR_MS }, port);
    await eventually(
      () => `all results, got ${received().length}`,
      20_000,
      () => new Set(received()).size === 1001,
    );
    await eventually('that nothing is left', 5000, () => spool.state().rows === 0);
    expect(collector.mostInFlight).toBeLessThanOrEqual(3);
  });

  it('sends fresh results before the backlog, and all of the backlog', async () => {
    for (let batch = 0; batch < 50; batch += 1) await keep(range(batch * 1000 + 1, batch * 1000 + 1001));
    const { port } = collector;
    const first = spool;
    await collector.stop();
    end.abort();
    await Promise.all(running);
    await first.close();
    end = new AbortController();
    running = [];
    spool = await Spool.open({
      folder: join(folder, 'spool'),
      bootId: clock.bootId,
      limitBytes: 2 ** 30,
      offsetOf: () => null,
      monotonicMs: () => clock.monotonicMs(),
      logger: createLogger('agent', 'silent'),
      commitMs: 20,
    });
    running.push(spool.run(end.signal));
    await keep(range(900_001, 900_011));
    collector = await startCountingCollector({}, port);
    startUplink();
    await eventually(
      () => `all results, got ${received().length}`,
      20_000,
      () => received().length === 50_010,
    );
    expect(received().slice(0, 10)).toEqual(range(900_001, 900_011).map(({ monitorId }) => monitorId));
    expect(new Set(received()).size).toBe(50_010);
  });

  it('takes each row’s answer by itself: retry comes again, dropped does not', async () => {
    let refusals = 1;
    collector.options.answer = ({ monitorId }) => {
      if (monitorId === 2) return { answer: 'dropped', reason: 'deleted' };
      if (monitorId === 3 && refusals-- > 0) return { answer: 'retry', reason: 'database' };
      return { answer: 'stored', reason: null };
    };
    const uplink = startUplink();
    await keep(range(1, 5));
    await eventually('the retried row', 15_000, () => received().includes(3));
    await eventually('that nothing is left', 5000, () => spool.state().rows === 0);
    expect(received()).toEqual([1, 4, 3]);
    expect([...uplink.dropped]).toEqual([['deleted', 1]]);
  });

  it('keeps trying a collector that refuses it, says so, and delivers when it no longer does', async () => {
    let isRefused = true;
    collector.options.refuses = () => isRefused;
    const uplink = startUplink({ refusedRetryMs: 100 });
    await keep(range(1, 3));
    await eventually('the problem', 5000, () =>
      uplink.problem?.includes('refuses this agent: unknown or revoked agent'),
    );
    expect(spool.state().rows).toBe(2);
    isRefused = false;
    await eventually('the results', 10_000, () => received().length === 2);
    expect(uplink.problem).toBeNull();
  });

  it('leaves when it is asked to and comes back', async () => {
    const uplink = startUplink();
    await eventually('a session', 5000, () => uplink.sessions === 1);
    await collector.broadcast({ body: 'drain', drain: { reason: 'shutting down' } });
    await eventually('another session', 10_000, () => uplink.sessions === 2);
    await keep(range(1, 3));
    await eventually('the results', 5000, () => received().length === 2);
  });

  it('sends what was acknowledged lately again after a failover of the database', async () => {
    const uplink = startUplink();
    await keep(range(1, 11));
    await eventually('the results', 5000, () => received().length === 10 && spool.state().rows === 0);
    collector.options.timeline = '2';
    await collector.broadcast({ body: 'drain', drain: { reason: 'failover' } });
    await eventually('the results again', 10_000, () => received().length === 20);
    expect(uplink.sessions).toBe(2);
  });

  it('leaves a collector that reads nothing and acknowledges nothing, and delivers when it comes back', async () => {
    clock = fastClock();
    const uplink = startUplink();
    await eventually('a session', 5000, () => uplink.sessions === 1);
    await fillStream();
    for (let batch = 0; batch < 20; batch += 1) await keep(range(batch * 2000 + 1, batch * 2000 + 2001));
    await eventually('the end of it', 20_000, () => uplink.problem?.startsWith('no collector: no '));
    collector.isDeaf = false;
    await eventually('all results', 20_000, () => new Set(received()).size === 40_000);
  });

  it('stays with a collector that is slow, however old its oldest batch is', async () => {
    clock = fastClock();
    collector.options.beforeAck = () => wait(700);
    const uplink = startUplink();
    for (let batch = 0; batch < 16; batch += 1) await keep(range(batch * 2000 + 1, batch * 2000 + 2001));
    await eventually('all results', 30_000, () => received().length === 32_000 && spool.state().rows === 0);
    expect(uplink.sessions).toBe(1);
  });

  it('delivers what is fresh soon, also to a slow collector while there is a backlog', async () => {
    for (let batch = 0; batch < 60; batch += 1) await keep(range(batch * 2000 + 1, batch * 2000 + 2001));
    // A window full of the backlog would take eight seconds.
    collector.options.beforeAck = () => wait(500);
    startUplink();
    await eventually('some of the backlog', 30_000, () => received().length > 40_000);
    await keep([tcpResult(900_001)]);
    const keptMs = performance.now();
    await eventually('what is fresh', 30_000, () => received().includes(900_001));
    expect(performance.now() - keptMs).toBeLessThan(5000);
  });

  it('takes leave in time of a collector that reads nothing', async () => {
    const uplink = startUplink();
    await eventually('a session', 5000, () => uplink.sessions === 1);
    await fillStream();
    for (let batch = 0; batch < 30; batch += 1) await keep(range(batch * 2000 + 1, batch * 2000 + 2001));
    const startedMs = performance.now();
    end.abort();
    await Promise.all(running);
    expect(performance.now() - startedMs).toBeLessThan(15_000);
    expect(spool.state().rows).toBe(60_000);
  });

  it('gets an acknowledgement when it asks for one', async () => {
    const uplink = startUplink();
    await eventually('a session', 5000, () => uplink.sessions === 1);
    const askedMs = clock.monotonicMs();
    uplink.ask();
    await eventually('an acknowledgement', 3000, () => acks.some((sentMs) => sentMs >= askedMs));
    expect(collector.results).toEqual([]);
  });

  it('answers a run on demand', async () => {
    const uplink = startUplink();
    await eventually('a session', 5000, () => uplink.sessions === 1);
    await collector.broadcast({
      body: 'checkRequest',
      checkRequest: { requestId: 'r1', definition: 'this', deadlineMs: 1000 },
    });
    await eventually('the answer', 3000, () => collector.answers.length === 1);
    expect(collector.answers).toEqual([{ requestId: 'r1', outcome: 'ran this', error: '' }]);
  });

  it('delivers what is fresh before it takes leave', async () => {
    startUplink();
    await eventually('a session', 5000, () => clock.known);
    await keep(range(1, 1001));
    end.abort();
    await Promise.all(running);
    expect(received()).toHaveLength(1000);
    expect(collector.leaves).toBe(1);
  });

  it('delivers absences', async () => {
    startUplink();
    await spool.appendAbsences('', [{ from: MINUTE, to: MINUTE + 120, reason: 'not running' }]);
    await eventually('the absence', 5000, () => collector.absences.length === 1);
    expect(collector.absences).toEqual([{ from: MINUTE, to: MINUTE + 120, reason: 'not running' }]);
  });
});
