import type { MinuteRange } from '../../core/minute.ts';
import { uptimeOf, type Uptime, type UptimeRule } from '../../core/uptime.ts';
import type { LatencyFigures, RangeCounts } from '../../db/period-counts.ts';
import { countRange } from '../../db/uptime.ts';
import type { VisibleMonitor } from '../../db/visible-monitors.ts';
import type { Context } from '../context.ts';

/** What a span of time amounts to, for one monitor or for several together. */
export interface Span {
  uptime: Uptime;
  latencyUs: LatencyFigures | null;
}

/** Of several monitors the minutes add up. `rule` makes them an uptime. */
export async function readSpan(
  { history }: Context,
  monitors: readonly VisibleMonitor[],
  rule: UptimeRule,
  range: MinuteRange,
): Promise<Span> {
  const counted = await countRange(history, monitors, range);
  return { uptime: uptimeOf(sumOf(counted), rule), latencyUs: latencyOf(counted) };
}

function sumOf(counted: readonly RangeCounts[]) {
  const total = { up: 0, down: 0, degraded: 0, maintenance: 0 };
  for (const { up, down, degraded, maintenance } of counted) {
    total.up += up;
    total.down += down;
    total.degraded += degraded;
    total.maintenance += maintenance;
  }
  return total;
}

function latencyOf(counted: readonly RangeCounts[]): LatencyFigures | null {
  const answered = counted.flatMap(({ latencyUs }) => latencyUs ?? []);
  if (answered.length === 0) return null;
  const count = answered.reduce((sum, figures) => sum + figures.count, 0);
  return {
    count,
    avg: Math.round(answered.reduce((sum, figures) => sum + figures.avg * figures.count, 0) / count),
    min: answered.reduce((least, { min }) => Math.min(least, min), Infinity),
    max: answered.reduce((most, { max }) => Math.max(most, max), 0),
  };
}
