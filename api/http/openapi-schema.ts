import { z } from 'zod';

export type Json = Record<string, unknown>;

/** A schema as JSON Schema in its OpenAPI 3.1 form; named ones move to `schemas`, the document's components. */
export function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const { $defs, ...own } = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Json & { $defs?: Json };
  // The dialect is OpenAPI 3.1's own default.
  delete own.$schema;
  for (const [name, definition] of Object.entries($defs ?? {})) schemas[name] = withReferences(definition);
  const { id } = own;
  if (typeof id !== 'string') return withReferences(own);
  schemas[id] = withReferences(own);
  return { $ref: `#/components/schemas/${id}` };
}

function withReferences(schema: unknown): Json {
  const text = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(text) as Json;
}
