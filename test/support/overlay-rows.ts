import type pg from 'pg';

/** An event as a row; seconds. */
export interface EventRow {
  from: number;
  to: number;
  impact: string;
  /** Without: COMPLETED. */
  status?: string;
  cancelledAt?: number;
  /** Of the maintenance. Without: ACTIVE. */
  maintenance?: string;
}

/** Adds a maintenance of one monitor with one event, straight into the tables: states that the clock takes long to make. */
export async function addEvent(pool: pg.Pool, monitorId: number, event: EventRow): Promise<void> {
  const { from, to, impact, status = 'COMPLETED', cancelledAt = null, maintenance = 'ACTIVE' } = event;
  await pool.query(
    `with maintenance as (
       insert into maintenances (title, start_date_time, rrule, duration_seconds, status, is_global)
       values ('x', $2, 'FREQ=DAILY;COUNT=1', $3::bigint - $2::bigint, $7, false) returning id
     ), named as (
       insert into maintenance_monitors (maintenance_id, monitor_id, impact, position) select id, $1, $4, 1 from maintenance
     )
     insert into maintenance_events (maintenance_id, original_start, start_date_time, end_date_time, status, cancelled_at)
     select id, $2, $2, $3, $5, $6 from maintenance`,
    [monitorId, from, to, impact, status, cancelledAt, maintenance],
  );
}

/** Adds an incident of one monitor, straight into the tables; null: open. */
export async function addIncident(
  pool: pg.Pool,
  monitorId: number,
  impact: string,
  from: number,
  to: number | null,
): Promise<void> {
  await pool.query(
    `with incident as (
       insert into incidents (title, start_date_time, end_date_time, state, incident_source, is_global)
       values ('x', $3, $4, 'RESOLVED', 'API', false) returning id)
     insert into incident_monitors (incident_id, monitor_id, impact, position) select id, $1, $2, 1 from incident`,
    [monitorId, impact, from, to],
  );
}
