import compression from 'compression';
import express, { type NextFunction, type Request, type Response, type Router } from 'express';
import { MAX_HISTORY_DAYS } from '../../core/page-settings.ts';
import { HOME_PATH } from '../../core/page.ts';
import { parsePathId } from '../../core/path-id.ts';
import type { Logger } from '../../runtime/logger.ts';
import {
  listDays,
  renderDashboard,
  renderDayPage,
  renderEmbed,
  renderEventsPage,
  renderIncidentPage,
  renderMaintenancePage,
  renderMonitorPage,
  renderStatusPage,
} from '../../web/render.tsx';
import { RANGES, type Range, type Surroundings } from '../../web/view.ts';
import { createKeptValues, type Keeping, type KeptValues } from '../services/kept-values.ts';
import type { Countable } from '../http/rate-limit.ts';
import type { SiteViews } from '../services/site-views.ts';
import { readAssets } from './assets.ts';
import { codingFor, encodeDocument, sendDocument, type WireDocument } from './document.ts';
import { answerFailed, answerNotFound } from './failures.ts';
import { prepare } from './headers.ts';
import { createVisits, queryOf } from './visit.ts';

const A_YEAR_S = 31_536_000;

/**
 * Nobody waits for a page that somebody else has seen within the longer time: he gets that one, and the next one its
 * renewal. What people write is no part of this: it is shown at once (api/services/public-changes.ts). Bytes.
 */
const KEEPING: Keeping = { freshMs: 10_000, staleMs: 45_000, capacity: 64 * 1024 * 1024 };
/** A document's own, beside its body. */
const DOCUMENT_BYTES = 1024;

export interface SiteOptions {
  views: SiteViews;
  /** What the build made for browsers. */
  folder: string;
  /** Where the service is reached from outside, unless its settings say so. Without either: where a request says it went. */
  publicUrl?: string;
  log: Logger;
  keeping?: Keeping;
}

export interface Site {
  /** The pages for people. What it does not know it leaves to whoever comes next. */
  router: Router;
  /** Shows everything anew. */
  forget: () => void;
}

export function createSite({ keeping = KEEPING, ...options }: SiteOptions): Site {
  const documents = createKeptValues<WireDocument | undefined>(
    keeping,
    (document, key) => DOCUMENT_BYTES + document.body.length + key.length,
  );
  const forget = (): void => {
    options.views.forget();
    documents.forget();
  };
  return { router: routerOf(options, documents), forget };
}

function routerOf({ views, folder, publicUrl, log }: SiteOptions, documents: KeptValues<WireDocument | undefined>) {
  const assets = readAssets(folder);
  const visits = createVisits({ views, publicUrl, assets: assets.site });
  const router = express.Router({ caseSensitive: true });
  const show: Show = (path, make, { byMonth = false, byHost = false } = {}) => {
    router.get(path, async (request: Request, response: Counted, next: NextFunction) => {
      const asked = askedOf(request, byMonth);
      if (!asked) return next();
      const { around: wide, isShared } = await visits.of(request, response);
      const around = byHost || wide.isPublished ? wide : { ...wide, base: '' };
      const coding = codingFor(request);
      const key = JSON.stringify([request.path, asked.range, asked.month, around.reader, around.base, coding]);
      const document = await documents.get(key, async () => {
        response.locals.countAddress();
        const html = await make(asked, { ...around, query: textOf(asked) });
        return html === undefined ? undefined : encodeDocument(html, coding);
      });
      if (!document) return next();
      prepare(response, isShared ? 'shared' : 'personal');
      sendDocument(response, document);
    });
  };
  router.use(compression());
  router.use('/assets', keepable, express.static(folder, { immutable: true, maxAge: A_YEAR_S * 1000, ...PLAIN_FILES }));
  router.get(['/manage', '/manage/*rest'], (_request, response) => {
    prepare(response, 'personal');
    response.type('html').send(renderDashboard(assets.manage));
  });
  showAll(show, views);
  router.get('/monitors/:tag/days', async (request: Request, response: Counted, next: NextFunction) => {
    const asked = askedOf(request, false);
    if (!asked) return next();
    response.locals.countAddress();
    const { around, isShared } = await visits.of(request, response);
    const found = await views.monitorDays(asked.params.tag ?? '', daysAsked(request), around.reader.timeZone);
    if (!found) return next();
    prepare(response, isShared ? 'shared' : 'personal');
    response.json(listDays(found, around.reader));
  });
  router.use(answerNotFound(visits), answerFailed(visits, log));
  return router;
}

