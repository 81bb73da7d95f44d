import { AppError } from '../../core/app-error.ts';
import { isKnownDevice } from '../../db/known-devices.ts';
import { countAttempt, forgetAttempt, type Countable } from '../../db/login-attempts.ts';
import type { Context } from '../context.ts';
import { callerAt } from '../http/rate-limit.ts';
import { deviceToken } from './cookies.ts';

/** Failed attempts in a quarter of an hour, before the next must wait. */
const PER_ADDRESS = 30;
const PER_ACCOUNT = 20;
const PER_DEVICE = 20;
const PER_SESSION_USER = 10;

/** Attempts that were counted; `succeeded` takes them back, so that only failures count. */
export interface Counted {
  succeeded(): Promise<void>;
}

/**
 * Counts an attempt to sign in. Strangers share the attempts of the account they guess at, and those of their address; a
 * browser that has signed this user in before has its own, so that nobody can shut the user out of it.
 * @throws AppError RATE_LIMITED.
 */
export async function countSignIn(context: Context, email: string): Promise<Counted> {
  const device = deviceToken(context);
  const isKnown = device !== undefined && (await isKnownDevice(context.pool, device, email));
  const asStranger = [
    { subject: `address ${callerAt(context.address)}`, limit: PER_ADDRESS },
    { subject: `account ${email}`, limit: PER_ACCOUNT },
  ];
  return count(context, isKnown ? [{ subject: `device ${device}`, limit: PER_DEVICE }] : asStranger);
}

/** Counts an attempt of somebody who has signed in to show that he knows the password. @throws AppError RATE_LIMITED. */
export async function countConfirmation(context: Context, userId: number): Promise<Counted> {
  return count(context, [{ subject: `user ${userId}`, limit: PER_SESSION_USER }]);
}

async function count({ pool }: Context, countables: Countable[]): Promise<Counted> {
  const retryAfterS = await countAttempt(pool, countables);
  if (retryAfterS > 0) throw new AppError('RATE_LIMITED', 'Too many attempts, try again later', { retryAfterS });
  return { succeeded: () => forgetAttempt(pool, countables) };
}
