import type pg from 'pg';
import { inSnapshot, type Queryable } from '../../db/client.ts';
import { countBookOf } from '../../db/count-book.ts';
import { findPublicIncident } from '../../db/page-incidents.ts';
import { findPublicMaintenance } from '../../db/page-maintenances.ts';
import { readNow } from '../../db/service-clock.ts';
import type {
  DayPageView,
  EventsView,
  IncidentView,
  MaintenancePageView,
  MonitorDaysView,
  MonitorPageView,
  Range,
  SiteView,
  StatusPageView,
} from '../../web/view.ts';
import { readDayView } from './day-view.ts';
import { readEventsView } from './events-view.ts';
import { createKeptValues, type Keeping } from './kept-values.ts';
import { readMonitorDays } from './monitor-days.ts';
import { readMonitorView } from './monitor-view.ts';
import { readPageView } from './page-view.ts';
import { readSiteView } from './site-view.ts';
import { daysKey, timeZoneOf } from './visitor-days.ts';

/** A view, and the second that is now on it. */
export type Dated<View> = Promise<{ view: View; now: number } | undefined>;

/** What the pages for people show; undefined where there is nothing public of that name. Zones are of `isTimeZone`. */
export interface SiteViews {
  site(): Promise<SiteView>;
  statusPage(path: string, timeZone: string): Dated<StatusPageView>;
  monitorPage(tag: string, range: Range, timeZone: string): Dated<MonitorPageView>;
  /** The last `count` days. */
  monitorDays(tag: string, count: number, timeZone: string): Promise<MonitorDaysView | undefined>;
  /** `day` as `2026-11-20`, in the zone. */
  dayPage(tag: string, day: string, timeZone: string): Dated<DayPageView>;
  incident(id: number): Dated<IncidentView>;
  maintenance(id: number): Dated<MaintenancePageView>;
  /** `month` as `2026-11`, in the zone; the current one without. */
  events(month: string | undefined, timeZone: string): Dated<EventsView>;
  /** Keeps nothing of what has been read so far. */
  forget(): void;
}

/** Visitors of many kinds share a view for so long; what they are given of it is kept elsewhere (api/site/site.ts). */
const KEPT_MS = 5000;
/** In days of monitors, some hundred bytes each: fifty zones of a page with a hundred monitors, or five with a thousand. */
const CAPACITY = 450_000;
const KEEPING: Keeping = { freshMs: KEPT_MS, staleMs: KEPT_MS, capacity: CAPACITY };
/** A maintenance's windows are shown so far back. */
const WINDOWS_BACK_SECONDS = 90 * 86_400;

/** Views out of the database at `pool`, each in one snapshot and kept for some seconds. */
export function createSiteViews(pool: pg.Pool, keeping: Keeping = KEEPING): SiteViews {
  const book = countBookOf(pool);
  const sites = createKeptValues<SiteView>({ ...keeping, capacity: 1 });
  const pages = createKeptValues<Awaited<Dated<StatusPageView>>>(keeping, (page) => weightOf(page.view.monitors));
  const monitors = createKeptValues<Awaited<Dated<MonitorPageView>>>(keeping, (page) => weightOf([page.view.monitor]));
  const bars = createKeptValues<MonitorDaysView | undefined>(keeping, (monitor) => weightOf([monitor]));
  const days = createKeptValues<Awaited<Dated<DayPageView>>>(keeping, () => DAY_WEIGHT);
  const months = createKeptValues<Awaited<Dated<EventsView>>>(keeping, () => MONTH_WEIGHT);
  const inZone = (name: string) => {
    const zone = timeZoneOf(name);
    return { zone, key: daysKey(zone, Date.now() / 1000) };
  };
  return {
    site: () => sites.get('', () => readSiteView(pool)),
    async statusPage(path, timeZone) {
      const { zone, key } = inZone(timeZone);
      return pages.get(`${path} ${key}`, () => inSnapshot(pool, (client) => readPageView(client, book, path, zone)));
    },
    async monitorPage(tag, range, timeZone) {
      const { zone, key } = inZone(timeZone);
      const read = (client: Queryable) => readMonitorView(client, book, { tag, range, zone });
      return monitors.get(`${tag} ${range} ${key}`, () => inSnapshot(pool, read));
    },
    async monitorDays(tag, count, timeZone) {
      const { zone, key } = inZone(timeZone);
      const read = (client: Queryable) => readMonitorDays(client, book, { tag, count, zone });
      return bars.get(`${tag} ${count} ${key}`, () => inSnapshot(pool, read));
    },
    async dayPage(tag, day, timeZone) {
      const { zone } = inZone(timeZone);
      const read = (client: Queryable) => readDayView(client, book, { tag, day, zone });
      // Further back than a year zones may differ that are alike in what a key tells.
      return days.get(`${tag} ${day} ${timeZone}`, () => inSnapshot(pool, read));
    },
    async events(month, timeZone) {
      const { zone } = inZone(timeZone);
      const read = (client: Queryable) => readEventsView(client, month, zone);
      return months.get(`${month ?? ''} ${timeZone}`, () => inSnapshot(pool, read));
    },
    incident: (id) => dated(pool, (client) => findPublicIncident(client, id)),
    maintenance: (id) => dated(pool, (client, now) => findPublicMaintenance(client, id, now - WINDOWS_BACK_SECONDS)),
    forget() {
      for (const kept of [sites, pages, monitors, bars, days, months]) kept.forget();
    },
  };
}

/** A day's spans and curve, a month's incidents and windows: about as much as so many days of a monitor. */
const DAY_WEIGHT = 300;
const MONTH_WEIGHT = 1000;

function weightOf(monitors: readonly MonitorDaysView[]): number {
  return monitors.reduce((days, monitor) => days + monitor.days.length, 1);
}

function dated<View>(pool: pg.Pool, read: (client: Queryable, now: number) => Promise<View | undefined>): Dated<View> {
  return inSnapshot(pool, async (client) => {
    const now = Math.floor(await readNow(client));
    const view = await read(client, now);
    return view && { view, now };
  });
}
