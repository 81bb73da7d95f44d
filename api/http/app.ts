import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type RequestHandler, type Response } from 'express';
import { AppError } from '../../core/app-error.ts';
import { isTransient } from '../../db/client.ts';
import type { Logger } from '../../runtime/logger.ts';
import { requirePermission } from '../authenticate.ts';
import type { Actor, Context, Services } from '../context.ts';
import type { MeasureRequest } from '../metrics.ts';
import { readJsonObject } from './body.ts';
import { answerPreflight, isPreflight, markReadable } from './cors.ts';
import { UNEXPOSED, type Exposure } from './exposure.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';
import { callerAt, createRateLimit, type Countable, type RateLimit } from './rate-limit.ts';
import { respond, respondCacheable, respondError, respondKept } from './respond.ts';
import { JsonStream, type Access, type Route } from './route.ts';

/** Everything below this path needs a key, whether there is a route or not. */
const GUARDED = '/api/';

/** A JSON API: nothing it answers is a page, a script or a frame, but where a route says so. */
const SECURITY_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Content-Security-Policy', "default-src 'none'; frame-ancestors 'none'"],
  ['X-Content-Type-Options', 'nosniff'],
  ['X-Frame-Options', 'DENY'],
  ['Referrer-Policy', 'no-referrer'],
  ['Cache-Control', 'no-store'],
];

export interface AppOptions {
  routes: readonly Route[];
  services: Services;
  log: Logger;
  /** Without: nothing is let in from other origins, and nothing counted. */
  exposure?: Exposure;
  /** Measures each request. Without: nothing is measured. */
  measure?: MeasureRequest;
  /** How long a client may take nothing of a stream. Without: 30 seconds. */
  stalledClientMs?: number;
  /** The pages for people; what they do not know they leave to the answer for unknown routes. */
  site?: RequestHandler;
  /** Who the caller is. Throws UNAUTHORIZED where he may not call what is open to `access`. */
  authenticate(access: Exclude<Access, 'public'>, context: Context): Promise<Actor>;
}

/** What a request passes on its way in. */
interface Door extends AppOptions {
  exposure: Exposure;
  perCaller: RateLimit;
  perAddress: RateLimit;
}

function doorOf({ exposure = UNEXPOSED, ...options }: AppOptions): Door {
  const perCaller = createRateLimit('key', exposure.perCaller);
  return { ...options, exposure, perCaller, perAddress: createRateLimit('address', exposure.perAddress) };
}

/** Mounts the routes. One list, one order of checks, one error form. */
export function createApp(given: AppOptions): Express {
  const options = doorOf(given);
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing');
  app.set('trust proxy', options.exposure.trustedProxies);
  app.use((request: Request, response: Answering, next: NextFunction): Promise<never> | void => {
    begin(options, request, response);
    if (isPreflight(options.exposure.corsOrigins, request)) return answerPreflight(response);
    if (isMalformed(response.locals.path)) return refuseMalformed(options, response);
    next();
  });
  for (const [path, routes] of byPath(options.routes)) {
    const mounted = app.route(path.replace(/\{(\w+)\}/g, ':$1'));
    for (const route of routes) mounted[expressMethod(route)](handlerOf(options, route));
    mounted.all(methodNotAllowed(options, routes));
  }
  if (options.site) app.use(options.site);
  app.use(async (_request: Request, response: Answering) => {
    await guard(options, response);
    throw new AppError('NOT_FOUND', `No API route matches '${response.locals.path}'`);
  });
  app.use(answerError);
  return app;
}

type Answering = Response<unknown, Locals>;

interface Locals extends Countable {
  context: Context;
  /** As the client wrote it, undecoded, without the query. */
  path: string;
  /** The path of the route that matched. */
  route?: string;
}

function begin({ services, log, exposure, measure, perAddress }: Door, request: Request, response: Answering): void {
  const started = performance.now();
  const measured = measure?.();
  const path = pathnameOf(request);
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
  let logger: Logger | undefined;
  const context: Context = {
    ...services,
    pool: services.db,
    requestId,
    log: () => (logger ??= log.child({ requestId })),
    actor: null,
    method: request.method,
    headers: request.headers,
    address: request.ip ?? '',
    setCookie: (cookie) => void response.appendHeader('Set-Cookie', cookie),
  };
  let isCounted = false;
  const countAddress = (): void => {
    if (!isCounted) perAddress(callerAt(context.address), response);
    isCounted = true;
  };
  Object.assign(response.locals, { context, path, countAddress });
  response.setHeader('X-Request-Id', requestId);
  for (const [name, value] of SECURITY_HEADERS) response.setHeader(name, value);
  markReadable(exposure.corsOrigins, request, response);
  response.once('close', () => {
    const { method } = request;
    const { statusCode: status, writableFinished: complete } = response;
    const durationMs = Math.round(performance.now() - started);
    log.info({ requestId, method, path, status, durationMs, complete }, 'request answered');
    measured?.({ method, status, route: response.locals.route ?? 'none' });
  });
}

