import { localDays } from '../../core/local-days.ts';
import { floorMinute, MINUTE_SECONDS } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import type { TimeZone } from '../../core/time-zone.ts';
import { uptimeOf } from '../../core/uptime.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { listIncidentsBetween } from '../../db/page-incidents.ts';
import { listMaintenancesBetween } from '../../db/page-maintenances.ts';
import { countPeriods, prepareCounting } from '../../db/period-counts.ts';
import { countRegions } from '../../db/region-counts.ts';
import { readNow } from '../../db/service-clock.ts';
import { findVisibleMonitors, type VisibleMonitor } from '../../db/visible-monitors.ts';
import { RANGES, type MonitorPageView, type Range, type RegionFigures, type RegionView } from '../../web/view.ts';
import { readLatencySeries } from './latency-series.ts';
import { latencyMsOf, readMonitorRows, totalOf } from './monitor-rows.ts';

const DAY = 86_400;
const DAYS_SHOWN = 90;
/** Windows that are planned are shown so far ahead. */
const AHEAD_SECONDS = 30 * DAY;
/** What regions saw is not rolled up: it is told of no longer range than this. */
const REGIONS_REACH = '7d';

const SECONDS: Record<Range, number> = { '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY, '90d': 90 * DAY };
const STEP: Record<Range, number> = { '24h': 300, '7d': 3600, '30d': 3 * 3600, '90d': 6 * 3600 };

/** A visible monitor over a range that ends now; undefined where there is none of that tag. One snapshot. */
export async function readMonitorView(
  client: Queryable,
  book: CountBook,
  { tag, range, zone }: { tag: string; range: Range; zone: TimeZone },
): Promise<{ view: MonitorPageView; now: number } | undefined> {
  const [monitor] = await findVisibleMonitors(client, [tag]);
  if (!monitor) return undefined;
  const now = Math.floor(await readNow(client));
  const to = floorMinute(now) + MINUTE_SECONDS;
  const from = Math.ceil((to - SECONDS[range]) / STEP[range]) * STEP[range];
  const days = localDays(zone, now, DAYS_SHOWN);
  const [row] = await readMonitorRows(client, book, [monitor], { days, now, sinceOf: () => true });
  if (!row) throw new Error('a monitor was not read');
  const counting = await prepareCounting(client, book, [monitor], { from: to - SECONDS['90d'], to });
  const span = { from: to - SECONDS[range], to };
  const regionsRange = SECONDS[range] <= SECONDS[REGIONS_REACH] ? range : REGIONS_REACH;
  const view = {
    ...{ monitor: row, range, regionsRange },
    figures: await readFigures(client, monitor, to, counting),
    series: await readLatencySeries(client, monitor, { from, to }, STEP[range], counting),
    regions: await readRegions(client, monitor, row.regions, { from: to - SECONDS[regionsRange], to }),
    incidents: await listIncidentsBetween(client, { monitor: monitor.id }, span),
    maintenances: await listMaintenancesBetween(client, { monitor: monitor.id }, { ...span, to: to + AHEAD_SECONDS }),
  };
  return { view, now };
}

/** The longest range is cut where the shorter ones begin: each minute is counted once. */
async function readFigures(
  client: Queryable,
  monitor: VisibleMonitor,
  to: number,
  counting: Parameters<typeof countPeriods>[3],
): Promise<MonitorPageView['figures']> {
  const bounds = [...RANGES].reverse().map((range) => to - SECONDS[range]);
  const [periods = []] = await countPeriods(client, [monitor], [...bounds, to], counting);
  return RANGES.map((range, at) => {
    const total = totalOf(periods.slice(periods.length - 1 - at));
    return { range, uptimeText: uptimeOf(total, monitor).text, latencyMs: latencyMsOf(total.latencyUs) };
  });
}

async function readRegions(
  client: Queryable,
  monitor: VisibleMonitor,
  regions: readonly RegionView[],
  span: { from: number; to: number },
): Promise<RegionFigures[]> {
  const counted = await countRegions(client, monitor.id, span);
  const byName = new Map(counted.map((counts) => [counts.name, counts]));
  return regions.map((region) => {
    const counts = byName.get(region.name);
    if (!counts) return { ...region, uptimeText: '-', latencyMs: null };
    const { latencyUs, ...minutes } = counts;
    const { text } = uptimeOf({ ...minutes, maintenance: 0 }, monitor);
    return { ...region, uptimeText: text, latencyMs: latencyUs === null ? null : millisecondsOf(latencyUs) };
  });
}
