import { createServiceClock } from '../../agent/service-clock.ts';
import type { PlacedResult } from '../../agent/spool/grouping.ts';
import { Spool } from '../../agent/spool/spool.ts';
import { Uplink } from '../../agent/uplink.ts';
import type { Minute } from '../../core/minute.ts';
import type { AgentTls } from '../../proto/agent-client.ts';
import { openAgentStream } from '../../proto/agent-stream.ts';
import { createLogger } from '../../runtime/logger.ts';
import { agentStatus } from './agent-status.ts';
import { secondOf, SECONDS_OF_CHECKS, syntheticResult } from './synthetic-results.ts';

/**
 * An agent that measures nothing: spool and uplink are an agent's own, its results are made up. Asked by its parent, it
 * lives through minutes as fast as the disk takes their results, or second by second as life does.
 */
export interface SpoolingAgentOptions {
  folder: string;
  /** host:port of the collector. */
  collector: string;
  tls: AgentTls;
  region: string;
  epoch: string;
  monitors: number;
  /** The first minute it lives through. */
  firstMinute: Minute;
  limitBytes: number;
}

export type SpoolingAgentOrder =
  | { order: 'begin'; options: SpoolingAgentOptions }
  /** Lives through so many minutes at once. */
  | { order: 'pass'; minutes: number }
  /** Lives on in real time until it is told to rest. */
  | { order: 'live' }
  | { order: 'rest' }
  | { order: 'report' }
  | { order: 'end' };

export interface SpoolingAgentReport {
  /** The minute it lives in. */
  minute: Minute;
  /** Monotonic milliseconds of the machine at which the minute began, where it lives in real time. */
  liveSinceMs: number;
  spool: ReturnType<Spool['state']>;
  /** Results it has made so far. */
  made: number;
  sessions: number;
  problem: string | null;
}

interface Parts extends SpoolingAgentOptions {
  spool: Spool;
  uplink: Uplink;
  /** Monitors by the second of the minute in which they are due. */
  due: number[][];
}

/** Simulated milliseconds ahead of the machine's clock. */
let aheadMs = 0;
let minute: Minute = 0;
let liveSinceMs = 0;
let made = 0;
let resting = new AbortController();
const end = new AbortController();
const loops: Promise<void>[] = [];
let parts: Parts | undefined;

process.on('message', (order: SpoolingAgentOrder) => {
  // What breaks ends the process: the parent sees that.
  void obey(order).then((answer) => process.send?.(answer ?? {}));
});
process.on('disconnect', () => process.exit());

async function obey(order: SpoolingAgentOrder): Promise<SpoolingAgentReport | undefined> {
  if (order.order === 'begin') return begin(order.options);
  if (parts === undefined) throw new Error('the first order is begin');
  switch (order.order) {
    case 'pass':
      return pass(parts, order.minutes);
    case 'live':
      resting = new AbortController();
      loops.push(parts.spool.run(resting.signal), live(parts, resting.signal));
      return undefined;
    case 'rest':
      resting.abort();
      return undefined;
    case 'report':
      return report(parts);
    case 'end':
      resting.abort();
      end.abort();
      await Promise.all(loops);
      await parts.spool.close();
      return undefined;
  }
}

async function begin(options: SpoolingAgentOptions): Promise<undefined> {
  const time = { bootId: 'boot-1', wallMs: () => Date.now() + aheadMs, monotonicMs: () => performance.now() + aheadMs };
  const clock = createServiceClock(time, { loMs: 0, hiMs: 0, atMs: 0 });
  const logger = createLogger('agent', 'silent');
  const { folder, limitBytes, collector, tls, region, epoch, monitors } = options;
  const spool = await Spool.open({
    ...{ folder, limitBytes, bootId: time.bootId, logger },
    offsetOf: () => 0,
    monotonicMs: () => clock.monotonicMs(),
  });
  const uplink = new Uplink({
    ...{ clock, spool, logger },
    open: () => openAgentStream({ address: collector, tls }),
    onAck: () => undefined,
    answer: async () => ({ outcome: '', error: 'measures nothing' }),
    hello: () => ({ region, version: 'test', capabilities: [], epoch, bootId: time.bootId }),
    status: () => agentStatus({ spoolRecords: spool.state().rows }),
  });
  loops.push(uplink.run(end.signal));
  const due = Array.from({ length: SECONDS_OF_CHECKS }, (): number[] => []);
  for (let id = 1; id <= monitors; id += 1) due[secondOf(id)]?.push(id);
  minute = options.firstMinute;
  parts = { ...options, spool, uplink, due };
  return undefined;
}

async function pass({ spool, due, epoch }: Parts, minutes: number): Promise<undefined> {
  for (const last = minute + 60 * minutes; minute < last; minute += 60) {
    for (const monitorIds of due) {
      void spool.append(epoch, resultsOf(monitorIds));
      await spool.flush();
      aheadMs += 1000;
    }
    aheadMs += 1000 * (60 - SECONDS_OF_CHECKS);
    await spool.keepHouse();
  }
  return undefined;
}

async function live({ spool, due, epoch }: Parts, signal: AbortSignal): Promise<void> {
  const beganMs = performance.timeOrigin + performance.now();
  const first = minute;
  for (let second = 0; !signal.aborted; second += 1) {
    minute = first + 60 * Math.floor(second / 60);
    liveSinceMs = beganMs + (minute - first) * 1000;
    void spool.append(epoch, resultsOf(due[second % 60] ?? []));
    await new Promise((resolve) =>
      setTimeout(resolve, beganMs + (second + 1) * 1000 - performance.timeOrigin - performance.now()),
    );
  }
}

function resultsOf(monitorIds: readonly number[]): PlacedResult[] {
  made += monitorIds.length;
  return monitorIds.map((id) => ({ result: syntheticResult(id, minute), startedMs: 0, usedOffsetMs: null }));
}

function report({ spool, uplink }: Parts): SpoolingAgentReport {
  return { minute, liveSinceMs, made, spool: spool.state(), sessions: uplink.sessions, problem: uplink.problem };
}