function handlerOf(options: Door, route: Route) {
  const placeholders = placeholdersOf(route.path);
  return async (request: Request, response: Answering): Promise<void> => {
    const { context, path } = response.locals;
    response.locals.route = route.path;
    await admit(options, route, response);
    const incoming = {
      path: pathValues(placeholders, path),
      query: new URLSearchParams(request.originalUrl.split('?').slice(1).join('?')),
      readJson: () => readJsonObject(request),
    };
    const idempotencyKey = idempotencyKeyOf(route, context);
    if (idempotencyKey !== undefined)
      return respondKept(response, await answerOnce(route, { incoming, idempotencyKey }, context));
    const body = await route.answer(incoming, context);
    if (route.cacheControl && !(body instanceof JsonStream))
      respondCacheable(response, route, body, route.cacheControl);
    else await respond(response, route, body, options.stalledClientMs);
  };
}

/** Finds out who calls, and whether he may: after the route is known, before anything of the request is read. */
async function admit(door: Door, { access, permission, rateLimited }: Route, response: Answering): Promise<void> {
  if (access !== 'public') requirePermission(await identify(door, access, response), permission);
  else if (rateLimited !== false) response.locals.countAddress();
}

/** Each caller's requests are counted, and those that fail to say whose they are, by where they come from. */
async function identify(door: Door, access: Exclude<Access, 'public'>, response: Answering): Promise<Actor> {
  const { context } = response.locals;
  try {
    context.actor = await door.authenticate(access, context);
  } catch (error) {
    if (error instanceof AppError && error.code === 'UNAUTHORIZED') response.locals.countAddress();
    throw error;
  }
  door.perCaller(`${context.actor.kind} ${context.actor.id}`, response);
  return context.actor;
}

function methodNotAllowed(options: Door, routes: readonly Route[]) {
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return async (request: Request, response: Answering): Promise<void> => {
    await guard(options, response);
    response.setHeader('Allow', allowed);
    throw new AppError('METHOD_NOT_ALLOWED', `${request.method} method not allowed`);
  };
}

async function refuseMalformed(door: Door, response: Answering): Promise<never> {
  await guard(door, response);
  throw new AppError('BAD_REQUEST', 'Malformed URI');
}

async function guard(door: Door, response: Answering): Promise<void> {
  if (response.locals.path.startsWith(GUARDED)) await identify(door, 'key', response);
  else response.locals.countAddress();
}

/** Four parameters are how Express tells an error handler. */
function answerError(error: unknown, _request: Request, response: Answering, _next: NextFunction): void {
  const answer = toAppError(error);
  if (answer.httpStatus >= 500) response.locals.context.log().error({ err: error }, 'request failed');
  respondError(response, answer);
}

function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (isTransient(error)) return new AppError('UNAVAILABLE', 'The database is away, try again later', { cause: error });
  return new AppError('INTERNAL_ERROR', 'Internal server error', { cause: error });
}

function expressMethod({ method }: Route) {
  return ({ GET: 'get', POST: 'post', PATCH: 'patch', DELETE: 'delete' } as const)[method];
}

function byPath(routes: readonly Route[]): Map<string, Route[]> {
  const groups = new Map<string, Route[]>();
  for (const route of routes) groups.set(route.path, [...(groups.get(route.path) ?? []), route]);
  return groups;
}

function pathnameOf({ originalUrl }: Request): string {
  return originalUrl.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '';
}

/** The names in braces of a path, each with the number of its segment. */
function placeholdersOf(template: string): (readonly [name: string, segment: number])[] {
  return template.split('/').flatMap((part, segment) => {
    const name = /^\{(\w+)\}$/.exec(part)?.[1];
    return name === undefined ? [] : [[name, segment] as const];
  });
}

/** Path values are compared undecoded (reference §1.0), so they are taken from the path and not from the router. */
function pathValues(placeholders: ReturnType<typeof placeholdersOf>, pathname: string): Record<string, string> {
  const segments = pathname.split('/');
  return Object.fromEntries(placeholders.map(([name, segment]) => [name, segments[segment] ?? '']));
}

function isMalformed(pathname: string): boolean {
  if (!pathname.includes('%')) return false;
  try {
    decodeURIComponent(pathname);
    return false;
  } catch {
    // decodeURIComponent's only way to say so.
    return true;
  }
}
