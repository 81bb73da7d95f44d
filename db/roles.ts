import type pg from 'pg';
import { BUILT_IN_ROLES, isBuiltInRole, isPermission, type Permission } from '../core/permissions.ts';
import type { Role } from '../core/role.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';

/** Roles (reference §7). What a built-in one permits is in `core/permissions.ts`; rows hold it for the others. */

const COLUMNS = `id, name, description, is_builtin, ${isoText('created_at')}, ${isoText('updated_at')},
  array(select permission from role_permissions where role_id = roles.id order by permission) as granted,
  (select count(*) from user_roles where role_id = roles.id) as user_count`;

type RoleRow = Omit<Role, 'permissions'> & { granted: string[] };

/** All roles: the built-in ones, then the others by id. */
export async function listRoles(db: Queryable): Promise<Role[]> {
  const { rows } = await db.query<RoleRow>(`select ${COLUMNS} from roles order by is_builtin desc, id`);
  return rows.map(toRole);
}

/** The roles of these ids that exist; none of them goes away until the transaction ends. */
export async function holdRoles(client: pg.PoolClient, ids: readonly string[]): Promise<Role[]> {
  await client.query('select from roles where id = any($1) order by id for key share', [ids]);
  return findRoles(client, ids);
}

/** The role of this id, or undefined. */
export async function findRole(db: Queryable, id: string): Promise<Role | undefined> {
  return (await findRoles(db, [id]))[0];
}

async function findRoles(db: Queryable, ids: readonly string[]): Promise<Role[]> {
  const { rows } = await db.query<RoleRow>(`select ${COLUMNS} from roles where id = any($1)`, [ids]);
  return rows.map(toRole);
}

/** The role of this id, held against other changes until the transaction ends; undefined where there is none. */
export async function lockRole(client: pg.PoolClient, id: string): Promise<Role | undefined> {
  await client.query('select from roles where id = $1 for update', [id]);
  return findRole(client, id);
}

/** Stores a role without permissions; false where its id is taken. */
export async function insertRole(
  db: Queryable,
  role: { id: string; name: string; description: string | null },
): Promise<boolean> {
  const { rowCount } = await db.query(
    'insert into roles (id, name, description) values ($1, $2, $3) on conflict (id) do nothing',
    [role.id, role.name, role.description],
  );
  return rowCount === 1;
}

/** Writes what is given of a role's texts. */
export async function updateRole(
  db: Queryable,
  id: string,
  fields: { name?: string; description?: string | null },
): Promise<void> {
  await db.query(
    `update roles set name = coalesce($2, name), description = case when $3 then $4 else description end,
       updated_at = service_now() where id = $1`,
    [id, fields.name, fields.description !== undefined, fields.description],
  );
}

/** Replaces what a role permits. It holds from the next request of everybody who has it. */
export async function setRolePermissions(
  client: pg.PoolClient,
  id: string,
  permissions: readonly Permission[],
): Promise<void> {
  await client.query('delete from role_permissions where role_id = $1', [id]);
  await client.query('insert into role_permissions (role_id, permission) select $1, unnest($2::text[])', [
    id,
    permissions,
  ]);
  await client.query('update roles set updated_at = service_now() where id = $1', [id]);
}

/** Deletes a role and takes it from its users. False where API keys act with it. */
export async function deleteRole(client: pg.PoolClient, id: string): Promise<boolean> {
  const { rows } = await client.query('select from api_keys where role_id = $1 limit 1', [id]);
  if (rows.length > 0) return false;
  await client.query('delete from roles where id = $1', [id]);
  return true;
}

function toRole({ granted, ...role }: RoleRow): Role {
  const permissions = isBuiltInRole(role.id) ? [...BUILT_IN_ROLES[role.id]] : granted.filter(isPermission);
  return { ...role, permissions };
}
