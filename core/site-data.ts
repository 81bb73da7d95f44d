import { z } from 'zod';
import { checkStorableText } from './storable.ts';
import { isTimeZone } from './time-zone.ts';

/** What the site as a whole is called and looks like, for pages and the dashboard (reference §1.7, `/api/v4/site`). */

const MAX_TEXT = 10_000;
const MAX_LINE = 255;
const MAX_URL = 2048;

/** The settings: null where nothing is shown for one. */
export const siteData = z
  .object({
    siteName: line('siteName').meta({ description: 'What the service is called' }),
    siteURL: z
      .url({ protocol: /^https?$/, error: 'siteURL must be an http or https URL, or null' })
      .max(MAX_URL, `siteURL must be at most ${MAX_URL} characters`)
      .nullable(),
    title: line('title').nullable().meta({ description: "Of the browser's tab; null: siteName" }),
    description: text('description').nullable().meta({ description: 'For search engines and previews' }),
    logo: image('logo'),
    favicon: image('favicon'),
    theme: z.enum(['system', 'light', 'dark'], 'theme must be one of: system, light, dark'),
    timezone: z
      .string('timezone must be the name of a time zone')
      .refine(isTimeZone, 'timezone must be the name of a time zone')
      .meta({ description: "For whoever's own is not known", examples: ['Europe/Berlin'] }),
    language: z
      .string('language must be a language tag')
      .regex(/^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/, 'language must be a language tag')
      .max(35, 'language must be a language tag'),
    footer: text('footer').nullable().meta({ description: 'Markdown' }),
  })
  .meta({ id: 'SiteData' });

export type SiteData = z.output<typeof siteData>;
export type SiteKey = keyof SiteData;

/** What holds while nobody has said otherwise. */
export const DEFAULT_SITE_DATA: SiteData = {
  siteName: 'Farwatch',
  siteURL: null,
  title: null,
  description: null,
  logo: null,
  favicon: null,
  theme: 'system',
  timezone: 'UTC',
  language: 'en',
  footer: null,
};

export const SITE_KEYS = Object.keys(siteData.shape) as SiteKey[];

/** The stored settings over the defaults; what this version does not know, or would refuse, counts as not stored. */
export function settleSiteData(stored: Readonly<Record<string, unknown>>): SiteData {
  const known = SITE_KEYS.filter((key) => siteData.shape[key].safeParse(stored[key]).success);
  return siteData.parse({ ...DEFAULT_SITE_DATA, ...Object.fromEntries(known.map((key) => [key, stored[key]])) });
}

function line(name: string) {
  const message = `${name} must be a non-empty string of at most ${MAX_LINE} characters`;
  return z.string(message).trim().min(1, message).max(MAX_LINE, message).superRefine(checkStorableText);
}

function text(name: string) {
  const message = `${name} must be a string of at most ${MAX_TEXT} characters, or null`;
  return z.string(message).max(MAX_TEXT, message).superRefine(checkStorableText);
}

/** Nothing that runs: no `javascript:`, and no other host by `//`. */
function image(name: string) {
  const message = `${name} must be an http or https URL, a path that begins with one slash, or null`;
  return z
    .string(message)
    .max(MAX_URL, message)
    .regex(/^(https?:\/\/|\/(?![/\\]))[^\s\\\0]*$/, message)
    .superRefine(checkStorableText)
    .nullable();
}
