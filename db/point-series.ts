import type { MinuteRange } from '../core/minute.ts';
import type { Queryable } from './client.ts';

/** What was measured in a step of time: minutes by status, and the mean latency where something answered. */
export interface SeriesStep {
  /** Unix seconds, divisible by the step. */
  at: number;
  up: number;
  degraded: number;
  down: number;
  /** Of one region: minutes in which it could not measure. */
  unknown: number;
  latencyUs: number | null;
}

/** $4: the step in seconds. */
const STEPS = `
  extract(epoch from minute)::int8 / $4::int8 * $4::int8 as at,
  count(*) filter (where status = 2) as up, count(*) filter (where status = 3) as degraded,
  count(*) filter (where status = 4) as down, count(*) filter (where status = 1) as unknown,
  round(avg(latency_us) filter (where latency_us > 0)) as "latencyUs"`;
const WITHIN = 'monitor_id = $1 and minute >= to_timestamp($2) and minute < to_timestamp($3)';

/** A monitor's points of a half-open range, in steps; a step without a point is absent. */
export async function readPointSeries(
  db: Queryable,
  monitorId: number,
  { from, to }: MinuteRange,
  step: number,
): Promise<SeriesStep[]> {
  const { rows } = await db.query<SeriesStep>(
    `select ${STEPS} from data_points where ${WITHIN} group by 1 order by 1`,
    [monitorId, from, to, step],
  );
  return rows;
}

/** What each region measured in a half-open range, in steps; regions by name, without those that have nothing. */
export async function readRegionSeries(
  db: Queryable,
  monitorId: number,
  { from, to }: MinuteRange,
  step: number,
): Promise<{ region: string; steps: SeriesStep[] }[]> {
  const { rows } = await db.query<{ region: string; steps: SeriesStep[] }>(
    `select regions.name as region, json_agg(json_build_object('at', at, 'up', up, 'degraded', degraded, 'down', down,
       'unknown', unknown, 'latencyUs', "latencyUs") order by at) as steps
     from (select region_id, ${STEPS} from check_results where ${WITHIN} group by 1, 2) series
     join regions on regions.id = region_id group by regions.name order by regions.name`,
    [monitorId, from, to, step],
  );
  return rows;
}
