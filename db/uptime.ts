import type pg from 'pg';
import type { MinuteRange } from '../core/minute.ts';
import { inTransaction } from './client.ts';
import { countBookOf } from './count-book.ts';
import type { CountedMonitor } from './counting.ts';
import { countPeriods, prepareCounting, type RangeCounts } from './period-counts.ts';

/**
 * Counts the points of a half-open range of minutes for each of the monitors, in their order, as they are reported
 * (`countPeriods`). Exact to the minute at both ends, in one snapshot. Hours whose points retention has removed count
 * where the range and what lies over it take them whole.
 */
export async function countRange(
  pool: pg.Pool,
  monitors: readonly CountedMonitor[],
  range: MinuteRange,
): Promise<RangeCounts[]> {
  const known = storableRange(range);
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const counting = await prepareCounting(client, null, monitors, known);
    const counted = await countPeriods(client, monitors, [known.from, known.to], counting);
    return counted.map(([counts]) => {
      if (!counts) throw new Error('a monitor was not counted');
      return counts;
    });
  });
}

/**
 * As `countRange`, but whole UTC days are counted once as long as they are true: for many monitors that are asked for
 * again and again.
 */
export async function countRangeByDays(
  pool: pg.Pool,
  monitors: readonly CountedMonitor[],
  range: MinuteRange,
): Promise<RangeCounts[][]> {
  const known = storableRange(range);
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const counting = await prepareCounting(client, countBookOf(pool), monitors, known);
    return countPeriods(client, monitors, daysOf(known), counting);
  });
}

/** The ends of a range and the midnights between them. */
function daysOf({ from, to }: MinuteRange): number[] {
  const bounds = [from];
  for (let day = (Math.floor(from / DAY) + 1) * DAY; day < to; day += DAY) bounds.push(day);
  return [...bounds, to];
}

const DAY = 86_400;

/** The part of a range in which there can be points: beyond are no dates to PostgreSQL. */
export function storableRange({ from, to }: MinuteRange): MinuteRange {
  const [first, last] = [0, Date.UTC(9999, 0) / 1000];
  const low = Math.min(Math.max(from, first), last);
  return { from: low, to: Math.min(Math.max(to, low), last) };
}
