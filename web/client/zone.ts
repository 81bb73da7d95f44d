import { remember } from './cookie.ts';

/** Tells the server the visitor's time zone. True where the page at hand was made for another. */
export function useOwnZone(): boolean {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (zone === document.documentElement.dataset.zone) return false;
  remember('farwatch_zone', zone);
  return true;
}
