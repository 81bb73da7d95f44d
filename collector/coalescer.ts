import type { RowAnswer } from '../core/result.ts';
import { ResultBlock } from '../core/result-block.ts';
import { isTransient } from '../db/client.ts';
import type { AnsweredRow } from '../proto/ack-codec.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, monotonicMs, sleep } from '../runtime/time.ts';
import { createGate, type Gate } from './gate.ts';
import { createRoom, type Room } from './room.ts';

export interface CoalescerLimits {
  /** Batches that are written at the same time, each on a connection of its own. */
  writers: number;
  /** Rows of one transaction. */
  batchRows: number;
  /** How long a batch waits for more rows. */
  waitMs: number;
  /** Rows in memory, waiting or being written. */
  capacityRows: number;
  /** How long a batch that meets an absent database is tried again before its rows are answered `retry`. */
  patienceMs: number;
  /** Where rows wait and none was stored for so long, something is wrong. */
  stuckMs: number;
}

/** One copies, one makes points under its minute's lock, and one waits for its commit to reach the disk. */
export const WRITERS = 3;

const LIMITS: CoalescerLimits = {
  writers: WRITERS,
  batchRows: 10_000,
  waitMs: 20,
  capacityRows: 100_000,
  patienceMs: 20_000,
  stuckMs: 15_000,
};

export interface CoalescerOptions {
  /** Stores a batch in one transaction: one answer for each row, in order. Rejects with nothing stored. */
  write: (results: ResultBlock) => Promise<readonly RowAnswer[]>;
  logger: Logger;
  limits?: Partial<CoalescerLimits>;
}

/** Gathers the results of all streams into batches worth a transaction. */
export interface Coalescer {
  /**
   * Waits until there is room in memory, then takes the rows. The inner promise gives an answer for each, in order,
   * after commit; it never rejects.
   */
  admit(results: ResultBlock): Promise<{ answers: Promise<AnsweredRow[]> }>;
  /** Rows in memory. */
  readonly rows: number;
  /** Rows that memory has room for. */
  readonly capacityRows: number;
  /** What is wrong where rows wait for too long; null: nothing. */
  problem(): string | null;
  /** Writes until the signal aborts and everything that was admitted is answered. */
  run(signal: AbortSignal): Promise<void>;
}

interface Job {
  results: ResultBlock;
  since: number;
  answer: (answers: AnsweredRow[]) => void;
}

interface State {
  write: CoalescerOptions['write'];
  logger: Logger;
  limits: CoalescerLimits;
  queue: Job[];
  room: Room;
  work: Gate;
  /** When a batch was last stored, or when rows first waited after that. */
  movedAt: number;
  /** The last attempt to store one failed. */
  isFailing: boolean;
}

export function createCoalescer(options: CoalescerOptions): Coalescer {
  const limits = { ...LIMITS, ...options.limits };
  const { write, logger } = options;
  const room = createRoom(limits.capacityRows);
  const state: State = {
    ...{ write, logger, limits, queue: [], room, work: createGate() },
    ...{ movedAt: 0, isFailing: false },
  };
  return {
    get rows() {
      return room.held;
    },
    capacityRows: limits.capacityRows,
    async admit(results) {
      if (results.length === 0) return { answers: Promise.resolve([]) };
      await room.take(results.length);
      const since = monotonicMs();
      if (room.held === results.length && !state.isFailing) state.movedAt = since;
      const answers = new Promise<AnsweredRow[]>((answer) => state.queue.push({ results, since, answer }));
      state.work.open();
      return { answers };
    },
    problem: () =>
      room.held > 0 && monotonicMs() - state.movedAt > limits.stuckMs ? 'rows wait and none is stored' : null,
    async run(signal) {
      await Promise.all(Array.from({ length: limits.writers }, () => runWriter(state, signal)));
    },
  };
}

/** An idle writer looks again after this long, whatever happens. */
const IDLE_MS = 1000;

async function runWriter(state: State, signal: AbortSignal): Promise<void> {
  while (!signal.aborted || state.queue.length > 0) {
    const waitMs = untilReady(state, signal);
    if (waitMs > 0) await state.work.opened(waitMs, signal);
    else await flush(state, takeBatch(state.queue, state.limits.batchRows), signal);
  }
}

/** Milliseconds until the next batch should go: none where it is half full, or old enough, or the end is near. */
function untilReady({ queue, limits }: State, signal: AbortSignal): number {
  const [first] = queue;
  if (first === undefined) return IDLE_MS;
  if (signal.aborted) return 0;
  let rows = 0;
  for (const job of queue) {
    rows += job.results.length;
    if (rows >= limits.batchRows / 2) return 0;
  }
  return first.since + limits.waitMs - monotonicMs();
}

/** Whole jobs up to the limit, at least one. */
function takeBatch(queue: Job[], batchRows: number): Job[] {
  let rows = 0;
  let count = 0;
  for (const job of queue) {
    if (count > 0 && rows + job.results.length > batchRows) break;
    rows += job.results.length;
    count++;
  }
  return queue.splice(0, count);
}

async function flush(state: State, jobs: readonly Job[], signal: AbortSignal): Promise<void> {
  const results = ResultBlock.join(jobs.map((job) => job.results));
  const answers = await writePatiently(state, results, signal);
  let at = 0;
  for (const job of jobs) job.answer(answers.slice(at, (at += job.results.length)));
  state.room.release(results.length);
}

async function writePatiently(state: State, results: ResultBlock, signal: AbortSignal): Promise<AnsweredRow[]> {
  const { write, limits, logger } = state;
  const backoff = createBackoff(50, 2000);
  const deadline = monotonicMs() + limits.patienceMs;
  for (;;) {
    try {
      const answers = await write(results);
      state.isFailing = false;
      state.movedAt = monotonicMs();
      return answers.map((answer) => ANSWERED[answer]);
    } catch (error) {
      state.isFailing = true;
      // Whatever it was, nothing was stored: the rows are tried again, here and then by their agents.
      logger[isTransient(error) ? 'warn' : 'error']({ err: error, rows: results.length }, 'batch not stored');
      if (signal.aborted || monotonicMs() >= deadline) return results.errors.map(() => ANSWERED.retry);
    }
    await sleep(backoff.next(), signal);
  }
}

/** Age and deletion are judged before: what is dropped here is a row that the database itself will not have. */
const ANSWERED: Record<RowAnswer, AnsweredRow> = {
  stored: { answer: 'stored', reason: null },
  duplicate: { answer: 'duplicate', reason: null },
  dropped: { answer: 'dropped', reason: 'refused' },
  retry: { answer: 'retry', reason: 'database' },
};
