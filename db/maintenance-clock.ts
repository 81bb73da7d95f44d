import type pg from 'pg';
import { inTransaction, type Queryable } from './client.ts';
import { lockMaintenances } from './locks.ts';

/** Settings in `system`, and what they are unless somebody set them (reference §12). */
const READY_SECONDS = setting('maintenance_ready_seconds', 5 * 60);
const HORIZON_SECONDS = `${setting('maintenance_horizon_days', 30)} * 86400`;

/** SQL: the service's clock in whole unix seconds. */
export const EVENT_NOW = `floor(extract(epoch from service_now()))::bigint`;

/** SQL: the state that the times of an event `e` imply. */
export const IMPLIED_STATUS = `case
  when e.end_date_time <= ${EVENT_NOW} then 'COMPLETED'
  when e.start_date_time <= ${EVENT_NOW} then 'ONGOING'
  when e.start_date_time <= ${EVENT_NOW} + ${READY_SECONDS} then 'READY'
  else 'SCHEDULED' end`;

/** SQL: an event `e` whose time has come for a later state than it has. Only forward: one that was moved keeps its state. */
const IS_DUE = `(
  e.status = 'SCHEDULED' and e.start_date_time <= ${EVENT_NOW} + ${READY_SECONDS}
  or e.status in ('SCHEDULED', 'READY') and e.start_date_time <= ${EVENT_NOW}
  or e.status in ('SCHEDULED', 'READY', 'ONGOING') and e.end_date_time <= ${EVENT_NOW})`;

/** What the clock says, and up to when events are made; unix seconds. */
export interface PlanningTime {
  now: number;
  horizon: number;
}

export async function readPlanningTime(db: Queryable): Promise<PlanningTime> {
  const { rows } = await db.query<PlanningTime>(
    `select ${EVENT_NOW} as now, ${EVENT_NOW} + ${HORIZON_SECONDS} as horizon`,
  );
  const [time] = rows;
  if (!time) throw new Error('the database does not tell the time');
  return time;
}

/**
 * Moves the events of ACTIVE maintenances on to the states that their times imply, however long nobody did. Any number of
 * collectors may call it: one at a time works, the others leave it to that one. Returns how many events moved.
 */
export async function advanceEvents(pool: pg.Pool): Promise<number> {
  return inTransaction(pool, async (client) => {
    if (!(await lockMaintenances(client))) return 0;
    // In one order, and before the events: an edit holds the same row.
    const held = await client.query<{ id: number }>(
      `select id from maintenances where status = 'ACTIVE'
         and id in (select maintenance_id from maintenance_events e where ${IS_DUE})
       order by id for no key update`,
    );
    if (held.rows.length === 0) return 0;
    const { rowCount } = await client.query(
      `update maintenance_events e set status = ${IMPLIED_STATUS},
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
       where maintenance_id = any($1) and ${IS_DUE}`,
      [held.rows.map(({ id }) => id)],
    );
    return rowCount ?? 0;
  });
}

/** ACTIVE maintenances that are to have more events: an occurrence came into the horizon, or none lies ahead. */
export async function listDueMaintenances(db: Queryable): Promise<number[]> {
  const { rows } = await db.query<{ id: number }>(
    `select id from maintenances m where status = 'ACTIVE' and next_start is not null
       and (next_start <= ${EVENT_NOW} + ${HORIZON_SECONDS} or not ${hasEventAhead('m.id')})
     order by next_start`,
  );
  return rows.map(({ id }) => id);
}

/** Whether a window that is not cancelled starts later than now. */
export async function hasNextEvent(db: Queryable, maintenanceId: number): Promise<boolean> {
  const { rows } = await db.query<{ ahead: boolean }>(`select ${hasEventAhead('$1')} as ahead`, [maintenanceId]);
  return rows[0]?.ahead === true;
}

function hasEventAhead(maintenanceId: string): string {
  return `exists (select from maintenance_events where maintenance_id = ${maintenanceId}
    and start_date_time > ${EVENT_NOW} and status in ('SCHEDULED', 'READY'))`;
}

function setting(key: string, byDefault: number): string {
  return `coalesce((select value::bigint from system where key = '${key}'), ${byDefault})`;
}
