import type pg from 'pg';
import { HOUR_SECONDS, minutesOf } from '../core/minute.ts';
import { STATUS_CODE } from '../core/outcome.ts';
import { inTransaction } from './client.ts';
import { engineOf } from './engine.ts';
import { lockMinutes, lockRoller, MINUTE_LOCKS } from './locks.ts';
import type { PointFilter } from './point-list.ts';

/**
 * Removes a monitor's points of a half-open range, or those of one status, with the regional results they were made of
 * and what the roll-ups counted of them; all or nothing. Returns how many points went. What is measured or written later
 * comes as if nothing had been there.
 *
 * Who writes by hand waits by the monitor's row, the roller by its lock. Who consolidates waits by the minutes, which are
 * locked behind the deletion of results, in the order of those who write results: a point is made either before, and then
 * it goes, or after, and then of what is left. Points beyond what retention keeps are in the roll-ups alone: whole hours
 * of them go where no status is asked for.
 */
export async function deletePoints(pool: pg.Pool, { monitorId, range, status }: PointFilter): Promise<number> {
  const engine = await engineOf(pool);
  const asked = [monitorId, range.from, range.to];
  const matching = [...asked, status && STATUS_CODE[status]];
  return inTransaction(pool, async (client) => {
    await engine.allowBulkChange(client);
    await client.query('select from monitors where id = $1 for update', [monitorId]);
    await lockRoller(client);
    if (status === undefined) await client.query(`delete from check_results where ${IN_RANGE}`, asked);
    else await client.query(DELETE_RESULTS_OF_STATUS, matching);
    // More minutes than there are locks take each of them.
    const locked = { from: range.from, to: Math.min(range.to, range.from + MINUTE_LOCKS * 60) };
    await lockMinutes(client, minutesOf(locked));
    const { rows } = await client.query<{ hour: number }>(HOURS, matching);
    const hours = rows.map(({ hour }) => hour);
    const { rowCount } = await client.query(`delete from data_points where ${IN_RANGE} and ${OF_STATUS}`, matching);
    await client.query(DELETE_ROLLED, [...asked, hours, status === undefined]);
    await client.query(MARK, [monitorId, hours]);
    return rowCount ?? 0;
  });
}

const IN_RANGE = 'monitor_id = $1 and minute >= to_timestamp($2) and minute < to_timestamp($3)';
const OF_STATUS = '($4::smallint is null or status = $4)';
const DELETE_RESULTS_OF_STATUS = `
  delete from check_results where ${IN_RANGE}
    and minute in (select minute from data_points where ${IN_RANGE} and status = $4)`;

/** Of the points that go. */
const HOURS = `
  select distinct floor(extract(epoch from minute) / ${HOUR_SECONDS})::int8 * ${HOUR_SECONDS} as hour
  from data_points where ${IN_RANGE} and ${OF_STATUS}`;
/** The roller makes no row where no point is left, and takes none away. $5: hours that lie in the range whole go too. */
const DELETE_ROLLED = `
  delete from data_points_hourly where monitor_id = $1 and (
    hour in (select to_timestamp(at) from unnest($4::int8[]) as at)
    or $5 and hour >= to_timestamp($2) and hour + interval '1 hour' <= to_timestamp($3))`;
const MARK = `
  insert into dirty_hours (monitor_id, hour) select $1, to_timestamp(at) from unnest($2::int8[]) as at
  where to_timestamp(at) < (select minute from cursors where name = 'rolled_to')`;
