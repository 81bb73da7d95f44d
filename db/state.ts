import type { Minute } from '../core/minute.ts';
import type { Queryable } from './client.ts';
import { writableRange } from './retention.ts';

/** Which life of the database this is, and what its clock says. */
export interface DatabaseState {
  /** Changes when the database is restored to an earlier time. */
  epoch: string;
  /** Changes with a failover. */
  timeline: string;
  /** The database's clock, unix milliseconds with fractions. */
  nowMs: number;
}

/** Reads epoch, timeline and clock in one statement. A standby has the timeline `recovery`. */
export async function readDatabaseState(db: Queryable): Promise<DatabaseState> {
  const { rows } = await db.query<DatabaseState>(
    `select (select value from system where key = 'epoch') as epoch,
       (select system_identifier::text from pg_control_system()) || ':' ||
         case when pg_is_in_recovery() then 'recovery' else left(pg_walfile_name(pg_current_wal_lsn()), 8) end as timeline,
       extract(epoch from service_now())::float8 * 1000 as "nowMs"`,
  );
  const [state] = rows;
  if (!state) throw new Error('the database says nothing of itself');
  return state;
}

/**
 * Says that the database begins another life: it was restored to an earlier time, and ids may come again that agents'
 * results already name. What was measured under another epoch is dropped from then on. Returns the new epoch.
 */
export async function beginEpoch(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ epoch: string }>(
    `update system set value = gen_random_uuid()::text where key = 'epoch' returning value as epoch`,
  );
  const [row] = rows;
  if (!row) throw new Error('the database has no epoch');
  return row.epoch;
}

/** The first minute whose regional results are still kept. */
export async function readResultsEdge(db: Queryable): Promise<Minute> {
  return (await writableRange(db, 'check_results')).from;
}
