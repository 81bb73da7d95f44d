import { AppError } from '../core/app-error.ts';
import type { Permission } from '../core/permissions.ts';
import { sessionToken } from './auth/cookies.ts';
import { findActor } from './auth/find-actor.ts';
import { refuseForgery } from './auth/same-site.ts';
import type { Actor, Context, KeyActor, UserActor } from './context.ts';
import type { Access } from './http/route.ts';
import { createKnownKeys, type KnownKeys } from './known-keys.ts';

export interface Authentication {
  /**
   * Who asks. `/api/v4` takes keys only; what belongs to the dashboard also takes sessions, where there is no key
   * (reference §12, "Keys").
   * @throws AppError UNAUTHORIZED where nobody does; FORBIDDEN where another site made the browser ask.
   */
  authenticate(access: Exclude<Access, 'public'>, context: Context): Promise<Actor>;
  /** What a key may do may have changed: the next request with one asks. */
  forgetKeys(): void;
}

export function createAuthentication(): Authentication {
  const keys = createKnownKeys();
  return {
    async authenticate(access, context) {
      const mayBeSession = access === 'dashboard' && context.headers.authorization === undefined;
      const token = mayBeSession ? sessionToken(context) : undefined;
      return token === undefined ? whoHasKey(keys, context) : whoHasSession(context, token);
    },
    forgetKeys: () => keys.forget(),
  };
}

/** Specification 5 and 7, reference §1.0. */
async function whoHasKey(keys: KnownKeys, { headers, db }: Context): Promise<KeyActor> {
  const [scheme, key, ...rest] = (headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !key || rest.length > 0)
    throw new AppError('UNAUTHORIZED', 'Missing or invalid authorization header');
  const actor = await keys.find(db, key);
  if (!actor) throw new AppError('UNAUTHORIZED', 'Invalid API key');
  return actor;
}

async function whoHasSession(context: Context, token: string): Promise<UserActor> {
  if (context.method !== 'GET' && context.method !== 'HEAD') refuseForgery(context);
  const actor = await findActor(context.db, token);
  if (!actor) throw new AppError('UNAUTHORIZED', 'You are not signed in');
  return actor;
}

/** Throws FORBIDDEN where the actor lacks the permission; null asks for none. */
export function requirePermission(actor: Actor, permission: Permission | null): void {
  if (permission !== null && !actor.permissions.has(permission))
    throw new AppError('FORBIDDEN', 'You do not have permission to perform this action');
}
