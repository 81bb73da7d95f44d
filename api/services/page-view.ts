import { localDays } from '../../core/local-days.ts';
import { overallStatus } from '../../core/overall-status.ts';
import type { Page } from '../../core/page.ts';
import type { TimeZone } from '../../core/time-zone.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { listPageIncidents } from '../../db/page-incidents.ts';
import { listPageMaintenances } from '../../db/page-maintenances.ts';
import { findPage } from '../../db/pages.ts';
import { readNow } from '../../db/service-clock.ts';
import { listPageMonitors } from '../../db/visible-monitors.ts';
import type { StatusPageView } from '../../web/view.ts';
import { readMonitorRows } from './monitor-rows.ts';

/** A page as everybody may see it, and the second that is now on it. */
export interface SeenPage {
  view: StatusPageView;
  now: number;
}

/** The page of this path with the days of this zone; undefined where there is none. One snapshot. */
export async function readPageView(
  client: Queryable,
  book: CountBook,
  path: string,
  zone: TimeZone,
): Promise<SeenPage | undefined> {
  const page = await findPage(client, path);
  if (!page) return undefined;
  const now = Math.floor(await readNow(client));
  const shown = await listPageMonitors(client, page.id);
  const { desktop, mobile } = page.page_settings.monitor_status_history_days;
  const days = localDays(zone, now, Math.max(desktop, mobile));
  const monitors = await readMonitorRows(client, book, shown, { days, now, sinceOf: (status) => status !== 'UP' });
  const { status, partial } = overallStatus(monitors.map((monitor) => monitor.status));
  const view: StatusPageView = {
    ...{ path, title: page.page_title, header: page.page_header },
    tabTitle: page.page_settings.meta_page_title ?? page.page_title,
    ...{ subheader: page.page_subheader, logo: page.page_logo },
    layout: page.page_settings.monitor_layout_style,
    historyDays: { desktop, mobile },
    overall: { status, partial },
    monitors,
    ...(await readIncidents(client, page, now)),
    ...(await readMaintenances(client, page, now)),
  };
  return { view, now };
}

async function readIncidents(client: Queryable, { id, page_settings }: Page, now: number) {
  const { enabled, ongoing, resolved } = page_settings.incidents;
  const listed = await listPageIncidents(client, id, now, resolved);
  return {
    ongoingIncidents: enabled && ongoing.show ? listed.ongoing : null,
    resolvedIncidents: enabled && resolved.show ? listed.resolved : null,
  };
}

async function readMaintenances(client: Queryable, { id, page_settings }: Page, now: number) {
  const { enabled, ongoing } = page_settings.include_maintenances;
  const listed = await listPageMaintenances(client, id, now, ongoing);
  return {
    ongoingMaintenances: enabled && ongoing.show ? listed.ongoing : null,
    upcomingMaintenances: enabled && ongoing.upcoming.show ? listed.upcoming : null,
    pastMaintenances: enabled && ongoing.past.show ? listed.past : null,
  };
}
