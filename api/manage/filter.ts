import { z } from 'zod';

/** One of some values; ALL, as nothing, is no filter. */
export function filterOf<const T extends readonly string[]>(values: T) {
  return z
    .enum([...values, 'ALL'], `must be one of: ${values.join(', ')}, ALL`)
    .optional()
    .transform((value): T[number] | undefined => (value === 'ALL' ? undefined : value));
}

/** A text to filter by; nothing, as an empty one, is no filter. No stored text holds a NUL, and PostgreSQL takes none. */
export const textFilter = z
  .string()
  .nullish()
  .transform((text) => text?.replaceAll('\0', '\u{FFFF}') || undefined);
