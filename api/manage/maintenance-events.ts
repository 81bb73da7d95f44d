import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { eventTimesPatch, newEventTimes } from '../../core/dashboard-maintenance.ts';
import {
  EVENT_STATUSES,
  finalStatus,
  flatEvent,
  maintenanceEvent,
  type MaintenanceEvent,
} from '../../core/maintenance-event.ts';
import { floorMinute } from '../../core/minute.ts';
import { rowId } from '../../core/row-id.ts';
import { timestamp } from '../../core/timestamp.ts';
import { readPlanningTime } from '../../db/maintenance-clock.ts';
import { findEventById, listAllEvents, listEvents } from '../../db/maintenance-events.ts';
import { findMaintenance } from '../../db/maintenances.ts';
import type { Context } from '../context.ts';
import { createEvent, patchEvent, removeEvent } from '../services/write-event.ts';
import { maintenanceNotFound } from '../services/write-maintenance.ts';
import { ACKNOWLEDGED, acknowledged } from './acknowledged.ts';
import { action } from './action.ts';
import { filterOf, textFilter } from './filter.ts';
import { paging } from './paging.ts';

const MAX_EVENTS = 1000;

const id = rowId('id');
const maintenance_id = rowId('maintenance_id');

export const eventActions = [
  action({
    name: 'getMaintenanceEvents',
    permission: 'maintenances.read',
    summary: 'List the events of a maintenance, by their start',
    data: z.object({ maintenance_id, ...paging(MAX_EVENTS, MAX_EVENTS), order: z.enum(['asc', 'desc']).optional() }),
    result: z.array(maintenanceEvent),
    run: async ({ maintenance_id: id, order, ...part }, { db }) => {
      if (!(await findMaintenance(db, id))) throw maintenanceNotFound(id);
      return listEvents(db, id, part, order);
    },
  }),
  action({
    name: 'getAllMaintenanceEvents',
    permission: 'maintenances.read',
    summary: 'List the events of all maintenances, by their start',
    data: z.object({
      ...paging(20, 100),
      event_start_date_time: timestamp('event_start_date_time must be a valid timestamp (UTC seconds)')
        .transform(floorMinute)
        .nullish()
        .meta({ description: 'Starts at or after; the current time by default' }),
      event_status: filterOf(EVENT_STATUSES),
      monitor_tag: textFilter,
      maintenance_id: maintenance_id.optional(),
    }),
    result: z.object({ events: z.array(flatEvent), total: z.int() }),
    run: async ({ event_start_date_time, event_status: status, monitor_tag: tag, maintenance_id, ...part }, { db }) => {
      const from = event_start_date_time ?? (await readPlanningTime(db)).now;
      const monitors = tag === undefined ? undefined : [tag];
      return listAllEvents(db, { from, status, monitors, maintenanceId: maintenance_id }, part);
    },
  }),
  action({
    name: 'getMaintenanceEvent',
    permission: 'maintenances.read',
    summary: 'Get an event',
    data: z.object({ id }),
    result: maintenanceEvent,
    run: ({ id }, context) => eventOf(id, context),
  }),
  action({
    name: 'createMaintenanceEvent',
    permission: 'maintenances.write',
    summary: 'Make an event of a maintenance beside those of its rule',
    data: z.object({ maintenance_id }).and(newEventTimes),
    result: maintenanceEvent,
    about: ({ maintenance_id }) => ({ maintenanceId: maintenance_id }),
    run: ({ maintenance_id: id, start_date_time, end_date_time }, { db }) =>
      createEvent(db, id, start_date_time, end_date_time),
  }),
  action({
    name: 'updateMaintenanceEvent',
    permission: 'maintenances.write',
    summary: 'Move one occurrence, or one of its ends',
    data: z.object({ id }).and(eventTimesPatch),
    result: acknowledged,
    about: ({ id }) => ({ eventId: id }),
    run: async ({ id, start_date_time: start, end_date_time: end }, context) => {
      await patchEvent(context.db, await eventOf(id, context), { kind: 'move', start, end });
      return ACKNOWLEDGED;
    },
  }),
  action({
    name: 'updateMaintenanceEventStatus',
    permission: 'maintenances.write',
    summary: 'Complete or cancel an event',
    data: z.object({ id, status: finalStatus }),
    result: maintenanceEvent,
    about: ({ id, status }) => ({ eventId: id, status }),
    run: async ({ id, status }, context) => patchEvent(context.db, await eventOf(id, context), { kind: 'end', status }),
  }),
  action({
    name: 'deleteMaintenanceEvent',
    permission: 'maintenances.write',
    summary: 'Delete one occurrence: it does not come again',
    data: z.object({ id }),
    result: acknowledged,
    about: ({ id }) => ({ eventId: id }),
    run: async ({ id }, context) => {
      await removeEvent(context.db, await eventOf(id, context));
      return ACKNOWLEDGED;
    },
  }),
];

async function eventOf(id: number, { db }: Pick<Context, 'db'>): Promise<MaintenanceEvent> {
  const event = await findEventById(db, id);
  if (!event) throw new AppError('NOT_FOUND', `Event with id '${id}' not found`);
  return event;
}
