import type { Request } from 'express';
import { spellTimeZone } from '../../core/time-zone.ts';
import { readCookie } from '../http/cookie.ts';
import { THEMES, type Reader, type SiteView } from '../../web/view.ts';
import { localeOf, preferredLocale } from '../../web/words.ts';

/** How a visitor wishes to read, as far as the request tells. */
export interface Wishes extends Reader {
  /** The language was asked for by the address: it is kept. */
  isChosen: boolean;
  /** Nothing that this visitor has said before has a part in it. */
  isAnonymous: boolean;
}

/** The address' `lang` before the cookie's, both before what the browser likes, and the site's own for all the rest. */
export function wishesOf({ headers }: Request, query: URLSearchParams, site: SiteView): Wishes {
  const chosen = localeOf(query.get('lang') ?? undefined);
  const [lang, theme, zone] = ['lang', 'theme', 'zone'].map((name) => readCookie(headers.cookie, `farwatch_${name}`));
  const liked = localeOf(lang) ?? preferredLocale(headers['accept-language']);
  return {
    locale: chosen ?? liked ?? localeOf(site.language) ?? 'en',
    timeZone: zoneOf(zone) ?? site.timeZone,
    theme: THEMES.find((one) => one === theme) ?? site.theme,
    isChosen: chosen !== undefined,
    isAnonymous: (lang ?? theme ?? zone) === undefined,
  };
}

function zoneOf(cookie: string | undefined): string | undefined {
  // The only character of a zone's name that encoding changes.
  const name = cookie?.replace(/%2F/gi, '/');
  if (name === undefined) return undefined;
  const key = name.toLowerCase();
  const zone = zones.get(key) ?? spellTimeZone(name);
  if (zone !== undefined) zones.set(key, zone);
  return zone;
}

/** Looking a name up costs more than the rest of a request; there are some hundreds. In lower case, and as they are shown. */
const zones = new Map<string, string>();
