import { z } from 'zod';
import { PERMISSIONS } from '../../core/permissions.ts';
import { givenRoleId, newRoleId, permissionNames, roleDescription, roleName, roleResource } from '../../core/role.ts';
import { rowId } from '../../core/row-id.ts';
import { userResource } from '../../core/user.ts';
import { findRole, listRoles } from '../../db/roles.ts';
import { listUsersOfRole } from '../../db/users.ts';
import { createRole, permitRole, removeRole, renameRole, roleNotFound } from '../services/write-role.ts';
import { changeRoles } from '../services/write-user.ts';
import { action, type ActionContext } from './action.ts';

const role_id = givenRoleId;
const membership = z.object({ role_id, user_id: rowId('user_id') });
const about = ({ role_id: roleId, user_id: userId }: { role_id: string; user_id?: number }) => ({ roleId, userId });

export const roleActions = [
  action({
    name: 'getRoles',
    permission: 'roles.read',
    summary: 'List roles with what they permit: the built-in ones first',
    data: z.object({}),
    result: z.array(roleResource),
    run: (_data, { db }) => listRoles(db),
  }),
  action({
    name: 'getAllPermissions',
    permission: 'roles.read',
    summary: 'List the names of all permissions',
    data: z.object({}),
    result: z.array(z.enum(PERMISSIONS)),
    run: async () => [...PERMISSIONS],
  }),
  action({
    name: 'getRolePermissions',
    permission: 'roles.read',
    summary: 'List what a role permits',
    data: z.object({ role_id }),
    result: z.array(z.enum(PERMISSIONS)),
    run: async (data, context) => (await knownRole(data, context)).permissions,
  }),
  action({
    name: 'getRoleUsers',
    permission: 'roles.read',
    summary: 'List the users who have a role, the oldest first',
    data: z.object({ role_id }),
    result: z.array(userResource),
    run: async (data, context) => listUsersOfRole(context.db, (await knownRole(data, context)).id),
  }),
  action({
    name: 'createRole',
    permission: 'roles.write',
    summary: 'Make a role that permits nothing yet',
    data: z.object({ id: newRoleId, name: roleName, description: roleDescription.default(null) }),
    result: roleResource,
    about: ({ id }) => ({ roleId: id }),
    run: (data, { db }) => createRole(db, data),
  }),
  action({
    name: 'updateRole',
    permission: 'roles.write',
    summary: "Change a role's name or description: what is not named is kept",
    data: z.object({ role_id, name: roleName.optional(), description: roleDescription.optional() }),
    result: roleResource,
    about,
    run: ({ role_id: id, ...fields }, { db }) => renameRole(db, id, fields),
  }),
  action({
    name: 'deleteRole',
    permission: 'roles.write',
    summary: 'Delete a role that no API key acts with; users lose it',
    data: z.object({ role_id }),
    result: z.object({ message: z.string() }),
    about,
    run: async ({ role_id: id }, context) => {
      await removeRole(context, id);
      return { message: `Role with id '${id}' deleted successfully` };
    },
  }),
  action({
    name: 'updateRolePermissions',
    permission: 'roles.assign_permissions',
    summary: 'Replace what a role permits, from the next request of everybody who has it',
    data: z.object({ role_id, permissions: permissionNames }),
    result: roleResource,
    about,
    run: ({ role_id: id, permissions }, context) => permitRole(context, id, permissions),
  }),
  action({
    name: 'addUserToRole',
    permission: 'roles.assign_users',
    summary: 'Give a user a role, from his next request',
    data: membership,
    result: userResource,
    about,
    run: (data, context) => changeRoles(context, data, 'give'),
  }),
  action({
    name: 'removeUserFromRole',
    permission: 'roles.assign_users',
    summary: 'Take a role from a user, from his next request',
    data: membership,
    result: userResource,
    about,
    run: (data, context) => changeRoles(context, data, 'take'),
  }),
];

async function knownRole({ role_id: id }: { role_id: string }, { db }: ActionContext) {
  const role = await findRole(db, id);
  if (!role) throw roleNotFound(id);
  return role;
}
