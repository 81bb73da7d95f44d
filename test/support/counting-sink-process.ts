import { setTimeout as wait } from 'node:timers/promises';
import { interruptible, type Interruptible } from '../../collector/interruptible.ts';
import type { Minute } from '../../core/minute.ts';
import { STATUS_CODE } from '../../core/outcome.ts';
import { FIELD, NONE, type ResultBlock } from '../../core/result-block.ts';
import { encodeAckOfAll } from '../../proto/ack-codec.ts';
import { createCollectorServer, type CollectorStream } from '../../proto/collector-stream.ts';
import type { ResultBatch } from '../../proto/messages.ts';
import { decodeResults } from '../../proto/results-codec.ts';
import { StreamEnd } from '../../proto/stream-end.ts';
import type { ServerTls } from '../../proto/tls-listener.ts';
import { secondOf, syntheticResult } from './synthetic-results.ts';

/**
 * A collector of one agent that stores nothing and counts everything: which monitors' minutes came, which came twice,
 * and whether they say what `syntheticResult` does.
 */
export interface SinkOptions {
  port: number;
  tls: ServerTls;
  epoch: string;
  monitors: number;
  firstMinute: Minute;
  /** How many minutes there can be. */
  minutes: number;
  /** Of these the first so many are the backlog. */
  backlogMinutes: number;
}

export type SinkOrder =
  | { order: 'begin'; options: SinkOptions }
  /** From that minute on results are made as they are due; it began at that moment, unix milliseconds. */
  | { order: 'live'; from: Minute; sinceMs: number }
  /** Acknowledges nothing more until the agent's window is full, and then ends its stream. */
  | { order: 'cut' }
  /** While its database is away, every row is answered `retry`, and none counts as come. */
  | { order: 'retry'; isAway: boolean }
  | { order: 'report' };

export interface SinkReport {
  /** Monitors' minutes of the backlog, and later ones. */
  backlog: number;
  live: number;
  /** Rows that came again though they were acknowledged, and those that came again after a cut. */
  doubled: number;
  repeated: number;
  /** Rows that nobody can have measured, or that say something else. */
  invented: number;
  /** Rows that were answered `retry`. */
  retried: number;
  /** Unix milliseconds of the first row and of the one that made the backlog whole; 0: not yet. */
  firstMs: number;
  wholeMs: number;
  /** Milliseconds from when results were due to their arrival: half of them, 99 of 100, and all came within. */
  lateMs: { p50: number; p99: number; max: number };
}

const MAX_IN_FLIGHT = 16;
/** After so many an agent has as many under way as it may. */
const BATCHES_BEFORE_CUT = 40;
const QUIET_MS = 300;

let options: SinkOptions;
/** Of each monitor's minute: whether it came, and whether it did so without being acknowledged. */
let seen = new Uint8Array();
const CAME = 1;
const UNACKNOWLEDGED = 2;
let backlogLeft = 0;
let isDatabaseAway = false;
let live: { from: Minute; sinceMs: number } | undefined;
let stream: { incoming: Interruptible<unknown>; batches: number; isSilent: boolean; silent: number } | undefined;
const counts = { backlog: 0, live: 0, doubled: 0, repeated: 0, invented: 0, retried: 0, firstMs: 0, wholeMs: 0 };
/** How many live results came so many milliseconds late; the last entry is for all that came later. */
const late = new Uint32Array(120_000);

process.on('message', (order: SinkOrder) => {
  // What breaks ends the process: the parent sees that.
  void obey(order).then((answer) => process.send?.(answer ?? {}));
});
process.on('disconnect', () => process.exit());

async function obey(order: SinkOrder): Promise<SinkReport | undefined> {
  switch (order.order) {
    case 'begin':
      return begin(order.options);
    case 'live':
      live = order;
      return undefined;
    case 'cut':
      return cut();
    case 'retry':
      isDatabaseAway = order.isAway;
      return undefined;
    case 'report':
      return { ...counts, lateMs: percentiles() };
  }
}

async function begin(given: SinkOptions): Promise<undefined> {
  options = given;
  seen = new Uint8Array(options.monitors * options.minutes);
  backlogLeft = options.monitors * options.backlogMinutes;
  const unasked = (): Promise<never> => Promise.reject(new StreamEnd('UNIMPLEMENTED', 'not here'));
  const server = createCollectorServer({
    stream: serve,
    renew: unasked,
    enrol: unasked,
    onFault: (error) => {
      throw error;
    },
  });
  await server.listen({ host: '127.0.0.1', port: options.port }, options.tls);
  return undefined;
}