/** A range of a file that is compressed on its way would be one of another file. */
const PLAIN_FILES = { index: false, redirect: false, acceptRanges: false } as const;

/** The files' names change with their content, so the rule that nothing of the API is kept does not hold for them. */
function keepable(_request: Request, response: Response, next: NextFunction): void {
  response.removeHeader('Cache-Control');
  next();
}

const DEFAULT_RANGE: Range = '24h';

/** As many as the bar has that asks (web/components/day-bar.tsx). */
function daysAsked(request: Request): number {
  const count = /^\d{1,3}$/.exec(queryOf(request).get('last') ?? '') ?? DEFAULT_DAYS;
  return Math.min(Math.max(Number(count), 1), MAX_HISTORY_DAYS);
}

const DEFAULT_DAYS = 90;

interface Asked {
  params: Record<string, string | undefined>;
  range: Range;
  month: string | undefined;
}

type Counted = Response<unknown, Countable>;

type Show = (path: string | string[], make: MakePage, asks?: Asks) => void;

/** What else than its path, its range and its reader a page depends on: what is in no key cannot be asked in many ways. */
interface Asks {
  byMonth?: boolean;
  /** The page names where it was asked for. */
  byHost?: boolean;
}

type MakePage = (asked: Asked, around: Surroundings) => Promise<string | undefined>;

function showAll(show: Show, views: SiteViews): void {
  const monitorPage: MakePage = async ({ params, range }, around) => {
    const found = await views.monitorPage(params.tag ?? '', range, around.reader.timeZone);
    return found && renderMonitorPage(found.view, at(around, found));
  };
  show('/monitors/:tag', monitorPage, { byHost: true });
  show('/monitors/:tag/days/:day', async ({ params }, around) => {
    const found = await views.dayPage(params.tag ?? '', params.day ?? '', around.reader.timeZone);
    return found && renderDayPage(found.view, at(around, found));
  });
  show('/incidents/:id', async ({ params }, around) => {
    const id = idOf(params.id);
    const found = id && (await views.incident(id));
    return found ? renderIncidentPage(found.view, at(around, found)) : undefined;
  });
  show('/maintenances/:id', async ({ params }, around) => {
    const id = idOf(params.id);
    const found = id && (await views.maintenance(id));
    return found ? renderMaintenancePage(found.view, at(around, found)) : undefined;
  });
  const eventsPage: MakePage = async ({ month }, around) => {
    const found = await views.events(month, around.reader.timeZone);
    return found && renderEventsPage(found.view, at(around, found));
  };
  show('/events', eventsPage, { byMonth: true });
  show('/embed/:monitor', async ({ params, range }, around) => {
    const tag = /^monitor-(.+)$/.exec(params.monitor ?? '')?.[1];
    const found = tag && (await views.monitorPage(tag, range, around.reader.timeZone));
    return found ? renderEmbed(found.view, at(around, found)) : undefined;
  });
  show(['/', '/:path'], async ({ params }, around) => {
    const found = await views.statusPage(params.path ?? HOME_PATH, around.reader.timeZone);
    return found && renderStatusPage(found.view, at(around, found));
  });
}

/** A page has one address: what the API reads as a number too, `1.5` or `01`, has none. */
function idOf(text = ''): number | undefined {
  return /^[1-9]\d*$/.test(text) ? parsePathId(text) : undefined;
}

function at(around: Surroundings, { now }: { now: number }): Surroundings {
  return { ...around, now };
}

/** The questions whose answers the page is, as an address has them. */
function textOf({ range, month }: Asked): string {
  const asked = [
    range !== DEFAULT_RANGE && `range=${range}&`,
    month !== undefined && `month=${encodeURIComponent(month)}&`,
  ];
  return asked.filter(Boolean).join('');
}

/** What a visitor asks for; undefined where nothing can have the name. */
function askedOf(request: Request, byMonth: boolean): Asked | undefined {
  const query = queryOf(request);
  const params = Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)]));
  if (!Object.values(params).every(isName)) return undefined;
  const range = RANGES.find((one) => one === query.get('range')) ?? DEFAULT_RANGE;
  return { params, range, month: byMonth ? (query.get('month') ?? undefined) : undefined };
}

/** The longest tag, after `monitor-`. */
const MAX_NAME_LENGTH = 263;

/** Without a NUL, which the database takes in no text. */
function isName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && !text.includes('\0');
}
