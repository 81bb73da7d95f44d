import { z } from 'zod';

/** Query values are lenient (reference §1.0, §12): what cannot be read is as if it were not there. */

/** A whole number in leading digits; 0 and what is no number count as not given. */
export const lenientInteger = z
  .string()
  .optional()
  .transform((text) => {
    const value = Number.parseInt(text ?? '', 10) || undefined;
    return value && Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
  })
  .meta({ type: 'integer' });

/** Texts between commas, trimmed; without any it counts as not given. No stored text holds a NUL, see `db/`. */
export const commaList = z
  .string()
  .optional()
  .transform((text = '') => {
    const items = text.split(',').map((item) => item.trim().replaceAll('\0', '\u{FFFF}'));
    const named = items.filter((item) => item !== '');
    return named.length > 0 ? named : undefined;
  });
