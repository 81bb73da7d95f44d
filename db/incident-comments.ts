import type { CommentPatch, IncidentComment, NewComment } from '../core/incident-comment.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';

const COLUMNS = `id, incident_id, comment, timestamp, state, ${isoText('created_at')}, ${isoText('updated_at')}`;

/** An incident's comments that are not deleted, the newest first. */
export async function listComments(db: Queryable, incidentId: number): Promise<IncidentComment[]> {
  const { rows } = await db.query<IncidentComment>(
    `select ${COLUMNS} from incident_comments where incident_id = $1 and status = 'ACTIVE'
     order by timestamp desc, id desc`,
    [incidentId],
  );
  return rows;
}

/** The comment of that id, if it is this incident's and not deleted. */
export async function findComment(db: Queryable, incidentId: number, id: number): Promise<IncidentComment | undefined> {
  const { rows } = await db.query<IncidentComment>(
    `select ${COLUMNS} from incident_comments where id = $2 and incident_id = $1 and status = 'ACTIVE'`,
    [incidentId, id],
  );
  return rows[0];
}

/** What is posted: without a timestamp now, without a state the incident's own. */
export type PostedComment = Partial<NewComment> & Pick<NewComment, 'comment'>;

/**
 * Posts a comment; the incident takes its state, and from a RESOLVED one its end. One statement, and the incident's row
 * is locked before the comment gets its id: the last comment and the incident's state agree, whoever posts at once.
 * `reopens`: a state other than RESOLVED takes the end from an incident that was RESOLVED, as in the dashboard.
 * Undefined where the incident is gone.
 */
export async function insertComment(
  db: Queryable,
  incidentId: number,
  fields: PostedComment,
  { reopens } = { reopens: false },
): Promise<IncidentComment | undefined> {
  const { rows } = await db.query<IncidentComment>(
    `with moment as (
       select coalesce($4, (floor(extract(epoch from service_now()) / 60) * 60)::bigint) as timestamp
     ), incident as (
       update incidents set state = coalesce($3, state),
         end_date_time = case when coalesce($3, state) = 'RESOLVED' then moment.timestamp
           when not ($5 and state = 'RESOLVED') then end_date_time end,
         updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
       from moment where id = $1 returning id, state, moment.timestamp
     )
     insert into incident_comments (incident_id, comment, timestamp, state)
     select id, $2, timestamp, state from incident returning ${COLUMNS}`,
    [incidentId, fields.comment, fields.state, fields.timestamp, reopens],
  );
  return rows[0];
}

/** Changes what the patch names of a comment that is not deleted; the incident stays as it is. */
export async function updateComment(
  db: Queryable,
  incidentId: number,
  id: number,
  patch: CommentPatch,
): Promise<IncidentComment | undefined> {
  const { rows } = await db.query<IncidentComment>(
    `update incident_comments set comment = coalesce($3, comment), timestamp = coalesce($4, timestamp),
       state = coalesce($5, state), updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $2 and incident_id = $1 and status = 'ACTIVE' returning ${COLUMNS}`,
    [incidentId, id, patch.comment, patch.timestamp, patch.state],
  );
  return rows[0];
}

/** Marks a comment DELETED; false where it is so already, or gone. */
export async function deleteComment(db: Queryable, incidentId: number, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update incident_comments set status = 'DELETED',
       updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $2 and incident_id = $1 and status = 'ACTIVE'`,
    [incidentId, id],
  );
  return rowCount === 1;
}
