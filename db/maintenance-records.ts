import type { MaintenanceRecord } from '../core/dashboard-maintenance.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { EVENT_NOW } from './maintenance-clock.ts';
import { MAINTENANCE_COLUMNS } from './maintenances.ts';
import type { Paging } from './paging.ts';

/** Maintenances as the dashboard is told of them, each with the events around now. */

const BEGUN = 5;
const NEXT = 20;

const EVENT = `json_build_object('id', e.id, 'maintenance_id', e.maintenance_id,
  'start_date_time', e.start_date_time, 'end_date_time', e.end_date_time, 'status', e.status,
  'created_at', e.created_at, 'updated_at', e.updated_at)`;
const EVENT_COLUMNS = `id, maintenance_id, start_date_time, end_date_time, status, ${isoText('created_at')},
  ${isoText('updated_at')}`;

/** A subquery: a volatile function alone is nothing that an index is searched by. */
const NOW = `(select ${EVENT_NOW})`;

/** From both sides of now, so that however many events there are only these are looked at. */
const EVENTS = `coalesce((
  select json_agg(${EVENT} order by e.start_date_time, e.id) from (
    (select ${EVENT_COLUMNS} from maintenance_events
     where maintenance_id = maintenances.id and start_date_time <= ${NOW}
     order by start_date_time desc, id desc limit ${BEGUN})
    union all
    (select ${EVENT_COLUMNS} from maintenance_events
     where maintenance_id = maintenances.id and start_date_time > ${NOW}
     order by start_date_time, id limit ${NEXT})) e), '[]')`;

const RECORD = `${MAINTENANCE_COLUMNS}, is_global, ${EVENTS} as events`;

/** A part of the maintenances, id descending, and how many there are on all pages. */
export async function listMaintenanceRecords(
  db: Queryable,
  { status }: { status?: 'ACTIVE' | 'INACTIVE' | undefined },
  { page, limit }: Paging,
): Promise<{ maintenances: MaintenanceRecord[]; total: number }> {
  const matching = 'from maintenances where ($1::text is null or status = $1)';
  const counted = await db.query<{ total: number }>(`select count(*) as total ${matching}`, [status]);
  const { rows } = await db.query<MaintenanceRecord>(
    `select ${RECORD} from (
       select * ${matching} order by id desc limit $2 offset ($3::bigint - 1) * $2
     ) maintenances order by id desc`,
    [status, limit, page],
  );
  return { maintenances: rows, total: counted.rows[0]?.total ?? 0 };
}

/** The maintenance of that id, or undefined. */
export async function findMaintenanceRecord(db: Queryable, id: number): Promise<MaintenanceRecord | undefined> {
  const { rows } = await db.query<MaintenanceRecord>(`select ${RECORD} from maintenances where id = $1`, [id]);
  return rows[0];
}
