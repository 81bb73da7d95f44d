import { expect } from 'vitest';
import type { IncidentComment } from '../../core/incident-comment.ts';
import type { Incident } from '../../core/incident.ts';
import type { Answer, ApiClient } from './api-client.ts';

/** Creates an incident through the API. */
export async function createIncident(api: ApiClient, fields: object = {}): Promise<Incident> {
  const answer = await api.post('/api/v4/incidents', { title: 'An incident', start_date_time: 600, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return incidentOf(answer);
}

export function incidentOf({ body }: Answer): Incident {
  // Held against the document by the client.
  return (body as { incident: Incident }).incident;
}

export function incidentsOf({ body }: Answer): Incident[] {
  // Held against the document by the client.
  return (body as { incidents: Incident[] }).incidents;
}

export function commentOf({ body }: Answer): IncidentComment {
  // Held against the document by the client.
  return (body as { comment: IncidentComment }).comment;
}

export function commentsOf({ body }: Answer): IncidentComment[] {
  // Held against the document by the client.
  return (body as { comments: IncidentComment[] }).comments;
}
