import { z } from 'zod';
import type { Route } from './route.ts';

type Json = Record<string, unknown>;

/** The error envelope of every failure (reference §12). */
const errorEnvelope = z
  .object({
    error: z.object({
      code: z.string().meta({ examples: ['BAD_REQUEST'] }),
      message: z.string(),
      details: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
    }),
  })
  .meta({ id: 'Error' });

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer' },
  session: { type: 'apiKey', in: 'cookie', name: 'farwatch_session' },
};

/** The OpenAPI 3.1 document of a list of routes. Schemas are zod's own JSON Schema output. */
export function openApiDocument(routes: readonly Route[], version: string, serverUrl?: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, schemas) };
  return {
    openapi: '3.1.0',
    info: { title: 'Farwatch', version, description: 'Uptime monitoring from many places.' },
    ...(serverUrl && { servers: [{ url: serverUrl }] }),
    paths,
    components: { schemas, securitySchemes: SECURITY_SCHEMES },
  };
}

const SECURITY = { public: [], key: [{ key: [] }], dashboard: [{ key: [] }, { session: [] }] };

function operation(route: Route, schemas: Json): Json {
  return {
    summary: route.summary,
    ...(route.permission && { description: `Needs the permission ${route.permission}.` }),
    operationId: operationId(route),
    security: SECURITY[route.access],
    parameters: [...pathParameters(route, schemas), ...queryParameters(route, schemas)],
    ...(route.body && { requestBody: { required: true, content: requestContent(route.body, route.example, schemas) } }),
    responses: responses(route, schemas),
  };
}

/** `GET /api/v4/monitors/{tag}` becomes `getMonitorsTag`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/api\/v4\//, '').match(/[a-z0-9]+/gi) ?? [];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

function pathParameters({ path, params }: Route, schemas: Json): Json[] {
  const described = properties(params, schemas);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: described.find((property) => property.name === name)?.schema ?? { type: 'string' },
  }));
}

function queryParameters({ query }: Route, schemas: Json): Json[] {
  return properties(query, schemas).map(({ name, required, schema }) => ({ name, in: 'query', required, schema }));
}

function properties(
  schema: z.ZodType | undefined,
  schemas: Json,
): { name: string; required: boolean; schema: unknown }[] {
  if (!schema) return [];
  const { properties = {}, required = [] } = schemaOf(schema, 'input', schemas) as {
    properties?: Json;
    required?: string[];
  };
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: property,
  }));
}

function responses(route: Route, schemas: Json): Json {
  const failure = (description: string): Json => ({
    description,
    content: json(schemaOf(errorEnvelope, 'output', schemas)),
  });
  const named = route.path.includes('{');
  return {
    [route.status]: { description: 'Success', content: successContent(route, schemas) },
    ...(route.cacheControl && { 304: { description: 'What If-None-Match names is still true' } }),
    400: failure('The request is not valid; `message` names the first fault'),
    ...(route.access !== 'public' && {
      401: failure('No key, or one that is unknown or inactive'),
      403: failure('The key is not permitted to do this'),
    }),
    ...(named && { 404: failure('What the path names does not exist') }),
    ...(route.body && { 413: failure('The body is too large') }),
    ...Object.fromEntries(
      Object.entries(route.alsoFails ?? {}).map(([code, description]) => [code, failure(description)]),
    ),
    500: failure('A fault of the service'),
    503: failure('The service is away for a moment, see Retry-After'),
  };
}

function successContent({ response, text }: Route, schemas: Json): Json {
  return { [text?.mediaType ?? 'application/json']: { schema: schemaOf(response, 'output', schemas) } };
}

function requestContent(body: z.ZodType, example: Json | undefined, schemas: Json): Json {
  return { 'application/json': { schema: schemaOf(body, 'input', schemas), ...(example && { example }) } };
}

function json(schema: Json): Json {
  return { 'application/json': { schema } };
}

/** A schema as JSON Schema; named ones move to the document's components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
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
