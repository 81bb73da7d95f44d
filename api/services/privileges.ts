import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import { covers, type Permission } from '../../core/permissions.ts';
import type { Role } from '../../core/role.ts';
import type { User } from '../../core/user.ts';
import { holdRoles } from '../../db/roles.ts';
import { lockUser } from '../../db/users.ts';
import type { Actor } from '../context.ts';

/**
 * Nobody rises by what he may do to others: he gives, takes and changes only what he has himself, and touches only
 * users who can do no more than he can. The owner is touched by nobody else.
 */
export function requireCover(actor: Actor, permissions: Iterable<Permission>): void {
  if (!covers(actor.permissions, permissions))
    throw new AppError('FORBIDDEN', 'This takes permissions that you do not have yourself');
}

/** The roles of these ids, which the actor may give, held until the transaction ends. */
export async function rolesToGive(client: pg.PoolClient, actor: Actor, ids: readonly string[]): Promise<Role[]> {
  const roles = await holdRoles(client, ids);
  const missing = ids.find((id) => !roles.some((role) => role.id === id));
  if (missing !== undefined) throw new AppError('BAD_REQUEST', `Role with id '${missing}' not found`);
  for (const { permissions } of roles) requireCover(actor, permissions);
  return roles;
}

/** The user of this id, whom the actor may change, held until the transaction ends. */
export async function userToChange(client: pg.PoolClient, actor: Actor, id: number): Promise<User> {
  const user = await lockUser(client, id);
  if (!user) throw userNotFound(id);
  const isSelf = actor.kind === 'user' && actor.id === id;
  if (user.is_owner && !isSelf) throw new AppError('FORBIDDEN', 'Only the owner can change the owner');
  if (!isSelf) for (const { permissions } of await holdRoles(client, user.role_ids)) requireCover(actor, permissions);
  return user;
}

export function userNotFound(id: number): AppError {
  return new AppError('NOT_FOUND', `User with id '${id}' not found`);
}
