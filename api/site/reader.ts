import type { Request } from 'express';
import { isTimeZone } from '../../core/time-zone.ts';
import { readCookie } from '../http/cookie.ts';
import { localeOf, preferredLocale, type Locale } from '../../web/words.ts';

/** How a visitor wishes to read, as far as the request tells. */
export interface Wishes {
  locale: Locale;
  timeZone: string;
  theme: 'light' | 'dark' | null;
  /** The language was asked for by the address: it is kept. */
  chosen: boolean;
}

/** The address' `lang` before the cookie's, and both before what the browser likes; UTC where no zone is known. */
export function wishesOf({ headers }: Request, query: URLSearchParams): Wishes {
  const chosen = localeOf(query.get('lang') ?? undefined);
  const theme = readCookie(headers.cookie, 'farwatch_theme');
  // The only character of a zone's name that encoding changes.
  const zone = readCookie(headers.cookie, 'farwatch_zone')?.replace(/%2F/gi, '/');
  return {
    locale:
      chosen ?? localeOf(readCookie(headers.cookie, 'farwatch_lang')) ?? preferredLocale(headers['accept-language']),
    timeZone: zone !== undefined && isTimeZone(zone) ? zone : 'UTC',
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    chosen: chosen !== undefined,
  };
}
