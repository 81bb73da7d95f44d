import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import {
  EVENT_STATUSES,
  eventPatch,
  flatEvent,
  maintenanceEvent,
  type MaintenanceEvent,
} from '../../core/maintenance-event.ts';
import { floorMinute } from '../../core/minute.ts';
import { parsePathId } from '../../core/path-id.ts';
import { readPlanningTime } from '../../db/maintenance-clock.ts';
import { findEvent, listAllEvents, listEvents } from '../../db/maintenance-events.ts';
import type { Context } from '../context.ts';
import { commaList, lenientInteger } from '../http/query-values.ts';
import { route } from '../http/route.ts';
import { eventNotFound, patchEvent, removeEvent } from '../services/write-event.ts';
import { maintenanceInPath } from './maintenances.ts';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 100;

const eventAnswer = z.object({ event: maintenanceEvent });

/** Never an error (reference §1.4): what is no number, and a limit of 0, give the default, and the rest is brought inside. */
const paging = {
  page: lenientInteger
    .transform((page) => Math.max(page ?? 1, 1))
    .meta({ type: 'integer', description: 'From 1, which is the default' }),
  limit: lenientInteger
    .transform((limit) => Math.min(Math.max(limit ?? DEFAULT_LIMIT, 1), MAX_LIMIT))
    .meta({ type: 'integer', description: `At most ${MAX_LIMIT}, ${DEFAULT_LIMIT} by default` }),
};

/** 0 counts, unlike elsewhere. */
const from = z
  .string()
  .optional()
  .transform((text) => {
    const seconds = Number.parseInt(text ?? '', 10);
    if (Number.isNaN(seconds)) return undefined;
    return floorMinute(Math.max(Math.min(seconds, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER));
  })
  .meta({ type: 'integer', description: 'Starts at or after, UTC Unix seconds; the current time by default' });

const eventStatus = z
  .string()
  .transform((text) => EVENT_STATUSES.find((status) => status === text.toUpperCase()))
  .optional()
  .meta({ description: `One of ${EVENT_STATUSES.join(', ')}, in any case` });

/** The event a path names, or its absence. */
async function eventInPath(
  path: { maintenance_id: string; event_id: string },
  context: Context,
): Promise<MaintenanceEvent> {
  const maintenance = await maintenanceInPath(path, context);
  if (!/^\d/.test(path.event_id)) throw new AppError('NOT_FOUND', 'Event not found');
  const id = parsePathId(path.event_id);
  const event = id && (await findEvent(context.db, maintenance.id, id));
  if (!event) throw eventNotFound(id ?? path.event_id);
  return event;
}

/** Before the routes of one maintenance, whose ids `events` would else be taken for. */
export const allEventsRoute = route({
  method: 'GET',
  path: '/api/v4/maintenances/events',
  summary: 'List the events of all maintenances, by their start',
  permission: 'maintenances.read',
  query: z.object({
    ...paging,
    event_start_date_time: from,
    event_status: eventStatus,
    monitors: commaList.meta({ description: 'Comma-separated tags; linked to any of them' }),
    maintenance_id: lenientInteger,
  }),
  response: z.object({ events: z.array(flatEvent), page: z.int(), limit: z.int(), total: z.int() }),
  handler: async ({ query: { page, limit, ...query } }, { db }) => {
    const filter = {
      from: query.event_start_date_time ?? (await readPlanningTime(db)).now,
      status: query.event_status,
      monitors: query.monitors,
      maintenanceId: query.maintenance_id,
    };
    const { events, total } = await listAllEvents(db, filter, { page, limit });
    return { events, page, limit, total };
  },
});

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/maintenances/{maintenance_id}/events',
    summary: 'List the events of a maintenance, by their start',
    permission: 'maintenances.read',
    resource: maintenanceInPath,
    query: z.object(paging),
    response: z.object({ events: z.array(maintenanceEvent), page: z.int(), limit: z.int() }),
    handler: async ({ resource, query }, { db }) => {
      return { events: await listEvents(db, resource.id, query), page: query.page, limit: query.limit };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v4/maintenances/{maintenance_id}/events/{event_id}',
    summary: 'Get an event',
    permission: 'maintenances.read',
    resource: eventInPath,
    response: eventAnswer,
    handler: async ({ resource }) => ({ event: resource }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/maintenances/{maintenance_id}/events/{event_id}',
    summary: 'Move one occurrence, or complete or cancel it',
    permission: 'maintenances.write',
    resource: eventInPath,
    body: eventPatch,
    example: { start_date_time: 1_795_086_000, end_date_time: 1_795_089_600 },
    response: eventAnswer,
    handler: async ({ resource, body }, { db }) => ({ event: await patchEvent(db, resource, body) }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v4/maintenances/{maintenance_id}/events/{event_id}',
    summary: 'Delete one occurrence: it does not come again',
    permission: 'maintenances.write',
    resource: eventInPath,
    response: z.object({ message: z.string() }),
    handler: async ({ resource }, { db }) => {
      await removeEvent(db, resource);
      return { message: `Event with id '${resource.id}' deleted successfully` };
    },
  }),
];
