import { z } from 'zod';
import { AppError, problemOf } from './app-error.ts';
import { parseCron } from './cron.ts';
import { POINT_STATUSES } from './outcome.ts';
import { checkStorableJson, checkStorableText } from './storable.ts';
import { isProbeKind, TYPE_DATA, type ConfigOf, type ProbeKind } from './type-data.ts';
import { FORMULA_FAULT, parseFormula } from './uptime-formula.ts';

/** The monitor resource (specification 2.3, 4.3; reference §1.1 and §12): literal messages, checks in order of keys. */

export const ACTIVITIES = ['ACTIVE', 'INACTIVE'] as const;
export const YES_NO = ['YES', 'NO'] as const;

/** A tag is indexed, and an index row has a limit. */
const MAX_TAG_LENGTH = 255;
const MAX_CRON_LENGTH = 255;
const TAG = /^[a-z0-9]([a-z0-9_-]*[a-z0-9])?$/;
const TAG_REQUIRED = 'Tag is required and must be a non-empty string';
const TAG_PATTERN =
  'Tag must be URL-friendly: only lowercase letters, numbers, hyphens, and underscores. Must start and end with a letter or number.';
const THRESHOLD = 'confirmation_threshold must be an integer between 1 and 60';
const MAX_QUORUM = 32_767;
const QUORUM = "quorum must be 'any', 'majority', 'all' or a positive integer";
const QUORUM_MEANS =
  "How many of the regions that know must say DOWN for a DOWN point: 'any' one; 'majority', the default, but at least two where two or more run the monitor; 'all'; or that many, at most those that run it. With fewer the point is DEGRADED. Holds from the next minute.";
const REGIONS_MEAN =
  'The regions that run the monitor and vote, by name; each must exist. Left out or null: all. Holds from the next minute.';

/** What an answer shows where nobody has set any settings (reference §1.1). */
export const DEFAULT_SETTINGS = {
  uptime_formula_numerator: 'up + maintenance + degraded',
  uptime_formula_denominator: 'up + down + degraded + maintenance',
} as const;

const tag = z
  .string(TAG_REQUIRED)
  .trim()
  .min(1, TAG_REQUIRED)
  .regex(TAG, TAG_PATTERN)
  .max(MAX_TAG_LENGTH, `Tag must be at most ${MAX_TAG_LENGTH} characters`)
  .meta({ examples: ['web-eu'] });

const cronText = z
  .string('cron must be a string or null')
  .trim()
  .max(MAX_CRON_LENGTH, `cron must be at most ${MAX_CRON_LENGTH} characters`)
  .refine((text) => parseCron(text) !== null, 'cron must be a cron expression of five fields, in UTC')
  .nullable()
  .meta({ examples: ['* * * * *'] });

const settings = z
  .looseObject(
    {
      quorum: z
        .union([z.enum(['any', 'majority', 'all'], QUORUM), integerIn(1, MAX_QUORUM, QUORUM)], QUORUM)
        .nullish()
        .meta({ description: QUORUM_MEANS }),
      regions: z
        .array(z.string('regions must be an array of region names'), 'regions must be an array of region names')
        .min(1, 'regions must name at least one region')
        .nullish()
        .meta({ description: REGIONS_MEAN }),
      uptime_formula_numerator: formula(),
      uptime_formula_denominator: formula(),
    },
    'monitor_settings_json must be an object or null',
  )
  .superRefine(checkStorableJson)
  .nullable();

const threshold = z.union(
  [
    integerIn(1, 60, THRESHOLD),
    z
      .string()
      .trim()
      .min(1, THRESHOLD)
      .transform(Number)
      .pipe(integerIn(1, 60, THRESHOLD)),
  ],
  THRESHOLD,
);

/** What a client may write, without defaults and in the order of the checks; `name` has its own message in each use. */
const writable = {
  confirmation_threshold: threshold,
  description: optionalText('description'),
  image: optionalText('image'),
  cron: cronText,
  default_status: oneOf('default_status', POINT_STATUSES).nullable(),
  status: oneOf('status', ACTIVITIES).nullable(),
  category_name: optionalText('category_name'),
  monitor_type: z
    .string('monitor_type must be a non-empty string')
    .trim()
    .min(1, 'monitor_type must be a non-empty string')
    .superRefine(checkStorableText)
    .meta({ examples: ['PING', 'TCP', 'DNS'] }),
  type_data: z
    .record(z.string(), z.unknown(), 'type_data must be an object or null')
    .superRefine(checkStorableJson)
    .nullable(),
  include_degraded_in_downtime: oneOf('include_degraded_in_downtime', YES_NO),
  is_hidden: oneOf('is_hidden', YES_NO),
  monitor_settings_json: settings,
  external_url: optionalText('external_url'),
};

