import type { MinuteRange } from '../core/minute.ts';
import type { Queryable } from './client.ts';

export interface LatencyPoint {
  /** The start of the step. */
  minute: number;
  latencyUs: number;
}

/** The mean latency of the points that answered, for each step of a range, by monitor id and ascending. */
export async function readRecentLatency(
  client: Queryable,
  monitorIds: readonly number[],
  { from, to }: MinuteRange,
  stepSeconds: number,
): Promise<Map<number, LatencyPoint[]>> {
  const { rows } = await client.query<{ id: number; steps: number[]; means: number[] }>(
    `select id, steps, means from unnest($1::int[]) as asked (id) cross join lateral (
       select array_agg(extract(epoch from step)::float8 order by step) as steps, array_agg(mean order by step) as means
       from (
         select date_bin($4 * interval '1 second', minute, 'epoch') as step,
           ((2 * sum(latency_us) + count(*)) / (2 * count(*)))::int as mean
         from data_points p
         where p.monitor_id = id and minute >= to_timestamp($2) and minute < to_timestamp($3) and latency_us > 0
         group by 1) stepped
     ) own where steps is not null`,
    [monitorIds, from, to, stepSeconds],
  );
  return new Map(
    rows.map(({ id, steps, means }) => [id, steps.map((step, at) => ({ minute: step, latencyUs: means[at] ?? 0 }))]),
  );
}
