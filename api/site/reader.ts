import type { Request } from 'express';
import { isTimeZone } from '../../core/time-zone.ts';
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
export function wishesOf(request: Request, query: URLSearchParams): Wishes {
  const cookies = cookiesOf(request.headers.cookie);
  const chosen = localeOf(query.get('lang') ?? undefined);
  const theme = cookies.get('farwatch_theme');
  const zone = cookies.get('farwatch_zone');
  return {
    locale: chosen ?? localeOf(cookies.get('farwatch_lang')) ?? preferredLocale(request.headers['accept-language']),
    timeZone: zone !== undefined && isTimeZone(zone) ? zone : 'UTC',
    theme: theme === 'light' || theme === 'dark' ? theme : null,
    chosen: chosen !== undefined,
  };
}

/** What the client sent (RFC 6265, 5.4). A value that cannot be decoded is taken as it stands. */
function cookiesOf(header = ''): Map<string, string> {
  const pairs = header.split(';').map((text): [string, string] => {
    const [name = '', ...value] = text.trim().split('=');
    return [name, decoded(value.join('='))];
  });
  return new Map(pairs);
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    // decodeURIComponent's only way to say no.
    return value;
  }
}
