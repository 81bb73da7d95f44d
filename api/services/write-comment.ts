import { AppError } from '../../core/app-error.ts';
import type { CommentPatch, IncidentComment } from '../../core/incident-comment.ts';
import type { Queryable } from '../../db/client.ts';
import { deleteComment, insertComment, updateComment, type PostedComment } from '../../db/incident-comments.ts';
import { incidentNotFound } from './write-incident.ts';

/** Posts a comment; the incident follows it, see `insertComment`. */
export async function postComment(
  db: Queryable,
  incidentId: number,
  fields: PostedComment,
  options?: { reopens: boolean },
): Promise<IncidentComment> {
  const comment = await insertComment(db, incidentId, fields, options);
  if (!comment) throw incidentNotFound(incidentId);
  return comment;
}

/** Changes what the patch names of a comment; the incident stays as it is. */
export async function patchComment(
  db: Queryable,
  { incident_id, id }: Pick<IncidentComment, 'incident_id' | 'id'>,
  patch: CommentPatch,
): Promise<IncidentComment> {
  const comment = await updateComment(db, incident_id, id, patch);
  if (!comment) throw commentNotFound(id, incident_id);
  return comment;
}

/** Marks a comment deleted; the incident stays as it is. */
export async function removeComment(
  db: Queryable,
  { incident_id, id }: Pick<IncidentComment, 'incident_id' | 'id'>,
): Promise<void> {
  if (!(await deleteComment(db, incident_id, id))) throw commentNotFound(id, incident_id);
}

/** `id`: as the path has it where it is no number. */
export function commentNotFound(id: number | string, incidentId: number): AppError {
  return new AppError('NOT_FOUND', `Comment with id '${id}' not found for incident '${incidentId}'`);
}
