import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { summaryOf } from './components/day-summary.ts';
import { Incident } from './components/incident.tsx';
import { MonitorRow } from './components/monitor-row.tsx';
import { renderDocument } from './document.tsx';
import { DayPage } from './pages/day-page.tsx';
import { ErrorPage, type ErrorStatus } from './pages/error-page.tsx';
import { EventsPage } from './pages/events-page.tsx';
import { MaintenancePage } from './pages/maintenance-page.tsx';
import { DAYS_SHOWN, MonitorPage } from './pages/monitor-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import type {
  Assets,
  DayPageView,
  EventsView,
  IncidentView,
  MaintenancePageView,
  MonitorDaysView,
  MonitorPageView,
  Reader,
  StatusPageView,
  Surroundings,
} from './view.ts';
import { wordsFor, type Words } from './words.ts';

/** The pages as texts: whole documents, complete without any script. */

/** A status page. */
export function renderStatusPage(page: StatusPageView, around: Surroundings): string {
  const words = wordsOf(around);
  const feed = around.path === '/' ? '/rss.xml' : `${around.path}/rss.xml`;
  const brand = { name: page.title, logo: page.logo ?? around.site.logo, href: around.path };
  const content = <StatusPage page={page} now={around.now} words={words} />;
  return renderDocument({ title: page.tabTitle, around, words, feed, brand, content });
}

/** A monitor over a range. */
export function renderMonitorPage(page: MonitorPageView, around: Surroundings): string {
  const { name, tag } = page.monitor;
  const content = (words: Words) => <MonitorPage page={page} base={around.base} now={around.now} words={words} />;
  return renderInner(() => name, around, content, `/monitors/${tag}/rss.xml`);
}

/** A day of a monitor. */
export function renderDayPage(page: DayPageView, around: Surroundings): string {
  const title = (words: Words): string => `${page.name}, ${words.day(page.day.start)}`;
  return renderInner(title, around, (words) => <DayPage page={page} words={words} />);
}

/** What a bar's days say when they are pointed at, oldest first. */
export function listDays({ tag, days }: MonitorDaysView, { locale, timeZone }: Reader) {
  const words = wordsFor(locale, timeZone);
  return days.map((day) => ({
    href: `/monitors/${tag}/days/${words.isoDay(day.start)}`,
    title: words.day(day.start),
    text: summaryOf(day, words) || words.say('day.none'),
  }));
}

/** What happened in a month. */
export function renderEventsPage(page: EventsView, around: Surroundings): string {
  const title = (words: Words): string => words.say('events.month', { month: words.month(page.start) });
  return renderInner(title, around, (words) => <EventsPage page={page} words={words} />, '/rss.xml');
}

/** An incident with its timeline. */
export function renderIncidentPage(incident: IncidentView, around: Surroundings): string {
  const content = (words: Words) => <Incident incident={incident} words={words} heading="h1" />;
  return renderInner(() => incident.title, around, content);
}

/** A maintenance with its windows. */
export function renderMaintenancePage(page: MaintenancePageView, around: Surroundings): string {
  return renderInner(
    () => page.title,
    around,
    (words) => <MaintenancePage page={page} words={words} />,
  );
}

/** A monitor for a frame on somebody else's page. */
export function renderEmbed({ monitor }: MonitorPageView, around: Surroundings): string {
  const words = wordsOf(around);
  const content = (
    <ul class="monitors embed">
      <MonitorRow monitor={monitor} now={around.now} shown={DAYS_SHOWN} words={words} heading="h1" />
    </ul>
  );
  return renderDocument({ title: monitor.name, around, words, content });
}

/** What stands there instead of a page. */
export function renderErrorPage(status: ErrorStatus, around: Surroundings): string {
  const title = (words: Words): string => words.say(`error.${status}.title`);
  return renderInner(title, around, (words) => <ErrorPage status={status} words={words} />);
}

/** A page below the first one. */
function renderInner(
  titleIn: (words: Words) => string,
  around: Surroundings,
  contentIn: (words: Words) => ComponentChildren,
  feed?: string,
): string {
  const { site } = around;
  const words = wordsOf(around);
  const title = `${titleIn(words)} · ${site.title ?? site.name}`;
  const brand = { name: site.name, logo: site.logo, href: '/' };
  return renderDocument({ title, around, words, feed, brand, content: contentIn(words) });
}

function wordsOf({ reader }: Surroundings): Words {
  return wordsFor(reader.locale, reader.timeZone);
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
        {assets.js !== null && <script type="module" src={assets.js} />}
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
