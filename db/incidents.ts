import type { IncidentRecord, IncidentStatus } from '../core/dashboard-incident.ts';
import type { Incident, IncidentFields } from '../core/incident.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { referencesOf } from './monitor-references.ts';
import type { Paging } from './paging.ts';

/** Reference §1.2: no list is longer. */
const MAX_LISTED = 1000;

/** What a list is cut by: starts within both seconds, inclusive; named any of the tags. */
export interface IncidentFilter {
  start_ts?: number;
  end_ts?: number;
  monitor_tags?: readonly string[];
}

/** What a client writes, and whether the incident is meant for everybody: it names no monitor. */
type Written = IncidentFields & { is_global: boolean };

const COLUMNS = `id, title, start_date_time, end_date_time, state, incident_type, incident_source,
  ${referencesOf('incident_monitors', 'incidents.id')} as monitors, ${isoText('created_at')}, ${isoText('updated_at')}`;

/** Only where tags are given: behind an `or` it would not be looked up but tried on every incident. */
const NAMES_ANY_OF_3 = `id in (
  select incident_id from incident_monitors join monitors on monitors.id = monitor_id where tag = any($3))`;

/** Incidents by filters, id descending, the first 1,000. */
export async function listIncidents(db: Queryable, filter: IncidentFilter): Promise<Incident[]> {
  const { start_ts, end_ts, monitor_tags } = filter;
  const { rows } = await db.query<Incident>(
    `select ${COLUMNS} from incidents
     where ($1::bigint is null or start_date_time >= $1) and ($2::bigint is null or start_date_time <= $2)
       ${monitor_tags ? `and ${NAMES_ANY_OF_3}` : ''}
     order by id desc limit ${MAX_LISTED}`,
    [start_ts, end_ts, ...(monitor_tags ? [monitor_tags] : [])],
  );
  return rows;
}

/** The incident of that id, or undefined. */
export async function findIncident(db: Queryable, id: number): Promise<Incident | undefined> {
  const { rows } = await db.query<Incident>(`select ${COLUMNS} from incidents where id = $1`, [id]);
  return rows[0];
}

const NOW = '(select extract(epoch from service_now())::bigint)';
/** Each a condition that the index of ends can answer. */
const OF_STATUS: Record<IncidentStatus, string> = {
  OPEN: `(end_date_time is null or end_date_time > ${NOW})`,
  CLOSED: `end_date_time <= ${NOW}`,
};
const RECORD = `${COLUMNS}, is_global, ${OF_STATUS.OPEN} as is_open,
  exists (select from monitor_alerts where incident_id = incidents.id) as has_alert`;

/** A part of the incidents, id descending, and how many there are on all pages. */
export async function listIncidentRecords(
  db: Queryable,
  { status, state }: { status?: IncidentStatus | undefined; state?: Incident['state'] | undefined },
  { page, limit }: Paging,
): Promise<{ incidents: IncidentRecord[]; total: number }> {
  const matching = `from incidents where ($1::text is null or state = $1) and ${status ? OF_STATUS[status] : 'true'}`;
  const counted = await db.query<{ total: number }>(`select count(*) as total ${matching}`, [state]);
  // Chosen before they are read whole: what a page leaves out costs no look-up of its monitors.
  const { rows } = await db.query<IncidentRecord>(
    `select ${RECORD} from (
       select * ${matching} order by id desc limit $2 offset ($3::bigint - 1) * $2
     ) incidents order by id desc`,
    [state, limit, page],
  );
  return { incidents: rows, total: counted.rows[0]?.total ?? 0 };
}

/** The incident of that id with what only the dashboard is told, or undefined. */
export async function findIncidentRecord(db: Queryable, id: number): Promise<IncidentRecord | undefined> {
  const { rows } = await db.query<IncidentRecord>(`select ${RECORD} from incidents where id = $1`, [id]);
  return rows[0];
}

/** What a client has written of an incident; no one else changes it until the transaction ends. */
export async function lockIncident(client: Queryable, id: number): Promise<Written | undefined> {
  const { rows } = await client.query<Written>(
    'select title, start_date_time, end_date_time, is_global from incidents where id = $1 for update',
    [id],
  );
  return rows[0];
}

/** Stores a new incident without its references; it is being investigated. Returns its id. */
export async function insertIncident(
  client: Queryable,
  fields: Written,
  source: Incident['incident_source'],
): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into incidents (title, start_date_time, end_date_time, is_global, state, incident_source)
     values ($1, $2, $3, $4, 'INVESTIGATING', $5) returning id`,
    [fields.title, fields.start_date_time, fields.end_date_time, fields.is_global, source],
  );
  const [row] = rows;
  if (!row) throw new Error('an insert without a condition inserted nothing');
  return row.id;
}

/** Writes what clients write of a locked incident; `updated_at` moves by at least the millisecond that answers show. */
export async function updateIncident(client: Queryable, id: number, fields: Written): Promise<void> {
  await client.query(
    `update incidents set title = $2, start_date_time = $3, end_date_time = $4, is_global = $5,
       updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $1`,
    [id, fields.title, fields.start_date_time, fields.end_date_time, fields.is_global],
  );
}

/** Deletes an incident with its comments and references; alerts forget it. False where it is gone already. */
export async function deleteIncident(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from incidents where id = $1', [id]);
  return rowCount === 1;
}
