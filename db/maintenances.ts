import type { Maintenance, MaintenanceFields } from '../core/maintenance.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { referencesOf } from './monitor-references.ts';

export interface MaintenanceFilter {
  status?: 'ACTIVE' | 'INACTIVE';
  monitor_tag?: string;
}

/** What is stored besides what a client writes. */
interface Planned {
  /** It names no monitor, so it is meant for everybody. */
  is_global: boolean;
  /** The first occurrence without an event, null where the rule has ended. */
  next_start: number | null;
}

/** A maintenance as its writers hold it. */
export type StoredMaintenance = MaintenanceFields & Planned;

const FIELDS = 'title, description, start_date_time, rrule, duration_seconds, timezone, status, is_global, next_start';

export const MAINTENANCE_COLUMNS = `id, title, description, start_date_time, rrule, duration_seconds, status,
  ${referencesOf('maintenance_monitors', 'maintenances.id')} as monitors, ${isoText('created_at')},
  ${isoText('updated_at')}, timezone`;

/** Maintenances by exact filters, id descending. */
export async function listMaintenances(db: Queryable, filter: MaintenanceFilter): Promise<Maintenance[]> {
  const { rows } = await db.query<Maintenance>(
    `select ${MAINTENANCE_COLUMNS} from maintenances
     where ($1::text is null or status = $1) and ($2::text is null or id in (
       select maintenance_id from maintenance_monitors join monitors on monitors.id = monitor_id where tag = $2))
     order by id desc`,
    [filter.status, filter.monitor_tag],
  );
  return rows;
}

/** The maintenance of that id, or undefined. */
export async function findMaintenance(db: Queryable, id: number): Promise<Maintenance | undefined> {
  const { rows } = await db.query<Maintenance>(`select ${MAINTENANCE_COLUMNS} from maintenances where id = $1`, [id]);
  return rows[0];
}

/** What is stored of a maintenance, as its writers need it; undefined where it is gone. */
export async function readMaintenance(db: Queryable, id: number): Promise<StoredMaintenance | undefined> {
  const { rows } = await db.query<StoredMaintenance>(`select ${FIELDS} from maintenances where id = $1`, [id]);
  return rows[0];
}

/** As `readMaintenance`, and no one else changes it or its events until the transaction ends. */
export async function lockMaintenance(client: Queryable, id: number): Promise<StoredMaintenance | undefined> {
  const { rows } = await client.query<StoredMaintenance>(
    `select ${FIELDS} from maintenances where id = $1 for no key update`,
    [id],
  );
  return rows[0];
}

/** Stores a new maintenance without its references and events. Returns its id. */
export async function insertMaintenance(client: Queryable, fields: StoredMaintenance): Promise<number> {
  const { rows } = await client.query<{ id: number }>(
    `insert into maintenances (${FIELDS}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning id`,
    valuesOf(fields),
  );
  const [row] = rows;
  if (!row) throw new Error('an insert without a condition inserted nothing');
  return row.id;
}

/** Writes a locked maintenance; `updated_at` moves by at least the millisecond that answers show. */
export async function updateMaintenance(client: Queryable, id: number, fields: StoredMaintenance): Promise<void> {
  await client.query(
    `update maintenances set (${FIELDS}, updated_at) =
       ($1, $2, $3, $4, $5, $6, $7, $8, $9, greatest(clock_timestamp(), updated_at + interval '1 millisecond'))
     where id = $10`,
    [...valuesOf(fields), id],
  );
}

/** Remembers how far the events of a locked maintenance were made; clients see nothing of it. */
export async function setNextStart(client: Queryable, id: number, nextStart: number | null): Promise<void> {
  await client.query('update maintenances set next_start = $2 where id = $1', [id, nextStart]);
}

/** Deletes a maintenance with its events and references. False where it is gone already. */
export async function deleteMaintenance(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from maintenances where id = $1', [id]);
  return rowCount === 1;
}

function valuesOf(fields: StoredMaintenance): (string | number | boolean | null)[] {
  const { title, description, start_date_time, rrule, duration_seconds, timezone, status } = fields;
  return [
    title,
    description,
    start_date_time,
    rrule,
    duration_seconds,
    timezone,
    status,
    fields.is_global,
    fields.next_start,
  ];
}
