import { AppError } from '../core/app-error.ts';
import { permissionsOf, type Permission } from '../core/permissions.ts';
import { findActiveApiKey } from '../db/api-keys.ts';
import { sessionToken } from './auth/cookies.ts';
import { findActor } from './auth/find-actor.ts';
import { refuseForgery } from './auth/same-site.ts';
import type { Actor, Context, KeyActor, UserActor } from './context.ts';
import type { Access } from './http/route.ts';

/**
 * Who asks. `/api/v4` takes keys only; what belongs to the dashboard also takes sessions, where there is no key (reference
 * §12, "Keys").
 * @throws AppError UNAUTHORIZED where nobody does; FORBIDDEN where another site made the browser ask.
 */
export async function authenticate(access: Exclude<Access, 'public'>, context: Context): Promise<Actor> {
  const mayBeSession = access === 'dashboard' && context.headers.authorization === undefined;
  const token = mayBeSession ? sessionToken(context) : undefined;
  return token === undefined ? whoHasKey(context) : whoHasSession(context, token);
}

/** Specification 5 and 7, reference §1.0. */
async function whoHasKey({ headers, db }: Context): Promise<KeyActor> {
  const [scheme, key, ...rest] = (headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !key || rest.length > 0)
    throw new AppError('UNAUTHORIZED', 'Missing or invalid authorization header');
  const found = await findActiveApiKey(db, key);
  if (!found) throw new AppError('UNAUTHORIZED', 'Invalid API key');
  const { id, name, role_id, granted } = found;
  return { kind: 'key', id, name, permissions: permissionsOf([role_id], granted) };
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
