import type { MinuteRange } from '../core/minute.ts';
import type { Queryable } from './client.ts';

/** What a region saw of a monitor in a range; what it could not measure is not among it. */
export interface RegionCounts {
  name: string;
  up: number;
  down: number;
  degraded: number;
  /** The mean of the answers; null without any. */
  latencyUs: number | null;
}

/** What each region saw of a monitor. It looks at every result: for days, not for months. */
export async function countRegions(client: Queryable, monitorId: number, range: MinuteRange): Promise<RegionCounts[]> {
  const { rows } = await client.query<RegionCounts>(
    `select regions.name, up, down, degraded, "latencyUs" from (
       select region_id, count(*) filter (where status = 2) as up, count(*) filter (where status = 4) as down,
         count(*) filter (where status = 3) as degraded,
         round(avg(latency_us) filter (where latency_us > 0))::int as "latencyUs"
       from check_results
       where monitor_id = $1 and minute >= to_timestamp($2) and minute < to_timestamp($3) and status <> 1
       group by region_id) seen join regions on regions.id = region_id order by regions.name`,
    [monitorId, range.from, range.to],
  );
  return rows;
}
