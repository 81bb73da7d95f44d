import { z } from 'zod';
import { lenientInteger } from '../http/query-values.ts';

/** The query values of badges (reference §1.7): what cannot be read is as if it were not there. */

export const BADGE_STYLES = ['flat', 'plastic', 'flat-square', 'for-the-badge', 'social'] as const;
const METRICS = ['average', 'maximum', 'minimum'] as const;

const MAX_TEXT = 100;
const DAY = 86_400;
const DEFAULT_SINCE = 90 * DAY;
const MAX_SINCE = 366 * DAY;

const color = z
  .string()
  .optional()
  .transform((text = '') => (isColor(text) ? text.toLowerCase() : undefined))
  .meta({ examples: ['brightgreen', '4c1', '#f90'] });

/** What all badges with a text take. */
const looks = {
  label: z
    .string()
    .optional()
    .transform((text) => (text === undefined ? undefined : shortText(text))),
  labelColor: color,
  color,
  style: oneOf(BADGE_STYLES).transform((style) => style ?? 'flat'),
  locale: z
    .string()
    .optional()
    .transform((text = '') => (isLocale(text) ? text : 'en'))
    .meta({ examples: ['de'] }),
};

const span = {
  sinceLast: lenientInteger
    .transform((seconds = DEFAULT_SINCE) => Math.min(Math.max(seconds, 60), MAX_SINCE))
    .meta({ type: 'integer', description: 'So many seconds up to now' }),
  hideDuration: z
    .string()
    .optional()
    .transform((text) => text === 'true')
    .meta({ type: 'string', enum: ['true', 'false'] }),
};

export const statusQuery = z.object(looks);
export const uptimeQuery = z.object({ ...looks, ...span });
export const latencyQuery = z.object({
  ...looks,
  ...span,
  metric: oneOf(METRICS).transform((metric) => metric ?? 'average'),
});
export const dotQuery = z.object({
  animate: oneOf(['ping']),
  color,
  fillColor: color.meta({ description: 'Of the area behind the dot' }),
  label: looks.label,
});

export type BadgeLooks = z.output<typeof statusQuery>;
export type DotLooks = z.output<typeof dotQuery>;

/** A text as a badge takes it: nothing that XML has no character for, no line ends, and not too long to look at. */
export function shortText(text: string): string {
  const characters = [...text.replace(/[\p{Cc}\p{Cs}\s\uFFFE\uFFFF]+/gu, ' ').trim()];
  return characters.length > MAX_TEXT ? `${characters.slice(0, MAX_TEXT - 1).join('')}…` : characters.join('');
}

/** Hexadecimal, or a name; names that every object has are colours to the badge library. */
function isColor(text: string): boolean {
  return /^#?([0-9a-f]{3}|[0-9a-f]{6})$/i.test(text) || (/^[a-z]{3,20}$/i.test(text) && !(text.toLowerCase() in {}));
}

function isLocale(text: string): boolean {
  try {
    return text.length <= 35 && Intl.getCanonicalLocales(text).length > 0;
  } catch {
    // Intl's only way to say so.
    return false;
  }
}

function oneOf<const T extends readonly string[]>(values: T) {
  return z
    .string()
    .optional()
    .transform((text): T[number] | undefined => values.find((value) => value === text))
    .meta({ type: 'string', enum: [...values] });
}
