import compression from 'compression';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { AppError } from '../../core/app-error.ts';
import { HOME_PATH } from '../../core/page.ts';
import { isTransient } from '../../db/client.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Assets } from '../../web/document.tsx';
import {
  listDays,
  renderDashboard,
  renderDayPage,
  renderEmbed,
  renderErrorPage,
  renderEventsPage,
  renderIncidentPage,
  renderMaintenancePage,
  renderMonitorPage,
  renderStatusPage,
} from '../../web/render.tsx';
import { RANGES, type Range, type Reader } from '../../web/view.ts';
import type { SiteViews } from '../services/site-views.ts';
import { readAssets } from './assets.ts';
import { wishesOf } from './reader.ts';

/** Everything a page loads comes from this host; nothing runs that is not in a file of ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  // Logos and monitors' images stand wherever their owners keep them.
  'img-src https: http: data:',
  "form-action 'self'",
  "base-uri 'none'",
].join('; ');
/** The dashboard shows a page in a frame; what is made for other people's frames says so. */
const FRAMED_BY_US = "; frame-ancestors 'self'";
const FRAMED_BY_ALL = '; frame-ancestors *';

const A_YEAR_S = 31_536_000;
/** What an answer depends on besides its address. */
const VARY = 'Accept, Accept-Language, Cookie';

export interface SiteOptions {
  views: SiteViews;
  /** What the build made for browsers. */
  folder: string;
  /** Where the service is reached from outside. Without: where the request says it went. */
  publicUrl?: string;
  log: Logger;
}

/** The pages for people. What it does not know it leaves to whoever comes next. */
export function createSite(options: SiteOptions): Router {
  const { views, folder } = options;
  const assets = readAssets(folder);
  const site = express.Router({ caseSensitive: true });
  site.use(
    '/assets',
    keepable,
    express.static(folder, { immutable: true, maxAge: A_YEAR_S * 1000, index: false, redirect: false }),
  );
  site.use(compression());
  const show = (path: string | string[], make: MakePage): void => void site.get(path, page(make));
  show(['/manage', '/manage/*rest'], async () => renderDashboard(assets.manage));
  show('/monitors/:tag', async ({ params, query }, reader) => {
    const found = await views.monitorPage(params.tag ?? '', rangeOf(query.get('range')), reader.timeZone);
    return found && renderMonitorPage(found.view, at(reader, found), assets.site, baseOf(options, reader));
  });
  site.get('/monitors/:tag/days', async (request, response, next) => {
    const reader = readerOf(request, response);
    const found = await views.monitorPage(String(request.params.tag), '24h', reader.timeZone);
    if (!found) return next();
    response.setHeader('Cache-Control', 'no-cache').setHeader('Vary', VARY).json(listDays(found.view, reader));
  });
  show('/monitors/:tag/days/:day', async ({ params }, reader) => {
    const found = await views.dayPage(params.tag ?? '', params.day ?? '', reader.timeZone);
    return found && renderDayPage(found.view, at(reader, found), assets.site);
  });
  show('/incidents/:id', async ({ params }, reader) => {
    const found = await views.incident(Number(params.id));
    return found && renderIncidentPage(found.view, at(reader, found), assets.site);
  });
  show('/maintenances/:id', async ({ params }, reader) => {
    const found = await views.maintenance(Number(params.id));
    return found && renderMaintenancePage(found.view, at(reader, found), assets.site);
  });
  show('/events', async ({ query }, reader) => {
    const found = await views.events(query.get('month') ?? undefined, reader.timeZone);
    return found && renderEventsPage(found.view, at(reader, found), assets.site);
  });
  show('/embed/:monitor', async ({ params, query }, reader) => {
    const tag = /^monitor-(.+)$/.exec(params.monitor ?? '')?.[1];
    const found = tag && (await views.monitorPage(tag, rangeOf(query.get('range')), reader.timeZone));
    return found ? renderEmbed(found.view, at(reader, found), assets.site) : undefined;
  });
  show(['/', '/:path'], async ({ params }, reader) => {
    const found = await views.statusPage(params.path ?? HOME_PATH, reader.timeZone);
    return found && renderStatusPage(found.view, at(reader, found), assets.site);
  });
  site.use(notFound(assets.site), failed(assets.site, options.log));
  return site;
}

/** The files' names change with their content, so the rule that nothing of the API is kept does not hold for them. */
function keepable(_request: Request, response: Response, next: NextFunction): void {
  response.removeHeader('Cache-Control');
  next();
}

interface Asked {
  params: Record<string, string | undefined>;
  query: URLSearchParams;
}

type Visitor = Reader & { host: string };
type MakePage = (asked: Asked, reader: Visitor) => Promise<string | undefined>;

function page(make: MakePage) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const params = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]));
    const html = await make({ params, query: queryOf(request) }, readerOf(request, response));
    if (html === undefined) next();
    else send(response, 200, html);
  };
}

function at(reader: Reader, { now }: { now: number }): Reader {
  return { ...reader, now };
}

function rangeOf(text: string | null): Range {
  return RANGES.find((range) => range === text) ?? '24h';
}

function baseOf({ publicUrl }: SiteOptions, { host }: Visitor): string {
  return publicUrl?.replace(/\/$/, '') ?? `http://${host}`;
}

/** Programs get the API's own answer; a person is told in words. */
function notFound(assets: Assets) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isForPeople(request)) return next();
    send(response, 404, renderErrorPage(404, readerOf(request, response), assets));
  };
}

function failed(assets: Assets, log: Logger) {
  return (error: unknown, request: Request, response: Response, next: NextFunction): void => {
    if (!isForPeople(request) || response.headersSent) return next(error);
    const isAway = isTransient(error) || (error instanceof AppError && error.code === 'UNAVAILABLE');
    const status = isAway ? 503 : 500;
    log.error({ err: error }, 'page failed');
    if (isAway) response.setHeader('Retry-After', '5');
    send(response, status, renderErrorPage(status, readerOf(request, response), assets));
  };
}

function isForPeople(request: Request): boolean {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && request.accepts(['json', 'html']) === 'html' && !request.path.startsWith('/api/');
}

function readerOf(request: Request, response: Response): Visitor {
  const { chosen, ...wishes } = wishesOf(request, queryOf(request));
  if (chosen)
    response.appendHeader('Set-Cookie', `farwatch_lang=${wishes.locale}; Path=/; Max-Age=${A_YEAR_S}; SameSite=Lax`);
  return { ...wishes, path: request.path, now: Math.floor(Date.now() / 1000), host: request.headers.host ?? '' };
}

function queryOf({ originalUrl }: Request): URLSearchParams {
  return new URLSearchParams(originalUrl.split('?').slice(1).join('?'));
}

function send(response: Response, status: number, html: string): void {
  const isEmbed = response.req.path.startsWith('/embed/');
  // What the policy says of frames counts before it where it is understood, which is everywhere by now.
  response.removeHeader('X-Frame-Options');
  response
    .status(status)
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY + (isEmbed ? FRAMED_BY_ALL : FRAMED_BY_US))
    .setHeader('Cache-Control', 'no-cache')
    .setHeader('Vary', VARY)
    .type('html')
    .send(html);
}
