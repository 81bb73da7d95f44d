import { floorMinute, MINUTE_SECONDS } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import { uptimeOf } from '../../core/uptime.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { reportCurrent } from '../../db/current-status.ts';
import { countPeriods, prepareCounting, type LatencyFigures, type RangeCounts } from '../../db/period-counts.ts';
import { readRecentLatency } from '../../db/recent-latency.ts';
import { readRegionReports } from '../../db/region-status.ts';
import type { VisibleMonitor } from '../../db/visible-monitors.ts';
import type { DayView, MonitorView } from '../../web/view.ts';

/** What the small line of latencies shows. */
const RECENT_SECONDS = 3 * 3600;
const RECENT_STEP = 300;

/**
 * The monitors as a page shows them. `days`: the beginnings of the visitor's days and the end of the last, which is today.
 * The client's transaction is one snapshot.
 */
export async function readMonitorRows(
  client: Queryable,
  book: CountBook,
  monitors: readonly VisibleMonitor[],
  { days, now }: { days: readonly number[]; now: number },
): Promise<MonitorView[]> {
  const end = floorMinute(now) + MINUTE_SECONDS;
  const bounds = [...days.slice(0, -1), end];
  const counting = await prepareCounting(client, book, monitors, { from: bounds[0] ?? end, to: end });
  const counted = await countPeriods(client, monitors, bounds, counting);
  const current = await reportCurrent(client, monitors);
  const recent = await readRecentLatency(
    client,
    monitors.map(({ id }) => id),
    { from: end - RECENT_SECONDS, to: end },
    RECENT_STEP,
  );
  const regions = await readRegionReports(client, monitors, now);
  return monitors.map((monitor, at) => {
    const periods = counted[at] ?? [];
    const total = totalOf(periods);
    return {
      ...{ tag: monitor.tag, name: monitor.name, description: monitor.description, image: monitor.image },
      status: current.get(monitor.id)?.status ?? 'NO_DATA',
      uptimeText: uptimeOf(total, monitor).text,
      latencyMs: latencyMsOf(total.latencyUs),
      days: periods.map((counts, day) => toDayView(days[day] ?? 0, counts)),
      recent: (recent.get(monitor.id) ?? []).map(({ minute, latencyUs }) => {
        return { minute, latencyMs: millisecondsOf(latencyUs) };
      }),
      regions: regions.get(monitor.id) ?? [],
    };
  });
}

export function toDayView(start: number, { up, down, degraded, maintenance, latencyUs }: RangeCounts): DayView {
  return { start, up, down, degraded, maintenance, latencyMs: latencyMsOf(latencyUs) };
}

export function latencyMsOf(latencyUs: LatencyFigures | null): number | null {
  return latencyUs && millisecondsOf(latencyUs.avg);
}

/** Periods taken together. The mean of latencies is that of all points. */
export function totalOf(periods: readonly RangeCounts[]): RangeCounts {
  const total = { up: 0, down: 0, degraded: 0, maintenance: 0 };
  const latency = { count: 0, sum: 0, min: Infinity, max: 0 };
  for (const { up, down, degraded, maintenance, latencyUs } of periods) {
    total.up += up;
    total.down += down;
    total.degraded += degraded;
    total.maintenance += maintenance;
    if (!latencyUs) continue;
    latency.count += latencyUs.count;
    latency.sum += latencyUs.sum;
    latency.min = Math.min(latency.min, latencyUs.min);
    latency.max = Math.max(latency.max, latencyUs.max);
  }
  const avg = Math.round(latency.sum / latency.count);
  return { ...total, latencyUs: latency.count > 0 ? { ...latency, avg } : null };
}
