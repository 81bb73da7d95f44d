import type pg from 'pg';
import { HOUR_SECONDS, type Minute } from '../../core/minute.ts';
import { minutesInSpans } from '../../db/engines/engine.ts';
import { makeRoom } from '../../db/room.ts';
import { addRegion } from '../support/monitoring-fixture.ts';
import { addBenchMonitors, writeHistory } from './bench-database.ts';

const DAY = 86_400;
const REGIONS = ['eu', 'us', 'ap'];
/** What of the regions' results a page looks at is younger. */
const RESULT_HOURS = 2;

/**
 * What pages are measured over: monitors with a year of hourly roll-ups, raw points of the last days, and results of
 * three regions of the last hours, all up to the minute `to`. Returns the monitors' ids, ascending.
 */
export async function writePagesHistory(
  pool: pg.Pool,
  to: Minute,
  { monitors, rawDays, rolledDays }: { monitors: number; rawDays: number; rolledDays: number },
): Promise<number[]> {
  const ids = await addBenchMonitors(pool, monitors);
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', { from: to - rawDays * DAY, to: to + 60 }));
  await makeRoom(pool, 'check_results', minutesInSpans('check_results', { from: to - DAY, to: to + 60 }));
  await writeHistory(pool, ids, to, rawDays);
  const rolledTo = Math.floor(to / HOUR_SECONDS) * HOUR_SECONDS;
  const rawFrom = Math.ceil((to - rawDays * DAY) / HOUR_SECONDS) * HOUR_SECONDS;
  // A month at a time, so that no statement sorts a year.
  for (let from = rolledTo - rolledDays * DAY; from < rawFrom; from += 30 * DAY)
    await pool.query(INVENTED_HOURS, [ids, from, Math.min(from + 30 * DAY, rawFrom)]);
  for (let from = rawFrom; from < rolledTo; from += DAY)
    await pool.query(TRUE_HOURS, [from, Math.min(from + DAY, rolledTo)]);
  await pool.query(`update cursors set minute = to_timestamp($1) where name = 'rolled_to'`, [rolledTo]);
  await pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [to - 120]);
  await writeResults(pool, ids, to);
  // What autovacuum does in time.
  for (const table of ['data_points', 'data_points_hourly', 'check_results', 'monitors'])
    await pool.query(`vacuum (analyze) ${table}`);
  return ids;
}

const INVENTED_HOURS = `
insert into data_points_hourly
  (monitor_id, hour, up, down, degraded, latency_count, latency_sum, latency_min, latency_max)
select id, to_timestamp(at), 60 - bad, bad, 0, 60 - bad, (60 - bad) * base, base / 2, base * 3
from generate_series($2::int8, $3::int8 - 3600, 3600) as at cross join unnest($1::int[]) as id
cross join lateral (
  select case when random() < 0.9 then 0 else (random() * 5)::int end as bad, (20000 + 8000 * random())::int as base
  where id > 0) drawn
order by at, id`;

const TRUE_HOURS = `
insert into data_points_hourly
  (monitor_id, hour, up, down, degraded, latency_count, latency_sum, latency_min, latency_max)
select monitor_id, date_trunc('hour', minute, 'UTC') as hour, count(*) filter (where status = 2),
  count(*) filter (where status = 4), count(*) filter (where status = 3), count(*) filter (where latency_us > 0),
  sum(latency_us), min(latency_us) filter (where latency_us > 0), max(latency_us)
from data_points where minute >= to_timestamp($1) and minute < to_timestamp($2) group by 2, 1 order by 2, 1`;

async function writeResults(pool: pg.Pool, ids: readonly number[], to: Minute): Promise<void> {
  for (const region of REGIONS) await addRegion(pool, region);
  await pool.query(
    `insert into check_results
       (minute, monitor_id, agent_id, revision, latency_us, region_id, status, origin, cause, sent, received)
     select to_timestamp(at), monitor, agents.id, 1, 20000, region_id, 2, 1, 1, 3, 3
     from generate_series($1::int8, $2::int8 - 60, 60) as at cross join unnest($3::int[]) as monitor cross join agents
     order by at, monitor`,
    [to - RESULT_HOURS * HOUR_SECONDS, to, ids],
  );
}
