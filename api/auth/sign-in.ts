import { AppError } from '../../core/app-error.ts';
import { isKnownDevice, rememberDevice } from '../../db/known-devices.ts';
import { createSession, endSession } from '../../db/sessions.ts';
import { findUser } from '../../db/users.ts';
import type { Context } from '../context.ts';
import { deviceToken, sessionToken, setDeviceCookie, setSessionCookie } from './cookies.ts';
import { findActor } from './find-actor.ts';
import type { SignedIn } from './signed-in.ts';

/** A browser says what it is at length. */
const MAX_USER_AGENT_LENGTH = 512;

/**
 * Gives a user a session of its own, whatever the browser carried before; `passwordHash` is what his password was found
 * right by, or set to.
 * @throws AppError UNAUTHORIZED where he may not sign in with it any more.
 */
export async function signIn(context: Context, user: { id: number; passwordHash: string }): Promise<SignedIn> {
  const { pool, address, headers } = context;
  const userAgent = (headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT_LENGTH);
  const token = await createSession(pool, user, { address, userAgent });
  const actor = token === undefined ? undefined : await findActor(pool, token);
  const found = actor && (await findUser(pool, actor.id));
  if (!token || !found) throw wrongCredentials();
  const before = sessionToken(context);
  if (before) await endSession(pool, before);
  setSessionCookie(context, token);
  const device = deviceToken(context);
  if (!device || !(await isKnownDevice(pool, device, found.email)))
    setDeviceCookie(context, await rememberDevice(pool, found.id));
  context.log().info({ userId: found.id, address }, 'signed in');
  return { user: found, permissions: [...actor.permissions] };
}

/** One answer for an unknown account, a wrong password and an account that may not sign in: nobody learns which. */
export function wrongCredentials(): AppError {
  return new AppError('UNAUTHORIZED', 'Wrong email or password');
}
