import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { commentPatch, commentResource, newComment, type IncidentComment } from '../../core/incident-comment.ts';
import { parsePathId } from '../../core/path-id.ts';
import { findComment, listComments } from '../../db/incident-comments.ts';
import type { Context } from '../context.ts';
import { route } from '../http/route.ts';
import { commentNotFound, patchComment, postComment, removeComment } from '../services/write-comment.ts';
import { incidentInPath } from './incidents.ts';

const commentAnswer = z.object({ comment: commentResource });

export const commentRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/incidents/{incident_id}/comments',
    summary: "List an incident's comments, newest first",
    permission: 'incidents.read',
    resource: incidentInPath,
    response: z.object({ comments: z.array(commentResource) }),
    handler: async ({ resource }, { db }) => ({ comments: await listComments(db, resource.id) }),
  }),
  route({
    method: 'POST',
    path: '/api/v4/incidents/{incident_id}/comments',
    summary: 'Post a comment; the incident takes its state, and from RESOLVED its end',
    permission: 'incidents.write',
    status: 201,
    resource: incidentInPath,
    body: newComment,
    example: { comment: 'A fix is out, we watch it', state: 'MONITORING' },
    response: commentAnswer,
    handler: async ({ resource, body }, { db }) => ({ comment: await postComment(db, resource.id, body) }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/incidents/{incident_id}/comments/{comment_id}',
    summary: 'Get a comment',
    permission: 'incidents.read',
    resource: commentInPath,
    response: commentAnswer,
    handler: async ({ resource }) => ({ comment: resource }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/incidents/{incident_id}/comments/{comment_id}',
    summary: 'Change a comment: what is not named is kept, and so is the incident',
    permission: 'incidents.write',
    resource: commentInPath,
    body: commentPatch,
    example: { comment: 'A fix is out' },
    response: commentAnswer,
    handler: async ({ resource, body }, { db }) => ({ comment: await patchComment(db, resource, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/incidents/{incident_id}/comments/{comment_id}',
    summary: 'Delete a comment; the incident keeps its state and end',
    permission: 'incidents.write',
    resource: commentInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource }, { db }) => {
      await removeComment(db, resource);
      return { message: `Comment with id '${resource.id}' deleted successfully` };
    },
  }),
];

/** The comment a path names, or what of it is not there: the incident first. */
async function commentInPath(
  path: { incident_id: string; comment_id: string },
  context: Context,
): Promise<IncidentComment> {
  const { id: incidentId } = await incidentInPath(path, context);
  if (!/^-?\d/.test(path.comment_id)) throw new AppError('BAD_REQUEST', 'Comment ID must be a valid integer');
  const id = parsePathId(path.comment_id);
  const comment = id && (await findComment(context.db, incidentId, id));
  if (!comment) throw commentNotFound(id ?? path.comment_id, incidentId);
  return comment;
}
