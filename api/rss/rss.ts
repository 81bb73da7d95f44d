import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import type { PageSettings } from '../../core/page-settings.ts';
import { HOME_PATH, type Page } from '../../core/page.ts';
import { listIncidentsBetween, type PublicIncident } from '../../db/page-incidents.ts';
import { listMaintenancesBetween, type PublicMaintenance } from '../../db/page-maintenances.ts';
import { findPage } from '../../db/pages.ts';
import type { PublicScope } from '../../db/public-scope.ts';
import { readNow } from '../../db/service-clock.ts';
import { readSiteData } from '../../db/site-data.ts';
import { findVisibleMonitors } from '../../db/visible-monitors.ts';
import type { Context } from '../context.ts';
import { route, type Route } from '../http/route.ts';
import { writeFeed } from './feed.ts';

/** How far back and ahead a feed looks (reference §1.7). */
const REACH_SECONDS = 90 * 86_400;

const feed = {
  method: 'GET',
  access: 'public',
  cacheControl: 'public, max-age=300',
  text: { mediaType: 'application/rss+xml' },
  response: z.string().meta({ description: 'RSS 2.0' }),
} as const;

/**
 * The feeds of pages and of monitors. Their links are absolute, so without the setting PUBLIC_URL there are none: a
 * host that a client names would end up in other readers' caches.
 */
export const rssRoutes: Route[] = [
  route({
    ...feed,
    path: '/rss.xml',
    summary: 'A feed of the incidents and maintenances of the home page; needs the setting PUBLIC_URL',
    alsoFails: { 404: 'The setting PUBLIC_URL is missing' },
    handler: (_, context) => pageFeed(HOME_PATH, context),
  }),
  route({
    ...feed,
    path: '/{page_path}/rss.xml',
    summary: "A feed of a page's incidents and maintenances; needs the setting PUBLIC_URL",
    handler: ({ path }, context) => pageFeed(path.page_path, context),
  }),
  route({
    ...feed,
    path: '/monitors/{tag}/rss.xml',
    summary: "A feed of a monitor's incidents and maintenances; needs the setting PUBLIC_URL",
    handler: ({ path }, context) => monitorFeed(path.tag, context),
  }),
];

async function baseOf({ db, publicUrl }: Context): Promise<string> {
  const base = (await readSiteData(db)).siteURL ?? publicUrl;
  if (base !== null) return base.replace(/\/+$/, '');
  throw new AppError('NOT_FOUND', 'There are no feeds without the setting PUBLIC_URL, which their links begin with');
}

async function pageFeed(path: string, context: Context): Promise<string> {
  const base = await baseOf(context);
  const { db } = context;
  const page = await findPage(db, path);
  if (!page) throw new AppError('NOT_FOUND', `Page with path '${path}' not found`);
  const { now, incidents, maintenances } = await readEvents(db, { page: page.id });
  const place = path === HOME_PATH ? '' : `/${path}`;
  return writeFeed({
    title: page.page_title,
    description: page.page_subheader ?? page.page_header,
    link: `${base}${place || '/'}`,
    self: `${base}${place}/rss.xml`,
    base,
    incidents: incidents.filter((incident) => showsIncident(page, incident, now)),
    maintenances: maintenances.filter((maintenance) => showsMaintenance(page, maintenance)),
  });
}

async function monitorFeed(tag: string, context: Context): Promise<string> {
  const base = await baseOf(context);
  const { db } = context;
  const [monitor] = await findVisibleMonitors(db, [tag]);
  if (!monitor) throw new AppError('NOT_FOUND', `Monitor with tag '${tag}' not found`);
  const { incidents, maintenances } = await readEvents(db, { monitor: monitor.id });
  const link = `${base}/monitors/${tag}`;
  const description = `Incidents and maintenances of ${monitor.name}`;
  return writeFeed({ title: monitor.name, description, link, self: `${link}/rss.xml`, base, incidents, maintenances });
}

async function readEvents(db: Context['db'], scope: PublicScope) {
  const now = Math.floor(await readNow(db));
  const range = { from: now - REACH_SECONDS, to: now + REACH_SECONDS };
  const incidents = await listIncidentsBetween(db, scope, range);
  const maintenances = await listMaintenancesBetween(db, scope, range);
  return { now, incidents, maintenances };
}

/** What a page does not show its feed does not either; how many and how old is the feed's own affair. */
function showsIncident({ page_settings }: Page, { end }: PublicIncident, now: number): boolean {
  const { enabled, ongoing, resolved } = page_settings.incidents;
  return enabled && (end === null || end > now ? ongoing.show : resolved.show);
}

function showsMaintenance({ page_settings }: Page, { status }: PublicMaintenance): boolean {
  const { enabled, ongoing } = page_settings.include_maintenances;
  return enabled && FLAG[status](ongoing).show;
}

type Flags = PageSettings['include_maintenances']['ongoing'];
const upcoming = (flags: Flags) => flags.upcoming;
const past = (flags: Flags) => flags.past;
const FLAG = {
  SCHEDULED: upcoming,
  READY: upcoming,
  ONGOING: (flags: Flags) => flags,
  COMPLETED: past,
  CANCELLED: past,
};
