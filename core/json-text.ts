import { z } from 'zod';

/** What `schema` reads, or a text of JSON that says it. */
export function orJsonText<S extends z.ZodType>(schema: S) {
  return z.preprocess((input, context) => {
    if (typeof input !== 'string') return input;
    try {
      return JSON.parse(input) as unknown;
    } catch {
      // JSON.parse's only way to say so.
      context.addIssue('must be a text of JSON');
      return z.NEVER;
    }
  }, schema);
}
