import type { EventStatus } from '../core/maintenance-event.ts';
import type { PageSettings } from '../core/page-settings.ts';
import type { Queryable } from './client.ts';
import { EVENT_NOW } from './maintenance-clock.ts';
import { inScope, secondsOf, visibleMonitorsOf, type AffectedMonitor, type PublicScope } from './public-scope.ts';

/** More is no list that a person reads. */
const MAX_LISTED = 1000;
/** Days that no event is further away than. */
const MAX_DAYS = 36_500;

/** What everybody may see of one window of a maintenance. Unix seconds. */
export interface PublicMaintenance {
  maintenanceId: number;
  eventId: number;
  title: string;
  description: string | null;
  start: number;
  end: number;
  /** What its times imply where the clock has not moved it on yet. */
  status: EventStatus;
  monitors: AffectedMonitor[];
  publishedAt: number;
  changedAt: number;
}

const COLUMNS = `maintenances.id as "maintenanceId", e.id as "eventId", title, description, e.start_date_time as start,
  e.end_date_time as "end", case
    when e.status in ('COMPLETED', 'CANCELLED') then e.status
    when e.end_date_time <= ${EVENT_NOW} then 'COMPLETED'
    when e.start_date_time <= ${EVENT_NOW} then 'ONGOING'
    else e.status end as status,
  ${visibleMonitorsOf('maintenances')} as monitors, ${secondsOf('e.created_at')} as "publishedAt",
  ${secondsOf('greatest(e.updated_at, maintenances.updated_at)')} as "changedAt"`;

/** Windows of ACTIVE maintenances; cancelled ones only where they had begun, unless they are asked for. */
const WINDOWS = `from maintenances join maintenance_events e on e.maintenance_id = maintenances.id
  where maintenances.status = 'ACTIVE'`;
const NOT_CALLED_OFF = `(e.status <> 'CANCELLED' or e.cancelled_at > e.start_date_time)`;

/**
 * The windows of maintenances that belong to a page (reference §12): those that run, those to come and those that have
 * passed, each as many and as far away as the settings say; the nearest to `nowSeconds` first. One that was cancelled
 * before it began is in no list. Whether the settings show them at all is the caller's to ask.
 */
export async function listPageMaintenances(
  db: Queryable,
  pageId: number,
  nowSeconds: number,
  { past, upcoming }: PageSettings['include_maintenances']['ongoing'],
): Promise<Record<'ongoing' | 'upcoming' | 'past', PublicMaintenance[]>> {
  const { condition } = inScope('maintenances', { page: pageId });
  const list = async (which: string, values: number[]): Promise<PublicMaintenance[]> => {
    const sql = `select ${COLUMNS} ${WINDOWS} and ${condition} and ${NOT_CALLED_OFF} and ${which}`;
    const { rows } = await db.query<PublicMaintenance>(sql, [pageId, nowSeconds, ...values]);
    return rows;
  };
  const seconds = (days: number): number => Math.min(days, MAX_DAYS) * 86_400;
  const ongoing = await list(
    `e.status not in ('COMPLETED', 'CANCELLED') and e.start_date_time <= $2 and e.end_date_time > $2
     order by e.start_date_time desc, e.id desc limit ${MAX_LISTED}`,
    [],
  );
  const coming = await list(
    `e.status in ('SCHEDULED', 'READY') and e.start_date_time > $2 and e.start_date_time <= $3
     order by e.start_date_time, e.id limit $4::bigint`,
    [nowSeconds + seconds(upcoming.days_in_future), upcoming.max_count],
  );
  const passed = await list(
    `(e.end_date_time <= $2 or e.status in ('COMPLETED', 'CANCELLED')) and e.end_date_time >= $3
     order by e.end_date_time desc, e.id desc limit $4::bigint`,
    [nowSeconds - seconds(past.days_in_past), past.max_count],
  );
  return { ongoing, upcoming: coming, past: passed };
}

/** The windows of a scope that touch `[from, to)`, also those that were cancelled; the latest start first. */
export async function listMaintenancesBetween(
  db: Queryable,
  scope: PublicScope,
  { from, to }: { from: number; to: number },
): Promise<PublicMaintenance[]> {
  const { condition, value } = inScope('maintenances', scope);
  const { rows } = await db.query<PublicMaintenance>(
    `select ${COLUMNS} ${WINDOWS} and ${condition} and e.start_date_time < $3 and e.end_date_time > $2
     order by e.start_date_time desc, e.id desc limit ${MAX_LISTED}`,
    [value, from, to],
  );
  return rows;
}

/** From both sides of now, so that one that comes every hour still tells of the next. */
const AROUND_NOW = MAX_LISTED / 2;
/** A subquery: a volatile function alone is nothing that an index is searched by. */
const NOW = `(select ${EVENT_NOW})`;
const WINDOWS_AROUND_NOW = `
  (select * from maintenance_events where maintenance_id = $1::bigint and end_date_time > $2 and start_date_time <= ${NOW}
   order by start_date_time desc, id desc limit ${AROUND_NOW})
  union all
  (select * from maintenance_events where maintenance_id = $1::bigint and end_date_time > $2 and start_date_time > ${NOW}
   order by start_date_time, id limit ${AROUND_NOW})`;

/**
 * What everybody may see of a maintenance and of its windows that end after `since`, the earliest first: the last that
 * have begun, and the next.
 */
export async function findPublicMaintenance(
  db: Queryable,
  id: number,
  since: number,
): Promise<{ title: string; description: string | null; events: PublicMaintenance[] } | undefined> {
  const { condition, value } = inScope('maintenances', 'everything');
  const found = await db.query<{ title: string; description: string | null }>(
    `select title, description from maintenances
     where ${condition} and maintenances.status = 'ACTIVE' and maintenances.id = $2::bigint`,
    [value, id],
  );
  const [maintenance] = found.rows;
  if (!maintenance) return undefined;
  const { rows } = await db.query<PublicMaintenance>(
    `select ${COLUMNS} from maintenances join (${WINDOWS_AROUND_NOW}) e on e.maintenance_id = maintenances.id
     where maintenances.id = $1::bigint order by e.start_date_time, e.id`,
    [id, since],
  );
  return { ...maintenance, events: rows };
}
