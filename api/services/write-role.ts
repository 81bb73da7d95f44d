import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import type { Permission } from '../../core/permissions.ts';
import type { Role } from '../../core/role.ts';
import { inTransaction, type Database } from '../../db/client.ts';
import { deleteRole, findRole, insertRole, lockRole, setRolePermissions, updateRole } from '../../db/roles.ts';
import type { ActionContext } from '../manage/action.ts';
import { requireCover } from './privileges.ts';

/** Makes a role that permits nothing yet: what it permits is another permission's business. */
export async function createRole(
  db: Database,
  fields: { id: string; name: string; description: string | null },
): Promise<Role> {
  if (!(await insertRole(db, fields))) throw new AppError('BAD_REQUEST', `Role with id '${fields.id}' already exists`);
  const role = await findRole(db, fields.id);
  if (!role) throw roleNotFound(fields.id);
  return role;
}

/** Changes a role's texts. */
export async function renameRole(
  db: Database,
  id: string,
  fields: { name?: string; description?: string | null },
): Promise<Role> {
  return inTransaction(db, async (client) => {
    const role = await roleToChange(client, id);
    await updateRole(client, id, fields);
    return (await findRole(client, id)) ?? role;
  });
}

/** Replaces what a role permits; who does it must have himself all that he adds and all that he takes away. */
export async function permitRole(
  { db, actor }: ActionContext,
  id: string,
  permissions: readonly Permission[],
): Promise<Role> {
  return inTransaction(db, async (client) => {
    const role = await roleToChange(client, id);
    const added = permissions.filter((permission) => !role.permissions.includes(permission));
    const taken = role.permissions.filter((permission) => !permissions.includes(permission));
    requireCover(actor, [...added, ...taken]);
    await setRolePermissions(client, id, permissions);
    return (await findRole(client, id)) ?? role;
  });
}

/** Deletes a role, which its users lose. */
export async function removeRole({ db, actor }: ActionContext, id: string): Promise<void> {
  await inTransaction(db, async (client) => {
    const role = await roleToChange(client, id);
    requireCover(actor, role.permissions);
    if (!(await deleteRole(client, id))) throw new AppError('BAD_REQUEST', 'API keys act with this role');
  });
}

export function roleNotFound(id: string): AppError {
  return new AppError('NOT_FOUND', `Role with id '${id}' not found`);
}

async function roleToChange(client: pg.PoolClient, id: string): Promise<Role> {
  const role = await lockRole(client, id);
  if (!role) throw roleNotFound(id);
  if (role.is_builtin) throw new AppError('BAD_REQUEST', 'Built-in roles cannot be changed');
  return role;
}
