import { renderDocument, type Assets } from './document.tsx';
import { ErrorPage, type ErrorStatus } from './pages/error-page.tsx';
import { StatusPage } from './pages/status-page.tsx';
import type { Reader, StatusPageView } from './view.ts';
import { wordsFor } from './words.ts';

/** The pages as texts: whole documents, complete without any script. */

/** A status page. */
export function renderStatusPage(page: StatusPageView, reader: Reader, assets: Assets): string {
  const words = wordsFor(reader.locale, reader.timeZone);
  const feed = reader.path === '/' ? '/rss.xml' : `${reader.path}/rss.xml`;
  const home = { href: reader.path, title: page.title };
  const content = <StatusPage page={page} now={reader.now} words={words} />;
  return renderDocument({ title: page.title, reader, assets, feed, logo: page.logo, home, content });
}

/** What stands there instead of a page. */
export function renderErrorPage(status: ErrorStatus, reader: Reader, assets: Assets): string {
  const words = wordsFor(reader.locale, reader.timeZone);
  const title = words.say(`error.${status}.title`);
  const home = { href: '/', title: words.say('nav.home') };
  return renderDocument({ title, reader, assets, home, content: <ErrorPage status={status} words={words} /> });
}
