import type { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import type { Permission } from '../../core/permissions.ts';
import { problemsOf } from '../../core/own-words.ts';
import type { Context } from '../context.ts';

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** The names in braces of a path, each with the undecoded text that stands there. */
export type PathValues<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Record<Name, string> & PathValues<Rest>
  : unknown;

/** A body that is sent as it comes into being; what it yields must add up to one JSON text. */
export class JsonStream {
  readonly chunks: AsyncIterable<Uint8Array | string>;

  constructor(chunks: AsyncIterable<Uint8Array | string>) {
    this.chunks = chunks;
  }
}

/** A body that is a text and no JSON. */
export interface TextKind {
  mediaType: string;
  /** What the text may load and run where a browser shows it by itself. Without: nothing. */
  contentSecurityPolicy?: string;
}

/** Its receiver may keep it, and must ask whether it still holds (RFC 9111, 5.2.2.4 and 5.2.2.7). */
const ASK_AGAIN = 'private, no-cache';

/** A request as the toolkit hands it over: nothing of it has been looked at. */
export interface Incoming {
  path: Record<string, string>;
  query: URLSearchParams;
  /** Reads the body: an object, or an AppError. */
  readJson(): Promise<Record<string, unknown>>;
}

/** Who may call a route: anybody, who has a key, or who has a key or has signed in to the dashboard. */
export type Access = 'public' | 'key' | 'dashboard';

/** What mounting and documenting need of a route. */
export interface Route {
  method: Method;
  path: string;
  summary: string;
  access: Access;
  /** What the caller must be allowed to do; null where that depends on the body, and on public routes. */
  permission: Permission | null;
  status: 200 | 201;
  cacheControl?: string;
  rateLimited?: false;
  text?: TextKind;
  alsoFails?: Partial<Record<401 | 403 | 404 | 429, string>>;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  example?: Record<string, unknown>;
  response: z.ZodType;
  answer(incoming: Incoming, context: Context): Promise<unknown>;
}

/** A route is public, or its caller has a key whose role permits it, or it is for everybody who has signed in. */
type Admission =
  { access: 'public' | 'dashboard'; permission?: undefined } | { access?: undefined; permission: Permission };

interface RouteParts<Path extends string, P, Q, B, R extends z.ZodType, X> {
  method: Method;
  path: Path;
  summary: string;
  /** Of a success. Without: 200. */
  status?: 201;
  /**
   * Of a success, which then carries an ETag and answers what is still known with 304. Without: what needs a key is asked
   * for anew each time, and nothing else is kept. A stream never is.
   */
  cacheControl?: string;
  /** False where a public route is called by machines of ours, which must not be refused. */
  rateLimited?: false;
  /** Of a success whose body is a text; `response` then describes a string. Without: JSON. */
  text?: TextKind;
  /** Failures that the route's form does not imply, with their description. */
  alsoFails?: Route['alsoFails'];
  /** The resource the path names; its absence is answered before anything else of the request is read. */
  resource?: (path: PathValues<Path>, context: Context) => Promise<X>;
  params?: z.ZodType<P>;
  query?: z.ZodType<Q>;
  body?: z.ZodType<B>;
  /** A body that would be taken, for readers of the document. */
  example?: Record<string, unknown>;
  /** A check against the database that is answered before faults in any body field but those of `after`. */
  bodyCheck?: {
    after: readonly string[];
    check: (body: Record<string, unknown>, context: Context, resource: X) => Promise<void>;
  };
  response: R;
  handler: (
    input: { path: PathValues<Path>; resource: X; params: P; query: Q; body: B },
    context: Context,
  ) => Promise<z.input<R> | JsonStream>;
}

type RouteSpec<Path extends string, P, Q, B, R extends z.ZodType, X> = RouteParts<Path, P, Q, B, R, X> & Admission;

/**
 * Makes a route out of its parts. The order of checks is the contract's (reference §12): the resource in the path, then
 * path values and query, then JSON, then the body's fields; who calls was checked before.
 */
export function route<
  const Path extends string,
  R extends z.ZodType,
  P = undefined,
  Q = undefined,
  B = undefined,
  X = undefined,
>(spec: RouteSpec<Path, P, Q, B, R, X>): Route {
  return {
    ...spec,
    access: spec.access ?? 'key',
    permission: spec.permission ?? null,
    status: spec.status ?? 200,
    cacheControl: spec.cacheControl ?? (spec.method === 'GET' && spec.access !== 'public' ? ASK_AGAIN : undefined),
    answer: async (incoming, context) => {
      // The router fills in exactly the names in braces of this path.
      const path = incoming.path as PathValues<Path>;
      // Where the spec has no resource, no schema, X, P, Q and B are undefined.
      const resource = (await spec.resource?.(path, context)) as X;
      const params = parse(spec.params, incoming.path) as P;
      const query = parse(spec.query, Object.fromEntries(firstValues(incoming.query))) as Q;
      const body = (spec.body && (await parseBody(spec, await incoming.readJson(), context, resource))) as B;
      return spec.handler({ path, resource, params, query, body }, context);
    },
  };
}

/** Of a repeated query parameter the first counts; an empty one counts as not given. */
function firstValues(query: URLSearchParams): [string, string][] {
  return [...new Set(query.keys())]
    .map((name): [string, string] => [name, query.get(name) ?? ''])
    .filter(([, value]) => value !== '');
}

async function parseBody<B, X>(
  {
    body,
    bodyCheck,
  }: { body?: z.ZodType<B>; bodyCheck?: RouteParts<string, unknown, unknown, B, z.ZodType, X>['bodyCheck'] },
  value: Record<string, unknown>,
  context: Context,
  resource: X,
): Promise<B | undefined> {
  const parsed = body?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  const [first] = parsed.error.issues;
  if (bodyCheck && !bodyCheck.after.includes(String(first?.path[0]))) await bodyCheck.check(value, context, resource);
  throw badRequest(parsed.error);
}

/** What a schema makes of a client's value, or BAD_REQUEST; undefined without a schema. */
export function parse<T>(schema: z.ZodType<T> | undefined, value: unknown): T | undefined {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  throw badRequest(parsed.error);
}

/** The first fault is the message, all of them are the details. */
function badRequest(error: z.ZodError): AppError {
  const details = problemsOf(error);
  return new AppError('BAD_REQUEST', details[0]?.message ?? 'Invalid request', { details });
}
