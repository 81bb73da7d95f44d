import type { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
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

/** A request as the toolkit hands it over: nothing of it has been looked at. */
export interface Incoming {
  path: Record<string, string>;
  query: URLSearchParams;
  /** Reads the body: an object, or an AppError. */
  readJson(): Promise<Record<string, unknown>>;
}

/** What mounting and documenting need of a route. */
export interface Route {
  method: Method;
  path: string;
  summary: string;
  access: 'key' | 'public';
  status: 200 | 201;
  cacheControl?: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  example?: Record<string, unknown>;
  response: z.ZodType;
  answer(incoming: Incoming, context: Context): Promise<unknown>;
}

interface RouteSpec<Path extends string, P, Q, B, R extends z.ZodType, X> {
  method: Method;
  path: Path;
  summary: string;
  /** Who may call it. Without: any active key. */
  access?: 'public';
  /** Of a success. Without: 200. */
  status?: 201;
  /** Of a success, which then carries an ETag and answers what is still known with 304. Without: nothing is kept. */
  cacheControl?: string;
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
    status: spec.status ?? 200,
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
  }: { body?: z.ZodType<B>; bodyCheck?: RouteSpec<string, unknown, unknown, B, z.ZodType, X>['bodyCheck'] },
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

function parse<T>(schema: z.ZodType<T> | undefined, value: unknown): T | undefined {
  const parsed = schema?.safeParse(value);
  if (parsed === undefined || parsed.success) return parsed?.data;
  throw badRequest(parsed.error);
}

/** The first fault is the message, all of them are the details. */
function badRequest(error: z.ZodError): AppError {
  const details = problemsOf(error);
  return new AppError('BAD_REQUEST', details[0]?.message ?? 'Invalid request', { details });
}
