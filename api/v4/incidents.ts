import { z } from 'zod';
import { incidentPatch, incidentResource, newIncident, type Incident } from '../../core/incident.ts';
import { parsePathId } from '../../core/path-id.ts';
import { deleteIncident, findIncident, listIncidents } from '../../db/incidents.ts';
import type { Context } from '../context.ts';
import { commaList, lenientInteger } from '../http/query-values.ts';
import { route } from '../http/route.ts';
import { checkReferences } from '../services/monitor-references.ts';
import { createIncident, incidentNotFound, patchIncident } from '../services/write-incident.ts';

const incidentAnswer = z.object({ incident: incidentResource });

/** The references come last among the fields, so every other fault is told before an unknown tag. */
const bodyCheck = { after: ['title', 'start_date_time', 'end_date_time'], check: checkReferences };

/** The incident a path names, or its absence. */
export async function incidentInPath(path: { incident_id: string }, { db }: Context): Promise<Incident> {
  const id = parsePathId(path.incident_id);
  const incident = id && (await findIncident(db, id));
  if (!incident) throw incidentNotFound(id ?? path.incident_id);
  return incident;
}

export const incidentRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/incidents',
    summary: 'List incidents, newest first, at most 1,000',
    permission: 'incidents.read',
    query: z.object({
      start_ts: lenientInteger.meta({ description: 'Started at or after, UTC Unix seconds' }),
      end_ts: lenientInteger.meta({ description: 'Started at or before, UTC Unix seconds' }),
      monitor_tags: commaList.meta({ description: 'Comma-separated; linked to any of them' }),
    }),
    response: z.object({ incidents: z.array(incidentResource) }),
    handler: async ({ query }, { db }) => ({ incidents: await listIncidents(db, query) }),
  }),
  route({
    method: 'POST',
    path: '/api/v4/incidents',
    summary: 'Open an incident',
    permission: 'incidents.write',
    status: 201,
    body: newIncident,
    example: {
      title: 'Checkout is slow',
      start_date_time: 1_795_082_400,
      monitors: [],
    },
    bodyCheck,
    response: incidentAnswer,
    handler: async ({ body }, { db }) => ({ incident: await createIncident(db, body, 'API') }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/incidents/{incident_id}',
    summary: 'Get an incident',
    permission: 'incidents.read',
    resource: incidentInPath,
    response: incidentAnswer,
    handler: async ({ resource }) => ({ incident: resource }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/incidents/{incident_id}',
    summary: 'Change an incident: what is not named is kept, a null end reopens it',
    permission: 'incidents.write',
    resource: incidentInPath,
    body: incidentPatch,
    example: { end_date_time: null },
    bodyCheck,
    response: incidentAnswer,
    handler: async ({ resource, body }, { db }) => ({ incident: await patchIncident(db, resource.id, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/incidents/{incident_id}',
    summary: 'Delete an incident and its comments',
    permission: 'incidents.write',
    resource: incidentInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource: { id } }, { db }) => {
      if (!(await deleteIncident(db, id))) throw incidentNotFound(id);
      return { message: `Incident with id '${id}' deleted successfully` };
    },
  }),
];
