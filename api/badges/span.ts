import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import type { MinuteRange } from '../../core/minute.ts';
import type { CountedMonitor } from '../../db/counting.ts';
import type { RangeCounts } from '../../db/period-counts.ts';
import { countRange } from '../../db/uptime.ts';
import { listVisibleCounted, markVisible } from '../../db/visible-monitors.ts';
import { createKeptValues, type KeptValues } from '../services/kept-values.ts';
import { totalOf } from '../services/monitor-rows.ts';

/** What a span of time amounts to for one monitor. */
export async function countOne(pool: pg.Pool, monitor: CountedMonitor, range: MinuteRange): Promise<RangeCounts> {
  return totalOf(await countRange(pool, [monitor], range));
}

/** Counting a thousand monitors costs too much for everybody who embeds a badge. */
const KEEPING = { freshMs: 10_000, staleMs: 60_000, capacity: 20 };
/** So many spans may wait for the one that is counted. Who asks for a further one is told to come back. */
const MAX_OPEN = 5;

interface Counter {
  totals: KeptValues<RangeCounts>;
  /** Ends, without a failure, with the span that was asked for last. */
  last: Promise<unknown>;
  /** Spans that are counted or wait for it. */
  open: number;
}

const counters = new WeakMap<pg.Pool, Counter>();

/**
 * What a span of time amounts to for all visible monitors together; their minutes add up. One span is counted at a time,
 * on a connection of `history`: years of many monitors hold up no other request. A span is known by its length: it ends
 * now, whenever that is. @throws AppError UNAVAILABLE where too many wait.
 */
export async function countAll(
  { pool, history }: { pool: pg.Pool; history: pg.Pool },
  range: MinuteRange,
): Promise<RangeCounts> {
  const counter = counters.get(history) ?? {
    ...{ totals: createKeptValues<RangeCounts>(KEEPING), last: Promise.resolve(), open: 0 },
  };
  counters.set(history, counter);
  const key = `${range.to - range.from} ${await markVisible(pool)}`;
  return counter.totals.get(key, () =>
    inTurn(counter, async () => totalOf(await countRange(history, await listVisibleCounted(history), range))),
  );
}

async function inTurn<T>(counter: Counter, work: () => Promise<T>): Promise<T> {
  if (counter.open >= MAX_OPEN)
    throw new AppError('UNAVAILABLE', 'Too many spans are being counted, try again in a moment');
  counter.open += 1;
  const mine = counter.last.then(work).finally(() => (counter.open -= 1));
  counter.last = mine.catch(() => undefined);
  return mine;
}
