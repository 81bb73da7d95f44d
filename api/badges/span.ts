import type pg from 'pg';
import type { MinuteRange } from '../../core/minute.ts';
import { uptimeOf, type Uptime, type UptimeRule } from '../../core/uptime.ts';
import type { LatencyFigures, RangeCounts } from '../../db/period-counts.ts';
import { countRange, countRangeByDays } from '../../db/uptime.ts';
import type { VisibleMonitor } from '../../db/visible-monitors.ts';
import { createKeptValues, type KeptValues } from '../services/kept-values.ts';
import { totalOf } from '../services/monitor-rows.ts';

/** What a span of time amounts to, for one monitor or for several together. */
export interface Span {
  uptime: Uptime;
  latencyUs: LatencyFigures | null;
}

/** Of several monitors the minutes add up. `rule` makes them an uptime. */
export async function readSpan(
  pool: pg.Pool,
  monitors: readonly VisibleMonitor[],
  rule: UptimeRule,
  range: MinuteRange,
): Promise<Span> {
  const total = monitors.length === 1 ? await countOne(pool, monitors, range) : await countAll(pool, monitors, range);
  return { uptime: uptimeOf(total, rule), latencyUs: total.latencyUs };
}

async function countOne(pool: pg.Pool, monitors: readonly VisibleMonitor[], range: MinuteRange): Promise<RangeCounts> {
  return totalOf(await countRange(pool, monitors, range));
}

/** Counting a thousand monitors costs too much for everybody who embeds a badge. */
const KEEPING = { freshMs: 10_000, staleMs: 60_000, capacity: 20 };
const totals = new WeakMap<pg.Pool, KeptValues<RangeCounts>>();

/** A span is known by its length: it ends now, whenever that is. */
function countAll(pool: pg.Pool, monitors: readonly VisibleMonitor[], range: MinuteRange): Promise<RangeCounts> {
  const kept = totals.get(pool) ?? createKeptValues<RangeCounts>(KEEPING);
  totals.set(pool, kept);
  const key = [range.to - range.from, ...monitors.map(({ id }) => id)].join();
  return kept.get(key, async () => totalOf((await countRangeByDays(pool, monitors, range)).flat()));
}
