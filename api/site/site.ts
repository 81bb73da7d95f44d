import compression from 'compression';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { AppError } from '../../core/app-error.ts';
import { HOME_PATH } from '../../core/page.ts';
import { isTransient } from '../../db/client.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Assets } from '../../web/document.tsx';
import { renderErrorPage, renderStatusPage } from '../../web/render.tsx';
import type { Reader, StatusPageView } from '../../web/view.ts';
import { wishesOf } from './reader.ts';

/** Everything a page loads comes from this host; nothing runs that is not in a file of ours. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // Logos and monitors' images stand wherever their owners keep them.
  'img-src https: http: data:',
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const A_YEAR_S = 31_536_000;

export interface SiteOptions {
  views: SiteViews;
  assets: Assets;
  /** The folder that `assets` stand in. */
  assetsFolder: string;
  log: Logger;
}

/** What the pages show; undefined where there is nothing public of that name. */
export interface SiteViews {
  statusPage(path: string, timeZone: string): Promise<{ view: StatusPageView; now: number } | undefined>;
}

/** The pages for people. What it does not know it leaves to whoever comes next. */
export function createSite(options: SiteOptions): Router {
  const site = express.Router({ caseSensitive: true });
  site.use(
    '/assets',
    express.static(options.assetsFolder, { immutable: true, maxAge: A_YEAR_S * 1000, index: false, redirect: false }),
  );
  site.use(compression());
  site.get(['/', '/:path'], statusPage(options));
  site.use(notFound(options), failed(options));
  return site;
}

function statusPage({ views, assets }: SiteOptions) {
  return async (request: Request, response: Response, next: NextFunction): Promise<void> => {
    const { path } = request.params;
    const reader = readerOf(request, response);
    const found = await views.statusPage(typeof path === 'string' ? path : HOME_PATH, reader.timeZone);
    if (!found) return next();
    send(response, 200, renderStatusPage(found.view, { ...reader, now: found.now }, assets));
  };
}

/** Programs get the API's own answer; a person is told in words. */
function notFound({ assets }: SiteOptions) {
  return (request: Request, response: Response, next: NextFunction): void => {
    if (!isForPeople(request)) return next();
    send(response, 404, renderErrorPage(404, readerOf(request, response), assets));
  };
}

function failed({ assets, log }: SiteOptions) {
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

function readerOf(request: Request, response: Response): Reader {
  const query = new URLSearchParams(request.originalUrl.split('?').slice(1).join('?'));
  const { chosen, ...wishes } = wishesOf(request, query);
  if (chosen)
    response.appendHeader('Set-Cookie', `farwatch_lang=${wishes.locale}; Path=/; Max-Age=${A_YEAR_S}; SameSite=Lax`);
  return { ...wishes, path: request.path, now: Math.floor(Date.now() / 1000) };
}

function send(response: Response, status: number, html: string): void {
  response
    .status(status)
    .setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY)
    .setHeader('Cache-Control', 'no-cache')
    .setHeader('Vary', 'Accept, Accept-Language, Cookie')
    .type('html')
    .send(html);
}
