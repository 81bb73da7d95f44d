import type { z } from 'zod';
import { exampleOf } from './openapi-example.ts';
import { failureComponents, failuresOf, HEADER_COMPONENTS, headerReferences } from './openapi-failures.ts';
import { schemaOf, type Json } from './openapi-schema.ts';
import { keepsAnswers } from './idempotency.ts';
import type { Route } from './route.ts';

const SECURITY_SCHEMES = {
  key: { type: 'http', scheme: 'bearer', description: 'An API key: `Authorization: Bearer farwatch_…`' },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'farwatch_session',
    description: 'Who has signed in to the dashboard',
  },
};

const DESCRIPTION = `Uptime monitoring from many places.

- Bodies are JSON. Fields named \`*_ts\` and \`*_date_time\` are UTC Unix seconds, \`created_at\` and \`updated_at\` ISO 8601.
- Failures are \`{"error":{"code","message"}}\`, with all failing fields under \`details\`. Another method than those listed is answered 405, with an \`Allow\` header.
- Every answer carries \`X-Request-Id\`: the request's own, if it brought one, or a new one.
- GET answers carry an \`ETag\`; what \`If-None-Match\` names is answered 304 without a body. Wherever there is a GET there is a HEAD.
- Requests are counted for each key, or address without one; \`RateLimit\` says what is left of the minute.`;

/** The OpenAPI 3.1 document of a list of routes. Schemas are zod's own JSON Schema output. */
export function openApiDocument(routes: readonly Route[], version: string, serverUrl?: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operation(route, schemas) };
  return {
    openapi: '3.1.0',
    info: { title: 'Farwatch', version, description: DESCRIPTION },
    ...(serverUrl && { servers: [{ url: serverUrl }] }),
    tags: [...new Set(routes.map(tagOf))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      responses: failureComponents(schemas),
      headers: HEADER_COMPONENTS,
      securitySchemes: SECURITY_SCHEMES,
    },
  };
}

const SECURITY = { public: [], key: [{ key: [] }], dashboard: [{ key: [] }, { session: [] }] };

function operation(route: Route, schemas: Json): Json {
  return {
    summary: route.summary,
    ...(route.permission && { description: `Needs the permission ${route.permission}.` }),
    operationId: operationId(route),
    tags: [tagOf(route)],
    security: SECURITY[route.access],
    parameters: [...pathParameters(route, schemas), ...queryParameters(route, schemas), ...headerParameters(route)],
    ...(route.body && { requestBody: { required: true, content: requestContent(route.body, route.example, schemas) } }),
    responses: { [route.status]: success(route, schemas), ...notModified(route), ...failuresOf(route, schemas) },
  };
}

/** `GET /api/v4/monitors/{tag}` becomes `getMonitorsTag`. */
function operationId({ method, path }: Route): string {
  const words = path.replace(/^\/api\/v4\//, '').match(/[a-z0-9]+/gi) ?? [];
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The resource a path begins with; what stands at the root belongs to the service. */
function tagOf({ path }: Route): string {
  return /^\/api\/v4\/(\w+)|^\/(\w+)\//.exec(path)?.slice(1).find(Boolean) ?? 'service';
}

function pathParameters({ path, params }: Route, schemas: Json): Json[] {
  const described = properties(params, schemas);
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    const schema = described.find((property) => property.name === name)?.schema ?? { type: 'string' };
    return { name, in: 'path', required: true, schema };
  });
}

function queryParameters({ query }: Route, schemas: Json): Json[] {
  return properties(query, schemas).map(({ name, required, schema }) => ({ name, in: 'query', required, schema }));
}

function headerParameters(route: Route): Json[] {
  const headers = [];
  if (keepsAnswers(route))
    headers.push({
      name: 'Idempotency-Key',
      description: 'Repeated within 24 hours with the same body, the request is not made again: its answer is',
      schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
      example: '8e03978e-40d5-43dd-bc93-6894a57f9324',
    });
  if (route.cacheControl)
    headers.push({ name: 'If-None-Match', description: 'The ETag of what is known', schema: { type: 'string' } });
  return headers.map((header) => ({ ...header, in: 'header', required: false }));
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

function success(route: Route, schemas: Json): Json {
  const { response, text } = route;
  const schema = schemaOf(response, 'output', schemas);
  const example = text ? {} : examples(schema, schemas);
  const headers = ['RateLimit', 'RateLimit-Policy'];
  if (route.cacheControl) headers.push('ETag');
  if (keepsAnswers(route)) headers.push('Idempotent-Replayed');
  return {
    description: 'Success',
    headers: headerReferences(headers),
    content: { [text?.mediaType ?? 'application/json']: { schema, ...example } },
  };
}

function notModified({ cacheControl }: Route): Json {
  if (!cacheControl) return {};
  return { 304: { description: 'What If-None-Match names is still true', headers: headerReferences(['ETag']) } };
}

function requestContent(body: z.ZodType, example: Json | undefined, schemas: Json): Json {
  const schema = schemaOf(body, 'input', schemas);
  const { examples: named } = examples(schema, schemas) as { examples?: Json };
  return {
    'application/json': {
      schema,
      ...(named ? { examples: named } : example ? { example } : examples(schema, schemas)),
    },
  };
}

/** One example, or one for each variant that has a name. */
function examples(schema: Json, schemas: Json): Json {
  const names = Array.isArray(schema.anyOf) ? (schema.anyOf as { $ref?: string }[]).map(({ $ref = '' }) => $ref) : [];
  if (names.length === 0 || names.includes('')) return { example: exampleOf(schema, schemas) };
  const named = names.map(($ref) => [$ref.split('/').at(-1) ?? '', { value: exampleOf({ $ref }, schemas) }] as const);
  return { examples: Object.fromEntries(named) };
}
