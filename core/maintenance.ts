import { z } from 'zod';
import { floorMinute } from './minute.ts';
import { monitorReference, monitorReferences, type MonitorReference } from './monitor-reference.ts';
import { parseRecurrenceRule } from './recurrence-rule.ts';
import { checkStorableText } from './storable.ts';
import { isTimeZone } from './time-zone.ts';
import { timestamp } from './timestamp.ts';

/** Maintenances (specification 2.5, 4.4; reference §1.4 and §12): literal messages, checks in order of keys. */

export const MAINTENANCE_STATUSES = ['ACTIVE', 'INACTIVE'] as const;
/** The message of a rule that is none, or that cannot be expanded in time. */
export const INVALID_RRULE = 'rrule is not a valid iCalendar RRULE string';

/** What the column holds: 68 years. */
const MAX_DURATION = 2_147_483_647;
const START = 'start_date_time must be a valid timestamp (UTC seconds)';
const DURATION = 'duration_seconds must be a positive number';
const STATUS = "status must be 'ACTIVE' or 'INACTIVE'";
const TIMEZONE = 'timezone must be an IANA time zone name';

const description = z
  .string('description must be a string or null')
  .superRefine(checkStorableText)
  .transform((text) => (text === '' ? null : text))
  .nullable();
const timezone = z
  .string(TIMEZONE)
  .refine(isTimeZone, TIMEZONE)
  .nullable()
  .transform((name) => name ?? 'UTC')
  .meta({ description: 'Whose wall clock the rule keeps to; null: UTC', examples: ['Europe/Berlin'] });
const monitors = monitorReferences('MAINTENANCE');

/** A maintenance as answers show it, keys in the reference's order. */
export const maintenanceResource = z
  .object({
    id: z.int(),
    title: z.string(),
    description: z.string().nullable(),
    start_date_time: z.int().multipleOf(60),
    rrule: z.string().meta({ examples: ['FREQ=WEEKLY;BYDAY=SA,SU'] }),
    duration_seconds: z.int().min(1),
    status: z.enum(MAINTENANCE_STATUSES),
    monitors: z.array(monitorReference),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
    timezone: z.string(),
  })
  .meta({ id: 'Maintenance' });
export type Maintenance = z.output<typeof maintenanceResource>;

/** What decides when the windows are. */
export interface Schedule {
  start_date_time: number;
  rrule: string;
  duration_seconds: number;
  timezone: string;
}

/** What a client writes of a maintenance, besides its monitors. */
export interface MaintenanceFields extends Schedule {
  title: string;
  description: string | null;
  status: (typeof MAINTENANCE_STATUSES)[number];
}

export type NewMaintenance = MaintenanceFields & { monitors: MonitorReference[] };

/** What POST reads. */
export const newMaintenanceFields = z.object({
  title: text('title is required and must be a non-empty string'),
  start_date_time: timestamp(START, 'start_date_time is required').transform(floorMinute),
  rrule: rule('rrule is required and must be a non-empty string'),
  duration_seconds: duration('duration_seconds is required'),
  description: description.optional(),
  timezone: timezone.optional(),
  monitors: monitors.optional(),
});

/** The body of POST. A status there is ignored. */
export const newMaintenance = newMaintenanceFields.transform(completeMaintenance);

/** The body of PATCH: what is not named is kept, monitors replace the whole list. */
export const maintenancePatch = z
  .object({
    title: text('title must be a non-empty string'),
    start_date_time: timestamp(START).transform(floorMinute),
    rrule: rule('rrule must be a non-empty string'),
    duration_seconds: duration(DURATION),
    status: z.enum(MAINTENANCE_STATUSES, STATUS),
    description,
    timezone,
    monitors,
  })
  .partial();
export type MaintenancePatch = z.output<typeof maintenancePatch>;

/** Whether two schedules name the same windows, so far as their texts tell. */
export function isSameSchedule(a: Schedule, b: Schedule): boolean {
  return (
    a.start_date_time === b.start_date_time &&
    a.rrule.toUpperCase() === b.rrule.toUpperCase() &&
    a.duration_seconds === b.duration_seconds &&
    a.timezone === b.timezone
  );
}

/** With what POST gives where nothing is said. */
export function completeMaintenance(fields: z.output<typeof newMaintenanceFields>): NewMaintenance {
  const { description = null, timezone = 'UTC', monitors = [] } = fields;
  return { ...fields, description, timezone, status: 'ACTIVE', monitors };
}

function text(message: string) {
  return z.string(message).trim().min(1, message).superRefine(checkStorableText);
}

function rule(required: string) {
  return z
    .string(required)
    .trim()
    .min(1, required)
    .refine((value) => parseRecurrenceRule(value) !== null, INVALID_RRULE)
    .meta({ examples: ['FREQ=DAILY;COUNT=1'] });
}

function duration(required: string) {
  return z
    .int({ error: ({ input }) => (input === undefined || input === null ? required : DURATION) })
    .min(1, DURATION)
    .max(MAX_DURATION, DURATION);
}
