import type { EventStatus, FlatEvent, MaintenanceEvent } from '../core/maintenance-event.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { EVENT_NOW, IMPLIED_STATUS } from './maintenance-clock.ts';
import { referencesOf } from './monitor-references.ts';
import type { Paging } from './paging.ts';

/** Who writes events holds the row of their maintenance (`lockMaintenance`). */

const COLUMNS = `id, maintenance_id, start_date_time, end_date_time, status, ${isoText('created_at')},
  ${isoText('updated_at')}`;
const TOUCHED = `updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')`;

export interface EventFilter {
  /** Unix seconds: starts at or after. */
  from: number;
  status?: EventStatus;
  monitors?: readonly string[];
  maintenanceId?: number;
}

/** One maintenance's events, by start; or the last first. */
export async function listEvents(
  db: Queryable,
  maintenanceId: number,
  { page, limit }: Paging,
  order: 'asc' | 'desc' = 'asc',
): Promise<MaintenanceEvent[]> {
  const { rows } = await db.query<MaintenanceEvent>(
    `select ${COLUMNS} from maintenance_events where maintenance_id = $1
     order by start_date_time ${order}, id ${order} limit $2 offset ($3::bigint - 1) * $2`,
    [maintenanceId, limit, page],
  );
  return rows;
}

/** The event of that id, or undefined where it is none of this maintenance. */
export async function findEvent(
  db: Queryable,
  maintenanceId: number,
  id: number,
): Promise<MaintenanceEvent | undefined> {
  const { rows } = await db.query<MaintenanceEvent>(
    `select ${COLUMNS} from maintenance_events where maintenance_id = $1 and id = $2`,
    [maintenanceId, id],
  );
  return rows[0];
}

/** The event of that id, whichever maintenance it is of, or undefined. */
export async function findEventById(db: Queryable, id: number): Promise<MaintenanceEvent | undefined> {
  const { rows } = await db.query<MaintenanceEvent>(`select ${COLUMNS} from maintenance_events where id = $1`, [id]);
  return rows[0];
}

/** Events of all maintenances by start, and how many there are on all pages. */
export async function listAllEvents(
  db: Queryable,
  filter: EventFilter,
  { page, limit }: Paging,
): Promise<{ events: FlatEvent[]; total: number }> {
  const conditions = ['e.start_date_time >= $1'];
  const values: unknown[] = [filter.from];
  const narrow = (value: unknown, condition: (place: string) => string): void => {
    if (value !== undefined) conditions.push(condition(`$${values.push(value)}`));
  };
  narrow(filter.status, (place) => `e.status = ${place}`);
  narrow(filter.maintenanceId, (place) => `e.maintenance_id = ${place}::bigint`);
  narrow(
    filter.monitors,
    (place) => `e.maintenance_id in (select maintenance_id from maintenance_monitors
      join monitors on monitors.id = monitor_id where tag = any(${place}))`,
  );
  const matching = `from maintenance_events e where ${conditions.join(' and ')}`;
  const counted = await db.query<{ total: number }>(`select count(*) as total ${matching}`, values);
  const { rows } = await db.query<FlatEvent>(
    `select m.id as maintenance_id, e.id as event_id, e.start_date_time as event_start_date_time,
       e.end_date_time as event_end_date_time, e.status as event_status, m.title as maintenance_title,
       m.description as maintenance_description, m.status as maintenance_status, m.rrule as maintenance_rrule,
       m.duration_seconds as maintenance_duration_seconds, ${referencesOf('maintenance_monitors', 'm.id')} as monitors
     from (
       select * ${matching} order by e.start_date_time, e.id
       limit $${values.length + 1} offset ($${values.length + 2}::bigint - 1) * $${values.length + 1}
     ) e join maintenances m on m.id = e.maintenance_id
     order by e.start_date_time, e.id`,
    [...values, limit, page],
  );
  return { events: rows, total: counted.rows[0]?.total ?? 0 };
}

