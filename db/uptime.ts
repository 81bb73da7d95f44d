import type pg from 'pg';
import type { MinuteRange } from '../core/minute.ts';
import { inSnapshot, type Queryable } from './client.ts';
import type { CountedMonitor } from './counting.ts';
import { countPeriods, prepareCounting, type RangeCounts } from './period-counts.ts';

/** So many are counted at once: what is in memory meanwhile does not grow with the number of monitors. */
const BATCH = 200;

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
  return inSnapshot(pool, async (client) => {
    const counted: RangeCounts[] = [];
    for (let at = 0; at < monitors.length; at += BATCH)
      counted.push(...(await countBatch(client, monitors.slice(at, at + BATCH), known)));
    return counted;
  });
}

async function countBatch(
  client: Queryable,
  monitors: readonly CountedMonitor[],
  range: MinuteRange,
): Promise<RangeCounts[]> {
  const counting = await prepareCounting(client, null, monitors, range);
  const counted = await countPeriods(client, monitors, [range.from, range.to], counting);
  return counted.map(([counts]) => {
    if (!counts) throw new Error('a monitor was not counted');
    return counts;
  });
}

/** The part of a range in which there can be points: beyond are no dates to PostgreSQL. */
export function storableRange({ from, to }: MinuteRange): MinuteRange {
  const [first, last] = [0, Date.UTC(9999, 0) / 1000];
  const low = Math.min(Math.max(from, first), last);
  return { from: low, to: Math.min(Math.max(to, low), last) };
}
