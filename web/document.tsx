import type { ComponentChildren } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { Markdown } from './components/markdown.tsx';
import { THEMES, type Surroundings, type Theme } from './view.ts';
import { LOCALES, wordsFor, type Words } from './words.ts';

interface DocumentOptions {
  /** Of the browser's tab. */
  title: string;
  around: Surroundings;
  words: Words;
  /** What a feed reader may follow from here. */
  feed?: string;
  /** What stands at the top of every page. Without: the page is a frame in another and has neither head nor foot. */
  brand?: { name: string; logo: string | null; href: string };
  content: ComponentChildren;
}

/** A whole page as text: complete without any script. */
export function renderDocument(options: DocumentOptions): string {
  return `<!doctype html>${renderToString(<Document {...options} />)}`;
}

function Document({ title, around, words, feed, brand, content }: DocumentOptions) {
  const { reader, site, assets } = around;
  const announced = around.isPublished ? feed : undefined;
  return (
    <html lang={reader.locale} data-theme={reader.theme} data-zone={reader.timeZone} data-close={words.say('close')}>
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>{title}</title>
        <link rel="stylesheet" href={assets.css} />
        {assets.js !== null && <script type="module" src={assets.js} />}
        <link rel="icon" href={site.favicon ?? '/assets/icon.svg'} />
        {announced && <link rel="alternate" type="application/rss+xml" title={title} href={announced} />}
        {brand && <Preview title={title} around={around} />}
      </head>
      <body>
        {brand && <Header brand={brand} words={words} path={around.path} />}
        <main id="content">
          <p class="stale card" id="stale" role="status" hidden>
            {words.say('stale', { time: words.moment(around.now) })}
          </p>
          {content}
        </main>
        {brand && <Footer around={around} feed={announced} words={words} />}
      </body>
    </html>
  );
}

/** What search engines and the previews of others show. */
function Preview({ title, around: { site, base, path, isPublished } }: { title: string; around: Surroundings }) {
  return (
    <>
      {site.description && <meta name="description" content={site.description} />}
      {isPublished && <link rel="canonical" href={`${base}${path}`} />}
      <meta property="og:title" content={title} />
      <meta property="og:site_name" content={site.name} />
      {site.description && <meta property="og:description" content={site.description} />}
    </>
  );
}

function Header({ brand, words, path }: { brand: NonNullable<DocumentOptions['brand']>; words: Words; path: string }) {
  const links = [
    { href: '/', text: words.say('nav.home') },
    { href: '/events', text: words.say('events') },
  ];
  return (
    <>
      <a class="skip" href="#content">
        {words.say('skip')}
      </a>
      <header class="site-head">
        <a class="brand" href={brand.href}>
          {brand.logo && <img src={brand.logo} alt="" height="32" />}
          <span>{brand.name}</span>
        </a>
        <nav aria-label={words.say('nav')}>
          <ul>
            {links.map(({ href, text }) => (
              <li key={href}>
                <a href={href} aria-current={href === path ? 'page' : undefined}>
                  {text}
                </a>
              </li>
            ))}
          </ul>
        </nav>
      </header>
    </>
  );
}

function Footer({ around, feed, words }: { around: Surroundings; feed?: string; words: Words }) {
  const { reader, site, path, query } = around;
  return (
    <footer class="site-foot">
      {site.footer && <Markdown text={site.footer} />}
      <div class="foot-line">
        <nav aria-label={words.say('footer.language')}>
          <ul class="languages">
            {LOCALES.map((locale) => (
              <li key={locale}>
                <a
                  href={`${path}?${query}lang=${locale}`}
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
        <p class="zone">
          {words.say('footer.zone', { zone: reader.timeZone })}
          {feed && (
            <>
              {' · '}
              <a href={feed}>{words.say('footer.feed')}</a>
            </>
          )}
        </p>
        <ThemeSwitch theme={reader.theme} words={words} />
      </div>
    </footer>
  );
}

/** Needs the script, which brings it to light. */
function ThemeSwitch({ theme, words }: { theme: Theme; words: Words }) {
  return (
    <label class="theme-switch" hidden>
      {words.say('theme')}{' '}
      <select name="theme">
        {THEMES.map((one) => (
          <option key={one} value={one} selected={one === theme}>
            {words.say(`theme.${one}`)}
          </option>
        ))}
      </select>
    </label>
  );
}