/**
 * Makes the events of these starts, in the state that their times imply; not of windows that are over, nor again of an
 * occurrence that has its event.
 */
export async function insertEvents(
  client: Queryable,
  maintenanceId: number,
  starts: readonly number[],
  durationSeconds: number,
): Promise<void> {
  await client.query(
    `insert into maintenance_events (maintenance_id, original_start, start_date_time, end_date_time, status)
     select $1, start_date_time, start_date_time, end_date_time, ${IMPLIED_STATUS}
     from (select start, start + $3::bigint from unnest($2::bigint[]) as start) as e (start_date_time, end_date_time)
     where end_date_time > ${EVENT_NOW}
     on conflict (maintenance_id, original_start) do nothing`,
    [maintenanceId, starts, durationSeconds],
  );
}

/**
 * Makes an event of a locked maintenance that its rule need not name, in the state that its times imply. It stands for
 * the occurrence of the rule that starts with it, unless there is an event for that already: one that was moved away.
 */
export async function insertEvent(
  client: Queryable,
  maintenanceId: number,
  start: number,
  end: number,
): Promise<MaintenanceEvent> {
  const { rows } = await client.query<MaintenanceEvent>(
    `insert into maintenance_events (maintenance_id, original_start, start_date_time, end_date_time, status)
     select maintenance_id, case when exists (
         select from maintenance_events known where (known.maintenance_id, original_start) = ($1, start_date_time))
       then null else start_date_time end, start_date_time, end_date_time, ${IMPLIED_STATUS}
     from (select $1::integer as maintenance_id, $2::bigint as start_date_time, $3::bigint as end_date_time) e
     returning ${COLUMNS}`,
    [maintenanceId, start, end],
  );
  const [event] = rows;
  if (!event) throw new Error('an insert without a condition inserted nothing');
  return event;
}

/** Removes what a changed schedule replaces: SCHEDULED events in the future, moved ones included. */
export async function deleteFutureEvents(client: Queryable, maintenanceId: number): Promise<void> {
  await client.query(
    `delete from maintenance_events
     where maintenance_id = $1 and status = 'SCHEDULED' and start_date_time > ${EVENT_NOW}`,
    [maintenanceId],
  );
}

/** Gives an event other times; its status stays. */
export async function moveEvent(
  client: Queryable,
  id: number,
  start: number,
  end: number,
): Promise<MaintenanceEvent | undefined> {
  const { rows } = await client.query<MaintenanceEvent>(
    `update maintenance_events set start_date_time = $2, end_date_time = $3, ${TOUCHED} where id = $1
     returning ${COLUMNS}`,
    [id, start, end],
  );
  return rows[0];
}

/**
 * Completes or cancels an event. One that is under way ends with the current minute, at least one after its start, and
 * never later than planned (reference §1.4); the window of another stays.
 */
export async function endEvent(
  client: Queryable,
  id: number,
  status: 'COMPLETED' | 'CANCELLED',
): Promise<MaintenanceEvent | undefined> {
  const { rows } = await client.query<MaintenanceEvent>(
    `update maintenance_events set status = $2, ${TOUCHED},
       cancelled_at = case when $2 = 'CANCELLED' then ${EVENT_NOW} end,
       end_date_time = case when status = 'ONGOING'
         then least(end_date_time, greatest(${EVENT_NOW} / 60 * 60, start_date_time + 60)) else end_date_time end
     where id = $1 returning ${COLUMNS}`,
    [id, status],
  );
  return rows[0];
}

/** Deletes an event; the horizon never makes it again. False where it is gone already. */
export async function deleteEvent(client: Queryable, maintenanceId: number, id: number): Promise<boolean> {
  const { rowCount } = await client.query('delete from maintenance_events where maintenance_id = $1 and id = $2', [
    maintenanceId,
    id,
  ]);
  return rowCount === 1;
}