async function serve(served: CollectorStream): Promise<void> {
  const incoming = interruptible(served.messages);
  const own = { incoming, batches: 0, isSilent: false, silent: 0 };
  stream = own;
  for await (const message of incoming) {
    if (message.body === 'leave') return;
    if (message.body === 'hello') await served.send({ body: 'welcome', welcome: welcome() });
    if (message.body !== 'results') continue;
    if (isDatabaseAway) counts.retried += message.results.monitorId.length;
    else take(message.results, own.isSilent);
    own.batches += 1;
    const answer = isDatabaseAway ? RETRY : STORED;
    if (own.isSilent) own.silent += 1;
    else await served.send({ body: 'ack', ack: encodeAckOfAll(message.results.batch, clockUs(), answer) });
  }
}

const STORED = { answer: 'stored', reason: null } as const;
/** What a collector answers whose database does not. */
const RETRY = { answer: 'retry', reason: 'database' } as const;

function welcome() {
  const { epoch } = options;
  return { protocol: 1, agentId: 1, regionId: 1, epoch, timeline: '1', maxInFlight: MAX_IN_FLIGHT, clockUs: clockUs() };
}

function clockUs(): number {
  return Math.round(nowMs() * 1000);
}

function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/** A full window proves that everything acknowledged before has arrived: it would hold that still. */
async function cut(): Promise<undefined> {
  while (stream === undefined || stream.batches < BATCHES_BEFORE_CUT) await wait(20);
  stream.isSilent = true;
  for (let before = -1; before !== stream.silent || stream.silent < MAX_IN_FLIGHT - 1;) {
    before = stream.silent;
    await wait(QUIET_MS);
  }
  stream.incoming.fail(new StreamEnd('UNAVAILABLE', 'cut off'));
  stream = undefined;
  return undefined;
}

function take(batch: ResultBatch, isLost: boolean): void {
  const decoded = decodeResults(batch, { regionId: 1, agentId: 1 });
  if ('malformed' in decoded || decoded.faults.size > 0) throw new Error('an agent sends no such batch');
  const arrivedMs = nowMs();
  counts.firstMs ||= arrivedMs;
  for (let row = 0; row < decoded.results.length; row += 1) takeRow(decoded.results, row, isLost, arrivedMs);
  if (backlogLeft === 0) counts.wholeMs ||= arrivedMs;
}

function takeRow(results: ResultBlock, row: number, isLost: boolean, arrivedMs: number): void {
  const monitorId = results.number(row, FIELD.monitorId);
  const minute = results.minute(row);
  const index = ((minute - options.firstMinute) / 60) * options.monitors + monitorId - 1;
  if (!isTrue(results, row, monitorId, minute) || index < 0 || index >= seen.length) {
    counts.invented += 1;
    return;
  }
  if (seen[index] === 0) count(index, monitorId, minute, arrivedMs);
  else counts[seen[index] === CAME ? 'doubled' : 'repeated'] += 1;
  seen[index] = isLost ? UNACKNOWLEDGED : CAME;
}

function count(index: number, monitorId: number, minute: Minute, arrivedMs: number): void {
  if (index < options.monitors * options.backlogMinutes) {
    counts.backlog += 1;
    backlogLeft -= 1;
    return;
  }
  counts.live += 1;
  if (live === undefined) return;
  const lateMs = Math.round(arrivedMs - live.sinceMs - (minute - live.from + secondOf(monitorId)) * 1000);
  const place = Math.max(0, Math.min(lateMs, late.length - 1));
  late[place] = (late[place] ?? 0) + 1;
}

function isTrue(results: ResultBlock, row: number, monitorId: number, minute: Minute): boolean {
  const { status, latencyUs, error } = syntheticResult(monitorId, minute);
  return (
    results.number(row, FIELD.status) === STATUS_CODE[status] &&
    results.number(row, FIELD.latencyUs) === (latencyUs ?? NONE) &&
    results.errors[row] === error
  );
}

function percentiles(): SinkReport['lateMs'] {
  const total = late.reduce((sum, count) => sum + count, 0);
  const within = (share: number): number => {
    let passed = 0;
    return late.findIndex((count) => (passed += count) >= total * share);
  };
  return { p50: within(0.5), p99: within(0.99), max: within(1) };
}
