import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { summaryOf } from './components/day-summary.ts';
import { Incident } from './components/incident.tsx';
import { MonitorRow } from './components/monitor-row.tsx';
import { renderDocument, type Assets } from './document.tsx';
import { DayPage } from './pages/day-page.tsx';
import { ErrorPage, type ErrorStatus } from './pages/error-page.tsx';
import { EventsPage } from './pages/events-page.tsx';
import { MaintenancePage } from './pages/maintenance-page.tsx';
import { MonitorPage } from './pages/monitor-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import type {
  DayPageView,
  EventsView,
  IncidentView,
  MaintenancePageView,
  MonitorPageView,
  Reader,
  StatusPageView,
} from './view.ts';
import { wordsFor, type Words } from './words.ts';

/** The pages as texts: whole documents, complete without any script. */

/** Days that a phone shows where no page's settings say so. */
const PHONE_DAYS = 30;

/** A status page. */
export function renderStatusPage(page: StatusPageView, reader: Reader, assets: Assets): string {
  const words = wordsFor(reader.locale, reader.timeZone);
  const feed = reader.path === '/' ? '/rss.xml' : `${reader.path}/rss.xml`;
  const home = { href: reader.path, title: page.title };
  const content = <StatusPage page={page} now={reader.now} words={words} />;
  return renderDocument({ title: page.title, reader, assets, feed, logo: page.logo, home, content });
}

/** A monitor over a range; `base` is where the service is reached from outside. */
export function renderMonitorPage(page: MonitorPageView, reader: Reader, assets: Assets, base: string): string {
  const feed = `/monitors/${page.monitor.tag}/rss.xml`;
  const { name } = page.monitor;
  return render(name, reader, assets, (words) => <MonitorPage page={page} base={base} words={words} />, feed);
}

/** A day of a monitor. */
export function renderDayPage(page: DayPageView, reader: Reader, assets: Assets): string {
  return render(page.name, reader, assets, (words) => <DayPage page={page} words={words} />);
}

/** What a bar's days say when they are pointed at, oldest first. */
export function listDays({ monitor }: MonitorPageView, { locale, timeZone }: Reader) {
  const words = wordsFor(locale, timeZone);
  return monitor.days.map((day) => ({
    href: `/monitors/${monitor.tag}/days/${words.isoDay(day.start)}`,
    title: words.day(day.start),
    text: summaryOf(day, words) || words.say('day.none'),
  }));
}

/** What happened in a month. */
export function renderEventsPage(page: EventsView, reader: Reader, assets: Assets): string {
  const title = (words: Words): string => words.say('events.month', { month: words.month(page.start) });
  return render(title, reader, assets, (words) => <EventsPage page={page} words={words} />, '/rss.xml');
}

/** An incident with its timeline. */
export function renderIncidentPage(incident: IncidentView, reader: Reader, assets: Assets): string {
  return render(incident.title, reader, assets, (words) => <Incident incident={incident} words={words} heading="h1" />);
}

/** A maintenance with its windows. */
export function renderMaintenancePage(page: MaintenancePageView, reader: Reader, assets: Assets): string {
  return render(page.title, reader, assets, (words) => <MaintenancePage page={page} words={words} />);
}

/** A monitor for a frame on somebody else's page. */
export function renderEmbed({ monitor }: MonitorPageView, reader: Reader, assets: Assets): string {
  const words = wordsFor(reader.locale, reader.timeZone);
  const content = (
    <ul class="monitors embed">
      <MonitorRow monitor={monitor} phoneDays={PHONE_DAYS} words={words} heading="h1" />
    </ul>
  );
  return renderDocument({ title: monitor.name, reader, assets, content });
}

/** What stands there instead of a page. */
export function renderErrorPage(status: ErrorStatus, reader: Reader, assets: Assets): string {
  const title = (words: Words): string => words.say(`error.${status}.title`);
  return render(title, reader, assets, (words) => <ErrorPage status={status} words={words} />);
}

/** What the dashboard starts from: it is all script. */
export function renderDashboard(assets: Assets): string {
  const shell = (
    <html lang="en">
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <title>Farwatch</title>
        <link rel="stylesheet" href={assets.css} />
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        <script type="module" src={assets.js} />
      </head>
      <body>
        <div id="app">
          <noscript>The dashboard needs JavaScript. The status pages do without.</noscript>
        </div>
      </body>
    </html>
  );
  return `<!doctype html>${renderToString(shell)}`;
}

/** A page below the first one. */
function render(
  title: string | ((words: Words) => string),
  reader: Reader,
  assets: Assets,
  content: (words: Words) => ComponentChildren,
  feed?: string,
): string {
  const words = wordsFor(reader.locale, reader.timeZone);
  const home = { href: '/', title: words.say('nav.home') };
  const text = typeof title === 'string' ? title : title(words);
  return renderDocument({ title: text, reader, assets, feed, home, content: content(words) });
}
