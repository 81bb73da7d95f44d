import { AppError } from '../../core/app-error.ts';
import type { Context } from '../context.ts';

/**
 * Refuses what another site made a browser send: by Sec-Fetch-Site, by Origin, and by the content type, without which no
 * form is left and other sites have to ask first (and are told no). Who sends neither header is no browser.
 * @throws AppError FORBIDDEN; BAD_REQUEST for another content type.
 */
export function refuseForgery({ headers, publicUrl }: Pick<Context, 'headers' | 'publicUrl'>): void {
  const { origin, host } = headers;
  const site = headers['sec-fetch-site'];
  const isForeign = (site !== undefined && site !== 'same-origin') || (origin !== undefined && !isOwn(origin));
  if (isForeign) throw new AppError('FORBIDDEN', 'Requests from other sites are refused');
  if (headers['content-type']?.split(';')[0]?.trim().toLowerCase() !== 'application/json')
    throw new AppError('BAD_REQUEST', 'Content-Type must be application/json');

  function isOwn(given: string): boolean {
    // `null` and what else is no URL has no host either.
    const url = URL.parse(given);
    if (!url) return false;
    return url.host === host || (publicUrl !== null && url.origin === new URL(publicUrl).origin);
  }
}
