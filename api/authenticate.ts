import { AppError } from '../core/app-error.ts';
import { permissionsOf, type Permission } from '../core/permissions.ts';
import { findActiveApiKey } from '../db/api-keys.ts';
import type { Actor, Context, KeyActor } from './context.ts';

/** Who carries an active key (specification 5 and 7, reference §1.0). Throws UNAUTHORIZED where nobody does. */
export async function authenticate(_access: 'key' | 'dashboard', { headers, db }: Context): Promise<KeyActor> {
  const [scheme, key, ...rest] = (headers.authorization ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || !key || rest.length > 0)
    throw new AppError('UNAUTHORIZED', 'Missing or invalid authorization header');
  const found = await findActiveApiKey(db, key);
  if (!found) throw new AppError('UNAUTHORIZED', 'Invalid API key');
  const { id, name, role_id, granted } = found;
  return { kind: 'key', id, name, permissions: permissionsOf([role_id], granted) };
}

/** Throws FORBIDDEN where the actor lacks the permission; null asks for none. */
export function requirePermission(actor: Actor, permission: Permission | null): void {
  if (permission !== null && !actor.permissions.has(permission))
    throw new AppError('FORBIDDEN', 'You do not have permission to perform this action');
}
