import { z } from 'zod';
import {
  commentPatch,
  commentResource,
  newComment,
  type CommentPatch,
  type IncidentComment,
} from './incident-comment.ts';
import { completeIncident, incidentPatch, incidentResource, newIncidentFields, type Incident } from './incident.ts';
import { floorMinute } from './minute.ts';
import { impactReference, monitorImpacts, toMonitorImpacts } from './monitor-reference.ts';
import { timestamp } from './timestamp.ts';

/** Incidents and comments in the words of the dashboard's endpoint (reference §7), where they differ from `/api/v4`. */

/** OPEN: without an end, or with one that has not come, whatever the state. */
export const INCIDENT_STATUSES = ['OPEN', 'CLOSED'] as const;
export type IncidentStatus = (typeof INCIDENT_STATUSES)[number];

export const dashboardIncident = incidentResource
  .extend({
    monitors: z.array(impactReference),
    status: z.enum(INCIDENT_STATUSES).meta({ description: 'Open without an end, or with one that has not come' }),
    is_global: z.enum(['YES', 'NO']).meta({ description: 'Written without monitors: it is shown on every page' }),
    isAutoCreated: z.boolean().meta({ description: 'An alert is linked to it' }),
  })
  .meta({ id: 'DashboardIncident' });

/** An incident with what only the dashboard is told. */
export type IncidentRecord = Incident & { is_open: boolean; is_global: boolean; has_alert: boolean };

export function toDashboardIncident(record: IncidentRecord): z.output<typeof dashboardIncident> {
  const { is_open, is_global, has_alert, monitors, ...incident } = record;
  return {
    ...incident,
    monitors: toMonitorImpacts(monitors),
    status: is_open ? 'OPEN' : 'CLOSED',
    is_global: is_global ? 'YES' : 'NO',
    isAutoCreated: has_alert,
  };
}

/** The data of `createIncident`. */
export const newDashboardIncident = newIncidentFields
  .extend({ monitors: monitorImpacts('DOWN').optional() })
  .transform(completeIncident);

/** What `updateIncident` changes: what is not named is kept. */
export const dashboardIncidentPatch = incidentPatch.extend({ monitors: monitorImpacts('DOWN').optional() });

export const dashboardComment = commentResource
  .omit({ timestamp: true })
  .extend({ commented_at: commentResource.shape.timestamp, status: z.literal('ACTIVE') })
  .meta({ id: 'DashboardComment' });

export function toDashboardComment({ timestamp, ...comment }: IncidentComment): z.output<typeof dashboardComment> {
  return { ...comment, commented_at: timestamp, status: 'ACTIVE' };
}

const commentedAt = timestamp('commented_at must be a valid timestamp (UTC seconds)').transform(floorMinute);

/** What `addComment` writes; without a state the incident keeps its own. */
export const newDashboardComment = newComment.omit({ timestamp: true }).extend({
  state: commentPatch.shape.state,
  commented_at: commentedAt.nullish(),
});

/** What `updateComment` changes: what is not named is kept. */
export const dashboardCommentPatch = commentPatch
  .omit({ timestamp: true })
  .extend({ commented_at: commentedAt.optional() });

export function toCommentPatch(patch: z.output<typeof dashboardCommentPatch>): CommentPatch {
  const { comment, state, commented_at } = patch;
  return { comment, state, timestamp: commented_at };
}
