import { randomUUID } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { AppError } from '../../core/app-error.ts';
import { isTransient } from '../../db/client.ts';
import type { Logger } from '../../runtime/logger.ts';
import { requirePermission } from '../authenticate.ts';
import type { Actor, Context, Services } from '../context.ts';
import { readJsonObject } from './body.ts';
import { answerOnce, idempotencyKeyOf } from './idempotency.ts';
import { respond, respondCacheable, respondError, respondKept } from './respond.ts';
import type { Access, Route } from './route.ts';

/** Everything below this path needs a key, whether there is a route or not. */
const GUARDED = '/api/';

/** A JSON API: nothing it answers is a page, a script or a frame, but where a route says so. */
const SECURITY_HEADERS = {
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
} as const;

export interface AppOptions {
  routes: readonly Route[];
  services: Services;
  log: Logger;
  /** How long a client may take nothing of a stream. Without: 30 seconds. */
  stalledClientMs?: number;
  /** Who the caller is. Throws UNAUTHORIZED where he may not call what is open to `access`. */
  authenticate(access: Exclude<Access, 'public'>, context: Context): Promise<Actor>;
}

/** Mounts the routes. One list, one order of checks, one error form. */
export function createApp(options: AppOptions): Express {
  const app = express();
  app.disable('x-powered-by').disable('etag').set('query parser', false).enable('case sensitive routing');
  app.use((request: Request, response: Response<unknown, Locals>, next: NextFunction) => {
    begin(options, request, response);
    next();
  });
  app.use(async (request: Request, response: Response<unknown, Locals>, next: NextFunction) => {
    if (isMalformed(pathnameOf(request))) {
      await guard(options, request, response);
      throw new AppError('BAD_REQUEST', 'Malformed URI');
    }
    next();
  });
  for (const [path, routes] of byPath(options.routes)) {
    const mounted = app.route(path.replace(/\{(\w+)\}/g, ':$1'));
    for (const route of routes) mounted[expressMethod(route)](handlerOf(options, route));
    mounted.all(methodNotAllowed(options, routes));
  }
  app.use(async (request: Request, response: Response<unknown, Locals>) => {
    await guard(options, request, response);
    throw new AppError('NOT_FOUND', `No API route matches '${pathnameOf(request)}'`);
  });
  app.use(answerError);
  return app;
}

interface Locals extends Record<string, unknown> {
  context: Context;
}

function begin({ services, log }: AppOptions, request: Request, response: Response<unknown, Locals>): void {
  const started = performance.now();
  const given = request.headers['x-request-id'];
  const requestId = typeof given === 'string' && /^[\w.-]{1,128}$/.test(given) ? given : randomUUID();
  const context: Context = {
    ...services,
    pool: services.db,
    requestId,
    log: log.child({ requestId }),
    actor: null,
    method: request.method,
    headers: request.headers,
    address: request.socket.remoteAddress ?? '',
    setCookie: (cookie) => void response.appendHeader('Set-Cookie', cookie),
  };
  response.locals.context = context;
  response.setHeader('X-Request-Id', requestId);
  for (const [name, value] of Object.entries(SECURITY_HEADERS)) response.setHeader(name, value);
  response.once('close', () => {
    const answered = { method: request.method, path: pathnameOf(request), status: response.statusCode };
    const durationMs = Math.round(performance.now() - started);
    context.log.info({ ...answered, durationMs, complete: response.writableFinished }, 'request answered');
  });
}

function handlerOf(options: AppOptions, route: Route) {
  return async (request: Request, response: Response<unknown, Locals>): Promise<void> => {
    const { context } = response.locals;
    await admit(options, route, context);
    const incoming = {
      path: pathValues(route.path, pathnameOf(request)),
      query: new URLSearchParams(request.originalUrl.split('?').slice(1).join('?')),
      readJson: () => readJsonObject(request),
    };
    const idempotencyKey = idempotencyKeyOf(route, context);
    if (idempotencyKey !== undefined)
      return respondKept(response, await answerOnce(route, { incoming, idempotencyKey }, context));
    const body = await route.answer(incoming, context);
    if (route.cacheControl) respondCacheable(response, route, body, route.cacheControl);
    else await respond(response, route, body, options.stalledClientMs);
  };
}

/** Finds out who calls, and whether he may: after the route is known, before anything of the request is read. */
async function admit(options: AppOptions, { access, permission }: Route, context: Context): Promise<void> {
  if (access === 'public') return;
  context.actor = await options.authenticate(access, context);
  requirePermission(context.actor, permission);
}

function methodNotAllowed(options: AppOptions, routes: readonly Route[]) {
  const allowed = routes.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).join(', ');
  return async (request: Request, response: Response<unknown, Locals>): Promise<void> => {
    await guard(options, request, response);
    response.setHeader('Allow', allowed);
    throw new AppError('METHOD_NOT_ALLOWED', `${request.method} method not allowed`);
  };
}

async function guard(options: AppOptions, request: Request, response: Response<unknown, Locals>): Promise<void> {
  if (!pathnameOf(request).startsWith(GUARDED)) return;
  await options.authenticate('key', response.locals.context);
}

/** Four parameters are how Express tells an error handler. */
function answerError(
  error: unknown,
  _request: Request,
  response: Response<unknown, Locals>,
  _next: NextFunction,
): void {
  const answer = toAppError(error);
  if (answer.httpStatus >= 500) response.locals.context.log.error({ err: error }, 'request failed');
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

/** The path as the client wrote it, undecoded, without the query. */
function pathnameOf({ originalUrl }: Request): string {
  return originalUrl.replace(/^https?:\/\/[^/?]*/i, '').split('?', 1)[0] ?? '';
}

/** Path values are compared undecoded (reference §1.0), so they are taken from the path and not from the router. */
function pathValues(template: string, pathname: string): Record<string, string> {
  const segments = pathname.split('/');
  const names = template.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1]);
  return Object.fromEntries(names.flatMap((name, index) => (name ? [[name, segments[index] ?? '']] : [])));
}

function isMalformed(pathname: string): boolean {
  try {
    decodeURIComponent(pathname);
    return false;
  } catch {
    // decodeURIComponent's only way to say so.
    return true;
  }
}
