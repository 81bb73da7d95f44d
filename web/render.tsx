import type { ComponentChildren } from 'preact';
import { renderDocument, type Assets } from './document.tsx';
import { DayPage } from './pages/day-page.tsx';
import { ErrorPage, type ErrorStatus } from './pages/error-page.tsx';
import { EventsPage } from './pages/events-page.tsx';
import { MonitorPage } from './pages/monitor-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import type { DayPageView, EventsView, MonitorPageView, Reader, StatusPageView } from './view.ts';
import { wordsFor, type Words } from './words.ts';

/** The pages as texts: whole documents, complete without any script. */

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

/** What happened in a month. */
export function renderEventsPage(page: EventsView, reader: Reader, assets: Assets): string {
  const title = (words: Words): string => words.say('events.month', { month: words.month(page.start) });
  return render(title, reader, assets, (words) => <EventsPage page={page} words={words} />, '/rss.xml');
}

/** What stands there instead of a page. */
export function renderErrorPage(status: ErrorStatus, reader: Reader, assets: Assets): string {
  const title = (words: Words): string => words.say(`error.${status}.title`);
  return render(title, reader, assets, (words) => <ErrorPage status={status} words={words} />);
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
