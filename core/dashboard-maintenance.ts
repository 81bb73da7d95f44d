import { z } from 'zod';
import { maintenanceEvent, NOT_AFTER, type MaintenanceEvent } from './maintenance-event.ts';
import {
  completeMaintenance,
  maintenancePatch,
  maintenanceResource,
  newMaintenanceFields,
  type Maintenance,
} from './maintenance.ts';
import { floorMinute } from './minute.ts';
import { impactReference, monitorImpacts, toMonitorImpacts } from './monitor-reference.ts';
import { describeRecurrence } from './recurrence-words.ts';
import { timestamp } from './timestamp.ts';

/** Maintenances and events in the words of the dashboard's endpoint (reference §7), where they differ from `/api/v4`. */

export const dashboardMaintenance = maintenanceResource
  .extend({
    monitors: z.array(impactReference),
    is_global: z.enum(['YES', 'NO']).meta({ description: 'Written without monitors: it is shown on every page' }),
    rrule_text: z.string().meta({ description: 'The rule in words', examples: ['every week on Sunday'] }),
    events: z
      .array(maintenanceEvent)
      .meta({ description: 'The last five that have begun and the next twenty, by start' }),
    upcoming_event: maintenanceEvent
      .nullable()
      .meta({ description: 'The first of them that is not over, or cancelled' }),
  })
  .meta({ id: 'DashboardMaintenance' });

/** A maintenance with what only the dashboard is told. */
export type MaintenanceRecord = Maintenance & { is_global: boolean; events: MaintenanceEvent[] };

export function toDashboardMaintenance(record: MaintenanceRecord): z.output<typeof dashboardMaintenance> {
  const { is_global, monitors, events, ...maintenance } = record;
  return {
    ...maintenance,
    monitors: toMonitorImpacts(monitors),
    is_global: is_global ? 'YES' : 'NO',
    rrule_text: describeRecurrence(maintenance.rrule) ?? '',
    events,
    upcoming_event: events.find(({ status }) => status !== 'COMPLETED' && status !== 'CANCELLED') ?? null,
  };
}

/** The data of `createMaintenance`. */
export const newDashboardMaintenance = newMaintenanceFields
  .extend({ monitors: monitorImpacts('MAINTENANCE').optional() })
  .transform(completeMaintenance);

/** What `updateMaintenance` changes: what is not named is kept. */
export const dashboardMaintenancePatch = maintenancePatch.extend({
  monitors: monitorImpacts('MAINTENANCE').optional(),
});

const times = {
  start_date_time: moment('start_date_time'),
  end_date_time: moment('end_date_time'),
};

/** When `createMaintenanceEvent` makes an event. */
export const newEventTimes = z.object(times).refine(isAscending, { path: ['end_date_time'], message: NOT_AFTER });

/** What `updateMaintenanceEvent` changes: what is not named is kept. */
export const eventTimesPatch = z
  .object(times)
  .partial()
  .refine(isAscending, { path: ['end_date_time'], message: NOT_AFTER });

function isAscending(given: { start_date_time?: number | undefined; end_date_time?: number | undefined }): boolean {
  const { start_date_time: start = -Infinity, end_date_time: end = Infinity } = given;
  return end > start;
}

function moment(name: string) {
  return timestamp(`${name} must be a valid timestamp (UTC seconds)`, `${name} is required`).transform(floorMinute);
}
