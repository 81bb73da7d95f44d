import { z } from 'zod';
import { inOwnWords } from './own-words.ts';
import { checkStorableJson } from './storable.ts';

/** A page's settings (specification 2.7; reference §1.5 and §12): literal messages, every default. */

const LAYOUTS = ['default-list', 'default-grid', 'compact-list', 'compact-grid'] as const;
/** The most days that a page shows of a monitor. */
export const MAX_HISTORY_DAYS = 365;
const NOT_NEGATIVE = 'must be a non-negative integer';
const HISTORY_DAYS = `must be an integer between 1 and ${MAX_HISTORY_DAYS}`;

const flag = z.boolean('must be a boolean');
const count = z.int(NOT_NEGATIVE).min(0, NOT_NEGATIVE);
const historyDays = z.int(HISTORY_DAYS).min(1, HISTORY_DAYS).max(MAX_HISTORY_DAYS, HISTORY_DAYS);

const past = z.looseObject({ show: flag, max_count: count, days_in_past: count });
const upcoming = z.looseObject({ show: flag, max_count: count, days_in_future: count });

/** The settings as answers show them: complete, with whatever else clients keep there. */
export const pageSettings = z
  .looseObject({
    incidents: z.looseObject({ enabled: flag, ongoing: z.looseObject({ show: flag }), resolved: past }),
    include_maintenances: z.looseObject({ enabled: flag, ongoing: z.looseObject({ show: flag, past, upcoming }) }),
    monitor_status_history_days: z.looseObject({ desktop: historyDays, mobile: historyDays }),
    monitor_layout_style: z.enum(LAYOUTS, `must be one of: ${LAYOUTS.join(', ')}`),
    meta_page_title: z.string('must be a string').optional(),
  })
  .meta({ id: 'PageSettings' });
export type PageSettings = z.output<typeof pageSettings>;

/** What has been set of a page's settings, at any depth. */
export type GivenSettings = Record<string, unknown>;

const DEFAULTS: PageSettings = {
  incidents: { enabled: true, ongoing: { show: true }, resolved: { show: true, max_count: 5, days_in_past: 7 } },
  include_maintenances: {
    enabled: true,
    ongoing: {
      show: true,
      past: { show: true, max_count: 5, days_in_past: 7 },
      upcoming: { show: true, max_count: 5, days_in_future: 30 },
    },
  },
  monitor_status_history_days: { desktop: 90, mobile: 30 },
  monitor_layout_style: 'default-list',
};

/** The `page_settings` of a body: any part of the settings. Faults name their place without `page_settings`. */
export const givenSettings = inOwnWords(
  partOf(pageSettings).superRefine(checkStorableJson),
  (path, message) => `${path.map(String).join('.') || 'page_settings'} ${message}`,
);

/** The settings with every default filled in. */
export function completeSettings(given: GivenSettings): PageSettings {
  // Each member was checked when it was written, and the defaults complete them.
  return mergeSettings(structuredClone(DEFAULTS), given) as PageSettings;
}

/** What is set after a change: objects merge at any depth, all else is replaced. */
export function mergeSettings(current: GivenSettings, change: GivenSettings): GivenSettings {
  const merged = new Map(Object.entries(current));
  for (const [name, value] of Object.entries(change)) {
    const before = merged.get(name);
    merged.set(name, isObject(value) ? mergeSettings(isObject(before) ? before : {}, value) : value);
  }
  return Object.fromEntries(merged);
}

/**
 * What a new page's settings are: as given, but maintenances that are switched off and otherwise left alone are shown
 * nowhere either (specification 2.7, the observed values).
 */
export function newSettings(given: GivenSettings): GivenSettings {
  const { include_maintenances: maintenances } = given;
  if (!isObject(maintenances) || maintenances.enabled !== false || Object.keys(maintenances).length > 1) return given;
  const ongoing = { show: false, past: { show: false }, upcoming: { show: false } };
  return { ...given, include_maintenances: { enabled: false, ongoing } };
}

/** The schema of any part of what `whole` describes. */
function partOf(whole: z.ZodObject): z.ZodObject<Record<string, z.ZodOptional>, z.core.$loose> {
  const members = Object.entries<z.core.$ZodType>(whole.shape).map(([name, member]): [string, z.ZodOptional] => [
    name,
    z.optional(member instanceof z.ZodObject ? partOf(member) : member),
  ]);
  return z.looseObject(Object.fromEntries(members), 'must be an object');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
