import { lastButOneDue } from '../core/cron.ts';
import { floorMinute } from '../core/minute.ts';
import type { PointStatus } from '../core/outcome.ts';
import type { PublicStatus } from '../core/overall-status.ts';
import type { Queryable } from './client.ts';
import { pointStatus } from './points.ts';
import type { MonitorRow } from './monitors.ts';

/** How a monitor is from a region, now. */
export interface RegionReport {
  name: string;
  /** The newest known answer of the monitor's last two due minutes; NO_DATA without. */
  status: PublicStatus;
}

/** What of a monitor says where it runs and when. */
export type RegionalMonitor = Pick<MonitorRow, 'id' | 'cron' | 'monitor_settings_json'>;

/** An answer is there at the latest so many seconds after the start of its minute. */
const SETTLING_SECONDS = 120;
/** More of a monitor's minutes are not looked through: who is due less often has no regions shown. */
const MAX_REACH_SECONDS = 3 * 86_400;

/** How each monitor is from each region that it runs in (those with an enrolled agent), by monitor id and region name. */
export async function readRegionReports(
  client: Queryable,
  monitors: readonly RegionalMonitor[],
  now: number,
): Promise<Map<number, RegionReport[]>> {
  const regions = await client.query<{ id: number; name: string }>(
    `select id, name from regions
     where exists (select from agents where region_id = regions.id and revoked_at is null) order by name`,
  );
  const due = new Map<string | null, number>();
  const since = monitors.map(({ cron }) => {
    const first = due.get(cron) ?? lastButOneDue(cron, floorMinute(now - SETTLING_SECONDS)) ?? now;
    due.set(cron, first);
    return Math.max(first, floorMinute(now) - MAX_REACH_SECONDS);
  });
  const { rows } = await client.query<{ id: number; regions: number[]; statuses: number[] }>(NEWEST_ANSWERS, [
    monitors.map(({ id }) => id),
    since,
    since.reduce((least, minute) => Math.min(least, minute), floorMinute(now)),
  ]);
  const answers = new Map(rows.map((row) => [row.id, new Map(row.regions.map((id, at) => [id, row.statuses[at]]))]));
  return new Map(
    monitors.map((monitor) => {
      const running = regions.rows.filter(({ name }) => runsIn(monitor, name));
      return [monitor.id, running.map(({ id, name }) => ({ name, status: named(answers.get(monitor.id)?.get(id)) }))];
    }),
  );
}

/** $3 bounds all minutes, so that few partitions are planned. */
const NEWEST_ANSWERS = `
select id, array_agg(region_id) as regions, array_agg(status) as statuses from (
  select distinct on (asked.id, region_id) asked.id, region_id::int, r.status::int
  from unnest($1::int[], $2::int8[]) as asked (id, since) join check_results r
    on r.monitor_id = asked.id and r.minute >= to_timestamp(since) and r.minute >= to_timestamp($3) and r.status <> 1
  order by asked.id, region_id, minute desc) newest
group by id`;

function runsIn({ monitor_settings_json: settings }: RegionalMonitor, region: string): boolean {
  const { regions } = settings ?? {};
  return !Array.isArray(regions) || regions.includes(region);
}

function named(code: number | undefined): PointStatus | 'NO_DATA' {
  return code === undefined ? 'NO_DATA' : pointStatus(code);
}
