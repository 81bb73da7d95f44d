import { isIPv6 } from 'node:net';
import type { Response } from 'express';
import { AppError } from '../../core/app-error.ts';

const WINDOW_S = 60;
/** Callers counted at once; beyond, those whose windows began first are forgotten. Some 10 MB. */
const MAX_CALLERS = 100_000;

/** Counts one request of a caller and says so in the answer's headers. Throws RATE_LIMITED where it is one too many. */
export type RateLimit = (caller: string, response: Response) => void;

/** What the answer to a request carries for those who know later than its beginning whether it counts. */
export interface Countable extends Record<string, unknown> {
  /** Counts the request for its address, once however often it is called. Throws as `RateLimit` does. */
  countAddress: () => void;
}

/**
 * Counts the requests of each caller in windows of a minute that begin with his first. This process alone counts: copies
 * of the program each grant the whole limit. The headers are those of draft-ietf-httpapi-ratelimit-headers-10.
 *
 * @param name what the limit is called there
 * @param limit requests a minute; 0 counts nothing
 */
export function createRateLimit(name: string, limit: number, now: () => number = () => performance.now()): RateLimit {
  // In the order in which the windows began, and so will end.
  const windows = new Map<string, { count: number; endsAt: number }>();
  const begin = (caller: string): { count: number; endsAt: number } => {
    forgetEnded(windows, now());
    const window = { count: 0, endsAt: now() + WINDOW_S * 1000 };
    windows.delete(caller);
    windows.set(caller, window);
    return window;
  };
  return (caller, response) => {
    if (limit === 0) return;
    const known = windows.get(caller);
    const window = known && known.endsAt > now() ? known : begin(caller);
    window.count += 1;
    const resetS = Math.ceil((window.endsAt - now()) / 1000);
    const remaining = Math.max(limit - window.count, 0);
    response.setHeader('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_S}`);
    response.setHeader('RateLimit', `"${name}";r=${remaining};t=${resetS}`);
    if (window.count > limit) throw tooMany(limit, resetS);
  };
}

function forgetEnded(windows: Map<string, { endsAt: number }>, now: number): void {
  for (const [caller, { endsAt }] of windows) {
    if (endsAt > now && windows.size < MAX_CALLERS) return;
    windows.delete(caller);
  }
}

function tooMany(limit: number, retryAfterS: number): AppError {
  return new AppError('RATE_LIMITED', `At most ${limit} requests a minute, try again in ${retryAfterS} seconds`, {
    retryAfterS,
  });
}

/** Who counts as one caller without a name: an IPv4 address, or the 64 bits of an IPv6 one that one customer is given. */
export function callerAt(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped?.[1]) return mapped[1];
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const before = head.split(':').filter(Boolean);
  const after = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(8 - before.length - after.length, 0) }, () => '0');
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after];
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}
