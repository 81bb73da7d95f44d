import { z } from 'zod';

/** What `schema` reads, or a text of JSON that says it. */
export function orJsonText<S extends z.ZodType>(schema: S) {
  return z.preprocess((input, context) => {
    if (typeof input !== 'string') return input;
    const read = parseJson(input);
    if (read !== undefined) return read;
    context.addIssue('must be a text of JSON');
    return z.NEVER;
  }, schema);
}

/** What a text of JSON, or its bytes, say; undefined where it is none, which the schema that follows refuses. */
export function parseJson(text: string | Uint8Array): unknown {
  try {
    return JSON.parse(typeof text === 'string' ? text : new TextDecoder().decode(text));
  } catch {
    // JSON.parse's only way to say so.
    return undefined;
  }
}
