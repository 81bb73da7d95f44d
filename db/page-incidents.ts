import type { Incident } from '../core/incident.ts';
import type { PageSettings } from '../core/page-settings.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';

/** More is no list that a person reads. */
const MAX_ONGOING = 1000;
/** Days that no incident is older than. */
const MAX_DAYS = 36_500;

/** What of an incident may be seen by everybody: the monitors it names are cut to the visible ones. */
const COLUMNS = `id, title, start_date_time, end_date_time, state, incident_type, incident_source,
  coalesce((
    select json_agg(json_build_object('monitor_tag', tag, 'impact', impact) order by position)
    from incident_monitors join monitors on monitors.id = monitor_id
    where incident_id = incidents.id and is_hidden = 'NO' and status = 'ACTIVE'), '[]') as monitors,
  ${isoText('created_at')}, ${isoText('updated_at')}`;

/** Of the page $1: named with one of its visible monitors, or written without any. */
const BELONGS = `(is_global or id in (
  select incident_id from page_monitors
  join monitors on monitors.id = page_monitors.monitor_id and is_hidden = 'NO' and status = 'ACTIVE'
  join incident_monitors on incident_monitors.monitor_id = monitors.id
  where page_id = $1))`;

/**
 * The incidents that belong to a page (reference §12), as everybody may see them. Ongoing: without an end or with one
 * after `nowSeconds`, whatever the state, the newest start first. Resolved: as many and as old as the settings say, the
 * newest end first. Whether the settings show them at all is the caller's to ask.
 */
export async function listPageIncidents(
  db: Queryable,
  pageId: number,
  nowSeconds: number,
  { max_count, days_in_past }: PageSettings['incidents']['resolved'],
): Promise<{ ongoing: Incident[]; resolved: Incident[] }> {
  const ongoing = await db.query<Incident>(
    `select ${COLUMNS} from incidents where ${BELONGS} and (end_date_time is null or end_date_time > $2)
     order by start_date_time desc, id desc limit ${MAX_ONGOING}`,
    [pageId, nowSeconds],
  );
  const since = nowSeconds - Math.min(days_in_past, MAX_DAYS) * 86_400;
  const resolved = await db.query<Incident>(
    `select ${COLUMNS} from incidents where ${BELONGS} and end_date_time <= $2 and end_date_time >= $3
     order by end_date_time desc, id desc limit $4::bigint`,
    [pageId, nowSeconds, since, max_count],
  );
  return { ongoing: ongoing.rows, resolved: resolved.rows };
}
