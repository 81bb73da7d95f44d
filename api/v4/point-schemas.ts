import { z } from 'zod';
import { floorMinute } from '../../core/minute.ts';
import {
  CAUSE_CODE,
  MAX_LATENCY_US,
  microsecondsOf,
  millisecondsOf,
  ORIGIN_CODE,
  POINT_STATUSES,
} from '../../core/outcome.ts';
import type { MonitorRow } from '../../db/monitors.ts';
import type { StoredPoint } from '../../db/points.ts';

/** What `/data` takes and gives (specification 2.4, 4.3; reference §1.1 and §12 "Points"). */

const origin = z.enum(namesOf(ORIGIN_CODE));
const milliseconds = z.number().min(0);

export const dataPoint = z
  .object({
    monitor_tag: z.string(),
    timestamp: z.int().multipleOf(60),
    status: z.enum(POINT_STATUSES),
    latency: milliseconds,
    type: origin,
  })
  .meta({ id: 'DataPoint' });

/** A stored point as answers show it. */
export function toDataPoint({ tag }: Pick<MonitorRow, 'tag'>, point: StoredPoint): z.output<typeof dataPoint> {
  return {
    monitor_tag: tag,
    timestamp: point.minute,
    status: point.status,
    latency: millisecondsOf(point.latencyUs),
    type: point.origin,
  };
}

/** One region's view of a minute: UNKNOWN with its cause included, and who measured. */
export const regionalPoint = z
  .object({
    monitor_tag: z.string(),
    timestamp: z.int().multipleOf(60),
    status: z.enum([...POINT_STATUSES, 'UNKNOWN']),
    latency: milliseconds.nullable(),
    type: origin,
    cause: z.enum(namesOf(CAUSE_CODE)),
    error: z.string().nullable(),
    agent: z.string().nullable().meta({ description: 'The agent that measured, by its name' }),
  })
  .meta({ id: 'RegionalPoint' });

const BOTH_PARAMETERS = 'Both start_ts and end_ts query parameters are required';
const VALID_PARAMETERS = 'start_ts and end_ts must be valid integers (UTC timestamps in seconds)';
const BOTH_FIELDS = 'start_ts and end_ts are required';
const VALID_FIELDS = 'start_ts and end_ts must be numbers (UTC timestamps in seconds)';
const ASCENDING = 'start_ts must be less than end_ts';
const STATUS = `must be one of: ${POINT_STATUSES.join(', ')}`;
const LATENCY = 'must be a non-negative number';

const range = {
  start_ts: leadingInteger(VALID_PARAMETERS),
  end_ts: leadingInteger(VALID_PARAMETERS),
};
const ascending = ({ start_ts, end_ts }: { start_ts: number; end_ts: number }): boolean => start_ts < end_ts;

export const rangeQuery = bothPresent(z.object(range).refine(ascending, ASCENDING), BOTH_PARAMETERS);

/** A range, seen from everywhere or from one region. */
export const dataQuery = bothPresent(
  z
    .object({
      ...range,
      region: z.string().optional().meta({ description: "One region's view instead of the consolidated one" }),
    })
    .refine(ascending, ASCENDING),
  BOTH_PARAMETERS,
);

/** Tells what is missing before what is wrong, and the order of the range before the other fields. */
export const rangeOverwrite = bothPresent(
  z
    .object({ start_ts: z.int(VALID_FIELDS), end_ts: z.int(VALID_FIELDS) })
    .refine(({ start_ts, end_ts }) => start_ts < end_ts, ASCENDING)
    .and(
      z.object({
        status: z.enum(POINT_STATUSES, `status is required and ${STATUS}`),
        latency: latency(`latency is required and ${LATENCY}`),
        deviation: latency(`deviation ${LATENCY}`).nullish(),
      }),
    ),
  BOTH_FIELDS,
);

export const pointOverwrite = z.object({
  status: z.enum(POINT_STATUSES, `status ${STATUS}`).optional(),
  latency: latency(`latency ${LATENCY}`).optional(),
});

/** The minute a path names. */
export const timestampParameter = z.object({
  timestamp: leadingInteger('Timestamp must be a valid integer (UTC timestamp in seconds)').transform(floorMinute),
});

/** Whole microseconds of a client's milliseconds. */
export function latency(message: string) {
  const limit = MAX_LATENCY_US / 1000;
  return z
    .number(message)
    .min(0, message)
    .max(limit, `must be at most ${limit} milliseconds`)
    .transform(microsecondsOf);
}

/** Leading digits count, the rest is dropped (reference §1.1). */
function leadingInteger(message: string) {
  return z
    .string(message)
    .regex(/^\s*[+-]?\d/, message)
    .transform((text) => Number.parseInt(text, 10))
    .meta({ type: 'integer', pattern: undefined, description: 'UTC Unix seconds' });
}

function bothPresent<S extends z.ZodType>(schema: S, message: string) {
  return z.preprocess((input, context) => {
    // The toolkit hands over objects only.
    const { start_ts, end_ts } = input as Record<string, unknown>;
    if (start_ts === undefined || end_ts === undefined) {
      const path = [start_ts === undefined ? 'start_ts' : 'end_ts'];
      context.issues.push({ code: 'custom', message, input, path });
    }
    return input;
  }, schema);
}

function namesOf<K extends string>(codes: Record<K, number>): K[] {
  // Object.keys forgets the names of a closed record.
  return Object.keys(codes) as K[];
}