/** A monitor as answers show it, keys in the reference's order. */
export const monitorResource = z
  .object({
    id: z.int(),
    tag: z.string(),
    name: z.string(),
    description: z.string().nullable(),
    image: z.string().nullable(),
    cron: z.string().nullable(),
    default_status: z.enum(POINT_STATUSES).nullable(),
    status: z.enum(ACTIVITIES).nullable(),
    category_name: z.string().nullable(),
    monitor_type: z.string(),
    type_data: z.record(z.string(), z.unknown()),
    include_degraded_in_downtime: z.enum(YES_NO),
    created_at: z.iso.datetime({ precision: 3 }),
    updated_at: z.iso.datetime({ precision: 3 }),
    is_hidden: z.enum(YES_NO),
    monitor_settings_json: z.record(z.string(), z.unknown()),
    external_url: z.string().nullable(),
    confirmation_threshold: z.int().min(1).max(60),
  })
  .meta({ id: 'Monitor' });
export type Monitor = z.output<typeof monitorResource>;

/** The fields of a monitor that are stored as the client wrote them (settings: null where nobody has set any). */
export type MonitorFields = z.output<z.ZodObject<typeof writable>> & { name: string };
export type NewMonitor = MonitorFields & { tag: string };

/** What POST gives a field that is absent or null (reference §1.1). */
const DEFAULTS = {
  confirmation_threshold: 1,
  description: null,
  image: null,
  cron: null,
  default_status: 'UP',
  status: 'ACTIVE',
  category_name: null,
  monitor_type: 'API',
  type_data: {},
  include_degraded_in_downtime: 'NO',
  is_hidden: 'NO',
  monitor_settings_json: null,
  external_url: null,
} as const satisfies Omit<MonitorFields, 'name'>;

/** What POST reads. */
export const newMonitorFields = z.object({
  tag,
  name: requiredText('Name is required and must be a non-empty string'),
  ...z.object(writable).partial().shape,
  confirmation_threshold: threshold.nullish(),
});

/** The body of POST: the reference's defaults, nulls give them too where null is allowed. */
export const newMonitor = newMonitorFields.transform(completeMonitor);

/** The body of PATCH. `tag` is no field of it and so is ignored. */
export const monitorPatch = z.object({ name: requiredText('Name must be a non-empty string'), ...writable }).partial();
export type MonitorPatch = z.output<typeof monitorPatch>;

/** With what POST gives where nothing is said. */
export function completeMonitor(fields: z.output<typeof newMonitorFields>): NewMonitor {
  const given = Object.entries(fields).filter(([, value]) => value !== null);
  // Without its nulls a body has the type of the fields it names.
  return { ...DEFAULTS, ...(Object.fromEntries(given) as Omit<NewMonitor, keyof typeof DEFAULTS>) };
}

/**
 * The fields of a monitor after a patch: what the patch does not name is kept; `type_data` and `monitor_settings_json`
 * merge one level deep, and null resets them.
 */
export function mergeMonitor(current: MonitorFields, patch: MonitorPatch): MonitorFields {
  return {
    ...current,
    ...patch,
    type_data: mergeObject(current.type_data, patch.type_data),
    monitor_settings_json: mergeObject(current.monitor_settings_json, patch.monitor_settings_json),
  };
}

/**
 * Validates what no single field can tell: `type_data` of a type that has a probe. Returns the fields with the defaults
 * of `type_data` filled in, unknown members kept.
 * @throws AppError BAD_REQUEST naming every fault.
 */
export function settleMonitor<T extends MonitorFields>(fields: T): T {
  if (!isProbeKind(fields.monitor_type)) return fields;
  return { ...fields, type_data: settleTypeData(fields.monitor_type, fields.type_data) };
}

/**
 * Validates the `type_data` of a type that has a probe, and fills in its defaults; unknown members are kept.
 * @throws AppError BAD_REQUEST naming every fault.
 */
export function settleTypeData<K extends ProbeKind>(kind: K, typeData: Record<string, unknown> | null): ConfigOf<K> {
  const parsed = TYPE_DATA[kind].safeParse(typeData ?? {});
  // The table's schema of a kind gives that kind's configuration.
  if (parsed.success) return parsed.data as ConfigOf<K>;
  const details = parsed.error.issues.map((issue) => problemOf(['type_data', ...issue.path], issue.message));
  throw new AppError('BAD_REQUEST', details[0]?.message ?? 'type_data is invalid', { details });
}

/** The fields of a monitor after a patch that replaces what it names whole; null resets `type_data` and settings. */
export function replaceFields(current: MonitorFields, patch: MonitorPatch): MonitorFields {
  return { ...current, ...patch };
}

function mergeObject(
  current: Record<string, unknown> | null,
  patch: Record<string, unknown> | null | undefined,
): Record<string, unknown> | null {
  return patch ? { ...current, ...patch } : patch === null ? null : current;
}

function integerIn(min: number, max: number, message: string) {
  return z.int(message).min(min, message).max(max, message);
}

function formula() {
  return z
    .string(FORMULA_FAULT)
    .refine((text) => parseFormula(text) !== null, FORMULA_FAULT)
    .nullish()
    .meta({ examples: ['up + maintenance'] });
}

function requiredText(message: string) {
  return z.string(message).trim().min(1, message).superRefine(checkStorableText);
}

function optionalText(field: string) {
  return z.string(`${field} must be a string or null`).superRefine(checkStorableText).nullable();
}

function oneOf<const T extends readonly string[]>(field: string, values: T) {
  return z.enum(values, `${field} must be one of: ${values.join(', ')}`);
}
