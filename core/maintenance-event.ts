import { z } from 'zod';
import { MAINTENANCE_STATUSES } from './maintenance.ts';
import { floorMinute } from './minute.ts';
import { monitorReference } from './monitor-reference.ts';
import type { Expansion } from './recurrence.ts';
import { timestamp } from './timestamp.ts';

/** The windows of maintenances (specification 2.6, 4.4; reference §1.4 and §12). */

export const EVENT_STATUSES = ['SCHEDULED', 'READY', 'ONGOING', 'COMPLETED', 'CANCELLED'] as const;
export type EventStatus = (typeof EVENT_STATUSES)[number];

const seconds = z.int();
const status = z.enum(EVENT_STATUSES);

/** An event as answers show it. */
export const maintenanceEvent = z
  .object({
    id: z.int(),
    maintenance_id: z.int(),
    start_date_time: seconds,
    end_date_time: seconds,
    status,
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'MaintenanceEvent' });
export type MaintenanceEvent = z.output<typeof maintenanceEvent>;

/** An event with its maintenance, as the list over all of them shows it. */
export const flatEvent = z
  .object({
    maintenance_id: z.int(),
    event_id: z.int(),
    event_start_date_time: seconds,
    event_end_date_time: seconds,
    event_status: status,
    maintenance_title: z.string(),
    maintenance_description: z.string().nullable(),
    maintenance_status: z.enum(MAINTENANCE_STATUSES),
    maintenance_rrule: z.string(),
    maintenance_duration_seconds: z.int().min(1),
    monitors: z.array(monitorReference),
  })
  .meta({ id: 'FlatMaintenanceEvent' });
export type FlatEvent = z.output<typeof flatEvent>;

const START = 'start_date_time must be a valid timestamp (UTC seconds)';
const END = 'end_date_time must be a valid timestamp (UTC seconds)';
/** What is said of an event that would end before it begins. */
export const NOT_AFTER = 'end_date_time must be after start_date_time';
const FINAL = ['COMPLETED', 'CANCELLED'] as const;
/** What a person may end an event with. */
export const finalStatus = z.enum(FINAL, 'status must be COMPLETED or CANCELLED');

const patchFields = z
  .object({
    status: finalStatus.optional(),
    start_date_time: timestamp(START).transform(floorMinute).optional(),
    end_date_time: timestamp(END).transform(floorMinute).optional(),
  })
  .refine(({ start_date_time: start, end_date_time: end }) => start === undefined || end === undefined || end > start, {
    path: ['end_date_time'],
    message: NOT_AFTER,
  });

/** What a PATCH does to an event: moves it, or an end of it, or ends it. */
export type EventPatch =
  | { kind: 'move'; start?: number | undefined; end?: number | undefined }
  | { kind: 'end'; status: (typeof FINAL)[number] };

/** The body of PATCH: either both times or a status. Tells what is missing before what is wrong. */
export const eventPatch = z
  .preprocess((input, context) => {
    // The toolkit hands over objects only.
    const problem = missingIn(input as Record<string, unknown>);
    if (problem) context.issues.push({ code: 'custom', input, ...problem });
    return input;
  }, patchFields)
  .transform(({ status, start_date_time: start, end_date_time: end }, context): EventPatch => {
    if (status !== undefined) return { kind: 'end', status };
    if (start !== undefined && end !== undefined) return { kind: 'move', start, end };
    context.addIssue('start_date_time is required');
    return z.NEVER;
  });

function missingIn(body: Record<string, unknown>): { path: string[]; message: string } | undefined {
  const times = ['start_date_time', 'end_date_time'];
  const isNamed = times.some((name) => body[name] !== undefined);
  if (body.status !== undefined)
    return isNamed
      ? { path: ['status'], message: 'Cannot update status and start/end times in the same request' }
      : undefined;
  const missing = times.find((name) => body[name] === undefined || body[name] === null);
  return missing === undefined ? undefined : { path: [missing], message: `${missing} is required` };
}

/** Whether an event of this status can be ended so (reference §1.4). */
export function canEnd(from: EventStatus, to: (typeof FINAL)[number]): boolean {
  return from === 'ONGOING' || (to === 'CANCELLED' && (from === 'SCHEDULED' || from === 'READY'));
}

/** The windows to make events of: those within the horizon, and always the next one. */
export interface Windows {
  starts: number[];
  /** The first that is left for later; null where the rule ends. */
  next: number | null;
}

/** Chooses windows for a maintenance; `hasNext`: it has an event later than `now` already. */
export function chooseWindows({ within, following }: Expansion, now: number, hasNext = false): Windows {
  const isNextWithin = hasNext || within.some((start) => start > now);
  const starts = isNextWithin ? within : [...within, ...following.slice(0, 1)];
  return { starts, next: following[isNextWithin ? 0 : 1] ?? null };
}
