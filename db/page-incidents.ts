import type { IncidentComment } from '../core/incident-comment.ts';
import type { Incident } from '../core/incident.ts';
import type { PageSettings } from '../core/page-settings.ts';
import type { Queryable } from './client.ts';
import { inScope, secondsOf, visibleMonitorsOf, type AffectedMonitor, type PublicScope } from './public-scope.ts';

/** More is no list that a person reads. */
const MAX_LISTED = 1000;
/** Days that no incident is older than. */
const MAX_DAYS = 36_500;

/** What everybody may see of an incident: the monitors it names are cut to the visible ones. Unix seconds. */
export interface PublicIncident {
  id: number;
  title: string;
  start: number;
  /** Null: open. */
  end: number | null;
  state: Incident['state'];
  monitors: AffectedMonitor[];
  /** The newest first. */
  comments: { id: number; text: string; timestamp: number; state: IncidentComment['state'] }[];
  publishedAt: number;
  /** The last change of the incident or of a comment. */
  changedAt: number;
}

const COLUMNS = `incidents.id, title, start_date_time as start, end_date_time as "end", incidents.state,
  ${visibleMonitorsOf('incidents')} as monitors, coalesce(comments, '[]') as comments,
  ${secondsOf('incidents.created_at')} as "publishedAt",
  ${secondsOf('greatest(incidents.updated_at, commented_at)')} as "changedAt"`;

/** Deleted comments leave a trace in what has changed only. */
const WITH_COMMENTS = `left join lateral (
  select max(updated_at) as commented_at,
    json_agg(json_build_object('id', id, 'text', comment, 'timestamp', timestamp, 'state', state)
      order by timestamp desc, id desc) filter (where status = 'ACTIVE') as comments
  from incident_comments where incident_id = incidents.id) commented on true`;

/**
 * The incidents that belong to a page (reference §12). Ongoing: without an end or with one after `nowSeconds`, whatever
 * the state, the newest start first. Resolved: as many and as old as the settings say, the newest end first. Whether the
 * settings show them at all is the caller's to ask.
 */
export async function listPageIncidents(
  db: Queryable,
  pageId: number,
  nowSeconds: number,
  { max_count, days_in_past }: PageSettings['incidents']['resolved'],
): Promise<{ ongoing: PublicIncident[]; resolved: PublicIncident[] }> {
  const { condition } = inScope('incidents', { page: pageId });
  const ongoing = await db.query<PublicIncident>(
    `select ${COLUMNS} from (
       select * from incidents where ${condition} and (end_date_time is null or end_date_time > $2)
       order by start_date_time desc, id desc limit ${MAX_LISTED}) incidents ${WITH_COMMENTS}
     order by start_date_time desc, incidents.id desc`,
    [pageId, nowSeconds],
  );
  const since = nowSeconds - Math.min(days_in_past, MAX_DAYS) * 86_400;
  const resolved = await db.query<PublicIncident>(
    `select ${COLUMNS} from (
       select * from incidents where ${condition} and end_date_time <= $2 and end_date_time >= $3
       order by end_date_time desc, id desc limit $4::bigint) incidents ${WITH_COMMENTS}
     order by end_date_time desc, incidents.id desc`,
    [pageId, nowSeconds, since, max_count],
  );
  return { ongoing: ongoing.rows, resolved: resolved.rows };
}

/** The incidents of a scope that touch `[from, to)`, the newest start first; at most a thousand. */
export async function listIncidentsBetween(
  db: Queryable,
  scope: PublicScope,
  { from, to }: { from: number; to: number },
): Promise<PublicIncident[]> {
  const { condition, value } = inScope('incidents', scope);
  const { rows } = await db.query<PublicIncident>(
    `select ${COLUMNS} from (
       select * from incidents
       where ${condition} and start_date_time < $3 and (end_date_time is null or end_date_time > $2)
       order by start_date_time desc, id desc limit ${MAX_LISTED}) incidents ${WITH_COMMENTS}
     order by start_date_time desc, incidents.id desc`,
    [value, from, to],
  );
  return rows;
}

/** The incident of that id where everybody may see it. */
export async function findPublicIncident(db: Queryable, id: number): Promise<PublicIncident | undefined> {
  const { condition, value } = inScope('incidents', 'everything');
  const { rows } = await db.query<PublicIncident>(
    `select ${COLUMNS} from incidents ${WITH_COMMENTS} where ${condition} and incidents.id = $2::bigint`,
    [value, id],
  );
  return rows[0];
}
