import { expect } from 'vitest';
import type { FlatEvent, MaintenanceEvent } from '../../core/maintenance-event.ts';
import type { Maintenance } from '../../core/maintenance.ts';
import type { Answer, ApiClient } from './api-client.ts';

export const MAINTENANCES = '/api/v4/maintenances';

/** Plans a maintenance through the API: by default one window of an hour, now. */
export async function createMaintenance(api: ApiClient, fields: object = {}): Promise<Maintenance> {
  const now = Math.floor(Date.now() / 1000);
  const body = { title: 'A maintenance', start_date_time: now, rrule: 'FREQ=DAILY;COUNT=1', duration_seconds: 3600 };
  const answer = await api.post(MAINTENANCES, { ...body, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return maintenanceOf(answer);
}

export function maintenanceOf({ body }: Answer): Maintenance {
  // Held against the document by the client.
  return (body as { maintenance: Maintenance }).maintenance;
}

export function maintenancesOf({ body }: Answer): Maintenance[] {
  // Held against the document by the client.
  return (body as { maintenances: Maintenance[] }).maintenances;
}

export function eventOf({ body }: Answer): MaintenanceEvent {
  // Held against the document by the client.
  return (body as { event: MaintenanceEvent }).event;
}

export interface FlatEventList {
  events: FlatEvent[];
  page: number;
  limit: number;
  total: number;
}

export function flatEventsOf({ body }: Answer): FlatEventList {
  // Held against the document by the client.
  return body as FlatEventList;
}

/** Every event of a maintenance, by start. */
export async function eventsOf(api: ApiClient, id: number): Promise<MaintenanceEvent[]> {
  const events: MaintenanceEvent[] = [];
  for (let page = 1; ; page += 1) {
    const answer = await api.get(`${MAINTENANCES}/${id}/events?page=${page}&limit=100`);
    expect(answer.status, answer.text).toBe(200);
    // Held against the document by the client.
    const { events: more } = answer.body as { events: MaintenanceEvent[] };
    events.push(...more);
    if (more.length < 100) return events;
  }
}
