import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import { passwordLink, type User, type UserLink } from '../../core/user.ts';
import { inTransaction } from '../../db/client.ts';
import { createLink, dropLinks } from '../../db/one-time-links.ts';
import { endSessionsOf } from '../../db/sessions.ts';
import { insertUser, setUserRoles, updateUser } from '../../db/users.ts';
import type { ActionContext } from '../manage/action.ts';
import { rolesToGive, userToChange } from './privileges.ts';

/** Makes a user who cannot sign in before he has taken his invitation. */
export async function inviteUser(
  { db, actor, publicUrl }: ActionContext,
  { role_ids: roleIds, ...fields }: { email: string; name: string; role_ids: string[] },
): Promise<UserLink & { user: User }> {
  return inTransaction(db, async (client) => {
    await rolesToGive(client, actor, roleIds);
    const user = await insertUser(client, { ...fields, roleIds, passwordHash: null });
    if (!user) throw emailTaken(fields.email);
    return { user, ...(await linkFor(client, user, publicUrl)) };
  });
}

/** Makes another link for a user: his invitation, or for another password where he has taken it. */
export async function linkUser({ db, actor, publicUrl }: ActionContext, id: number): Promise<UserLink> {
  return inTransaction(db, async (client) => {
    const user = await userToChange(client, actor, id);
    if (user.has_password && !user.is_active)
      throw new AppError('BAD_REQUEST', 'The user is not active, so no link would let him in');
    return linkFor(client, user, publicUrl);
  });
}

/** Changes a user, if the actor may. Who is switched off loses his sessions and links at once. */
export async function changeUser(
  { db, actor }: ActionContext,
  id: number,
  fields: { email?: string; name?: string; is_active?: boolean },
): Promise<User> {
  return inTransaction(db, async (client) => {
    const user = await userToChange(client, actor, id);
    refuseActivity(user, actor.kind === 'user' && actor.id === id, fields.is_active);
    const changed = await updateUser(client, id, { ...fields, isActive: fields.is_active });
    if (!changed) throw emailTaken(fields.email ?? '');
    if (fields.is_active === false) await endSessionsOf(client, id);
    // A link went to the address of before.
    if (fields.is_active === false || changed.email !== user.email) await dropLinks(client, id);
    return changed;
  });
}

/** Gives a user a role, or takes one from him. */
export async function changeRoles(
  { db, actor }: ActionContext,
  { user_id: id, role_id: roleId }: { user_id: number; role_id: string },
  change: 'give' | 'take',
): Promise<User> {
  return inTransaction(db, async (client) => {
    const user = await userToChange(client, actor, id);
    await rolesToGive(client, actor, [roleId]);
    if (user.is_owner && change === 'take' && roleId === 'admin')
      throw new AppError('BAD_REQUEST', 'The owner stays an admin');
    const others = user.role_ids.filter((role) => role !== roleId);
    const roleIds = change === 'give' ? [...others, roleId].sort() : others;
    await setUserRoles(client, id, roleIds);
    return { ...user, role_ids: roleIds };
  });
}

export function emailTaken(email: string): AppError {
  return new AppError('BAD_REQUEST', `A user with the email '${email}' exists already`);
}

function refuseActivity(user: User, isSelf: boolean, isActive: boolean | undefined): void {
  if (isActive === undefined || isActive === user.is_active) return;
  if (user.is_owner) throw new AppError('BAD_REQUEST', 'The owner cannot be switched off');
  if (isSelf) throw new AppError('BAD_REQUEST', 'Nobody switches himself off');
  if (!user.has_password) throw new AppError('BAD_REQUEST', 'The user becomes active when he takes his invitation');
}

async function linkFor(client: pg.PoolClient, user: User, publicUrl: string | null): Promise<UserLink> {
  const purpose = user.has_password ? 'RESET' : 'INVITE';
  const { token, expires_at } = await createLink(client, purpose, user.id);
  return { purpose, link: passwordLink(publicUrl, token), expires_at };
}
