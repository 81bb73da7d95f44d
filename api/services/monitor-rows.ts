import { floorMinute, MINUTE_SECONDS } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import type { PublicStatus } from '../../core/overall-status.ts';
import { uptimeOf } from '../../core/uptime.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { reportCurrent } from '../../db/current-status.ts';
import { countPeriods, prepareCounting, type LatencyFigures, type RangeCounts } from '../../db/period-counts.ts';
import { readRecentLatency } from '../../db/recent-latency.ts';
import { readRegionReports } from '../../db/region-status.ts';
import type { VisibleMonitor } from '../../db/visible-monitors.ts';
import type { DayView, MonitorView } from '../../web/view.ts';
import { readSince } from './since.ts';

/** What the small line of latencies shows. */
const RECENT_SECONDS = 3 * 3600;
const RECENT_STEP = 300;

interface RowsAsked {
  /** The beginnings of the visitor's days and the end of the last, which is today. */
  days: readonly number[];
  now: number;
  /** Of which it is told since when they hold. */
  sinceOf: (status: PublicStatus) => boolean;
}

/** The monitors as a page shows them. The client's transaction is one snapshot. */
export async function readMonitorRows(
  client: Queryable,
  book: CountBook,
  monitors: readonly VisibleMonitor[],
  { days, now, sinceOf }: RowsAsked,
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
  const known = monitors.map((monitor, at) => {
    const shownDays = (counted[at] ?? []).map((counts, day) => toDayView(days[day] ?? 0, counts));
    return { monitor, status: current.get(monitor.id)?.status ?? 'NO_DATA', days: shownDays };
  });
  const asked = known.filter(({ status }) => sinceOf(status));
  const since = await readSince(client, asked, { windows: counting.windows, to: end });
  return known.map(({ monitor, status, days }, at) => {
    const total = totalOf(counted[at] ?? []);
    return {
      ...{ tag: monitor.tag, name: monitor.name, description: monitor.description, image: monitor.image },
      ...{ status, since: since.get(monitor.id) ?? null, days },
      uptimeText: uptimeOf(total, monitor).text,
      latencyMs: latencyMsOf(total.latencyUs),
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
