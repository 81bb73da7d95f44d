import { z } from 'zod';
import type { AppErrorCode } from '../../core/app-error.ts';
import { schemaOf, type Json } from './openapi-schema.ts';
import type { Route } from './route.ts';

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

interface Failure {
  name: string;
  code: AppErrorCode;
  description: string;
  message: string;
  headers?: readonly string[];
}

/** What every failure of a status has in common, whichever operation answers it. */
const FAILURES: Record<number, Failure> = {
  400: {
    name: 'BadRequest',
    code: 'BAD_REQUEST',
    description: 'The request is not valid; `message` names the first fault, `details` all of them',
    message: 'Name is required and must be a non-empty string',
  },
  401: {
    name: 'Unauthorized',
    code: 'UNAUTHORIZED',
    description: 'No key, or one that is unknown or inactive',
    message: 'Missing or invalid authorization header',
  },
  403: {
    name: 'Forbidden',
    code: 'FORBIDDEN',
    description: 'The key is not permitted to do this',
    message: 'You do not have permission to perform this action',
  },
  404: {
    name: 'NotFound',
    code: 'NOT_FOUND',
    description: 'What the path names does not exist',
    message: "Monitor with tag 'web-eu' not found",
  },
  405: {
    name: 'MethodNotAllowed',
    code: 'METHOD_NOT_ALLOWED',
    description: 'The path exists, but not with this method; `Allow` lists those it has',
    message: 'PUT method not allowed',
  },
  413: {
    name: 'PayloadTooLarge',
    code: 'PAYLOAD_TOO_LARGE',
    description: 'The body is larger than a mebibyte',
    message: 'The body must be at most 1048576 bytes',
  },
  429: {
    name: 'RateLimited',
    code: 'RATE_LIMITED',
    description: 'Too many requests of this key, or from this address',
    message: 'At most 6000 requests a minute, try again in 12 seconds',
    headers: ['Retry-After', 'RateLimit', 'RateLimit-Policy'],
  },
  500: {
    name: 'InternalError',
    code: 'INTERNAL_ERROR',
    description: 'A fault of the service; its log has more under the `X-Request-Id` of the answer',
    message: 'Internal server error',
  },
  503: {
    name: 'Unavailable',
    code: 'UNAVAILABLE',
    description: 'The service is away for a moment',
    message: 'The database is away, try again later',
    headers: ['Retry-After'],
  },
};

/** The failures as components, under their names. */
export function failureComponents(schemas: Json): Json {
  return Object.fromEntries(
    Object.values(FAILURES).map((failure) => [failure.name, responseOf(failure, failure.description, schemas)]),
  );
}

/** What an operation can fail with: what its form implies, and what it names itself. */
export function failuresOf({ access, path, body, alsoFails = {} }: Route, schemas: Json): Json {
  const implied = [400, ...(access === 'public' ? [] : [401, 403]), 429, 500, 503];
  const codes = [...implied, ...(path.includes('{') ? [404] : []), ...(body ? [413] : [])];
  const shared = codes.map((code): [number, Json] => [
    code,
    { $ref: `#/components/responses/${FAILURES[code]?.name ?? ''}` },
  ]);
  const own = Object.entries(alsoFails).map(([code, description]): [number, Json] => {
    const failure = FAILURES[Number(code)];
    if (!failure) throw new Error(`${path} fails with ${code}, which is no failure of this API`);
    return [Number(code), responseOf(failure, description, schemas)];
  });
  return Object.fromEntries([...shared, ...own]);
}

function responseOf({ code, message, headers = [] }: Failure, description: string, schemas: Json): Json {
  const example = { error: { code, message } };
  return {
    description,
    ...(headers.length > 0 && { headers: headerReferences(headers) }),
    content: { 'application/json': { schema: schemaOf(errorEnvelope, 'output', schemas), example } },
  };
}

export function headerReferences(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const header = (description: string, type: 'string' | 'integer', example: unknown): Json => ({
  description,
  schema: { type },
  example,
});

/** The headers that answers carry, as components. */
export const HEADER_COMPONENTS: Json = {
  ETag: header('What If-None-Match may name', 'string', '"kGVqVOnGJmyrBcwCVpvSNjHZuXmRQnaVMrSlPSNjIwM"'),
  'Idempotent-Replayed': header('`true` where this is the kept answer of an earlier request', 'string', 'true'),
  RateLimit: header(
    'What is left of the limit (`r`), and seconds until it begins anew (`t`)',
    'string',
    '"key";r=5999;t=60',
  ),
  'RateLimit-Policy': header('The limit (`q`) in so many seconds (`w`)', 'string', '"key";q=6000;w=60'),
  'Retry-After': header('Seconds after which it is worth trying again', 'integer', 5),
};
