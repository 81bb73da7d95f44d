import { z } from 'zod';
import {
  dashboardComment,
  dashboardCommentPatch,
  newDashboardComment,
  toCommentPatch,
  toDashboardComment,
} from '../../core/dashboard-incident.ts';
import { rowId } from '../../core/row-id.ts';
import { listComments } from '../../db/incident-comments.ts';
import { findIncident } from '../../db/incidents.ts';
import { patchComment, postComment, removeComment } from '../services/write-comment.ts';
import { incidentNotFound } from '../services/write-incident.ts';
import { ONE_ROW, oneRow } from './acknowledged.ts';
import { action } from './action.ts';

const incident_id = rowId('incident_id');
const comment_id = rowId('comment_id');

export const commentActions = [
  action({
    name: 'getComments',
    permission: 'incidents.read',
    summary: "List an incident's comments, newest first",
    data: z.object({ incident_id }),
    result: z.array(dashboardComment),
    run: async ({ incident_id: id }, { db }) => {
      if (!(await findIncident(db, id))) throw incidentNotFound(id);
      return (await listComments(db, id)).map(toDashboardComment);
    },
  }),
  action({
    name: 'addComment',
    permission: 'incidents.write',
    summary:
      'Post a comment; the incident takes its state, from RESOLVED its end, and loses that where it was RESOLVED',
    data: newDashboardComment.extend({ incident_id }),
    result: dashboardComment,
    about: ({ incident_id, state }) => ({ incidentId: incident_id, state }),
    run: async ({ incident_id: id, commented_at: timestamp, ...fields }, { db }) =>
      toDashboardComment(await postComment(db, id, { ...fields, timestamp }, { reopens: true })),
  }),
  action({
    name: 'updateComment',
    permission: 'incidents.write',
    summary: 'Change a comment: what is not named is kept, and so is the incident',
    data: dashboardCommentPatch.extend({ incident_id, comment_id }),
    result: oneRow,
    about: ({ incident_id, comment_id }) => ({ incidentId: incident_id, commentId: comment_id }),
    run: async ({ incident_id, comment_id: id, ...patch }, { db }) => {
      await patchComment(db, { incident_id, id }, toCommentPatch(patch));
      return ONE_ROW;
    },
  }),
  action({
    name: 'deleteComment',
    permission: 'incidents.write',
    summary: 'Delete a comment; the incident keeps its state and end',
    data: z.object({ incident_id, comment_id }),
    result: oneRow,
    about: ({ incident_id, comment_id }) => ({ incidentId: incident_id, commentId: comment_id }),
    run: async ({ incident_id, comment_id: id }, { db }) => {
      await removeComment(db, { incident_id, id });
      return ONE_ROW;
    },
  }),
];
