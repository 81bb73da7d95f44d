import type { Context } from '../context.ts';
import { DEVICE_DAYS } from '../../db/known-devices.ts';
import { SESSION_DAYS } from '../../db/sessions.ts';
import { readCookie } from '../http/cookie.ts';

const DAY_S = 86_400;

type Surroundings = Pick<Context, 'headers' | 'publicUrl' | 'setCookie'>;

/** The token of the session that the request carries. */
export function sessionToken(context: Surroundings): string | undefined {
  return readCookie(context.headers.cookie, nameOf(context, 'session'));
}

/** The token of the browser, if it has signed somebody in before. */
export function deviceToken(context: Surroundings): string | undefined {
  return readCookie(context.headers.cookie, nameOf(context, 'device'));
}

/** Gives the browser its session. */
export function setSessionCookie(context: Surroundings, token: string): void {
  setCookie(context, 'session', token, SESSION_DAYS * DAY_S);
}

export function clearSessionCookie(context: Surroundings): void {
  setCookie(context, 'session', '', 0);
}

/** Makes the browser a known one. */
export function setDeviceCookie(context: Surroundings, token: string): void {
  setCookie(context, 'device', token, DEVICE_DAYS * DAY_S);
}

/** SameSite=Lax and not Strict: who comes by a link from elsewhere is still signed in; unsafe requests are checked. */
function setCookie(context: Surroundings, kind: string, value: string, maxAgeS: number): void {
  const secure = isSecure(context) ? '; Secure' : '';
  context.setCookie(`${nameOf(context, kind)}=${value}; Path=/; Max-Age=${maxAgeS}; HttpOnly; SameSite=Lax${secure}`);
}

/** `__Host-`: no neighbouring subdomain and no plain HTTP can plant such a cookie (RFC 6265bis, 4.1.3.2). */
function nameOf(context: Surroundings, kind: string): string {
  return `${isSecure(context) ? '__Host-' : ''}farwatch_${kind}`;
}

function isSecure({ publicUrl }: Surroundings): boolean {
  return publicUrl !== null && publicUrl.startsWith('https:');
}
