import type { MinuteRange } from '../../core/minute.ts';
import { uptimeOf, type Uptime, type UptimeRule } from '../../core/uptime.ts';
import type { LatencyFigures } from '../../db/period-counts.ts';
import { countRange } from '../../db/uptime.ts';
import type { VisibleMonitor } from '../../db/visible-monitors.ts';
import type { Context } from '../context.ts';
import { totalOf } from '../services/monitor-rows.ts';

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
  const total = totalOf(await countRange(history, monitors, range));
  return { uptime: uptimeOf(total, rule), latencyUs: total.latencyUs };
}
