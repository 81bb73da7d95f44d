import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Reader } from './view.ts';
import { LOCALES, wordsFor, type Words } from './words.ts';

/** Where the built style sheet and script stand, with their hashes in their names. */
export interface Assets {
  css: string;
  js: string;
}

interface DocumentOptions {
  title: string;
  reader: Reader;
  assets: Assets;
  /** What a feed reader may follow from here. */
  feed?: string;
  logo?: string | null;
  /** Where a click on the name leads. Without: the page is a frame in another and has neither head nor foot. */
  home?: { href: string; title: string };
  content: ComponentChildren;
}

/** A whole page as text: complete without any script. */
export function renderDocument(options: DocumentOptions): string {
  return `<!doctype html>${renderToString(<Document {...options} />)}`;
}

function Document({ title, reader, assets, feed, logo, home, content }: DocumentOptions) {
  const words = wordsFor(reader.locale, reader.timeZone);
  return (
    <html
      lang={reader.locale}
      data-theme={reader.theme ?? undefined}
      data-zone={reader.timeZone}
      data-close={words.say('close')}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="stylesheet" href={assets.css} />
        <link rel="icon" href="/assets/icon.svg" type="image/svg+xml" />
        {feed && <link rel="alternate" type="application/rss+xml" title={title} href={feed} />}
        <script type="module" src={assets.js} />
      </head>
      <body>
        {home && (
          <>
            <a class="skip" href="#content">
              {words.say('skip')}
            </a>
            <header class="site-head">
              <a class="brand" href={home.href}>
                {logo && <img src={logo} alt="" height="32" />}
                <span>{home.title}</span>
              </a>
            </header>
          </>
        )}
        <main id="content" data-now={reader.now}>
          {content}
        </main>
        {home && <Footer reader={reader} feed={feed} words={words} />}
      </body>
    </html>
  );
}

function Footer({ reader, feed, words }: { reader: Reader; feed?: string; words: Words }) {
  return (
    <footer class="site-foot">
      <nav aria-label={words.say('footer.language')}>
        <ul class="languages">
          {LOCALES.map((locale) => (
            <li key={locale}>
              <a
                href={`${reader.path}?lang=${locale}`}
                lang={locale}
                hreflang={locale}
                aria-current={locale === reader.locale ? 'true' : undefined}
              >
                {wordsFor(locale, reader.timeZone).say('language.name')}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <p>
        {words.say('footer.zone', { zone: reader.timeZone })}
        {feed && (
          <>
            {' · '}
            <a href={feed}>{words.say('footer.feed')}</a>
          </>
        )}
      </p>
      <div class="theme-switch" hidden>
        <label>
          {words.say('theme')}{' '}
          <select name="theme">
            <option value="">{words.say('theme.system')}</option>
            <option value="light">{words.say('theme.light')}</option>
            <option value="dark">{words.say('theme.dark')}</option>
          </select>
        </label>
      </div>
    </footer>
  );
}
