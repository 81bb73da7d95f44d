import type pg from 'pg';
import type { User } from '../core/user.ts';
import { brokenConstraint, inTransaction, type Database, type Queryable } from './client.ts';
import { isoText } from './iso-text.ts';

/** Users and the roles they have (reference §7). A password's hash leaves this file only through `findCredentials`. */

const COLUMNS = `id, email, name, is_active, is_owner, password_hash is not null as has_password,
  array(select role_id from user_roles where user_id = users.id order by role_id) as role_ids,
  ${isoText('created_at')}, ${isoText('updated_at')}`;

export interface NewUser {
  email: string;
  name: string;
  /** Null: he sets one by his invitation. */
  passwordHash: string | null;
  roleIds: readonly string[];
}

/** What a sign-in is checked against. */
export interface Credentials {
  id: number;
  password_hash: string | null;
  is_active: boolean;
}

/** All users, the oldest first. */
export async function listUsers(db: Queryable): Promise<User[]> {
  const { rows } = await db.query<User>(`select ${COLUMNS} from users order by id`);
  return rows;
}

/** The users who have the role, the oldest first. */
export async function listUsersOfRole(db: Queryable, roleId: string): Promise<User[]> {
  const { rows } = await db.query<User>(
    `select ${COLUMNS} from users where id in (select user_id from user_roles where role_id = $1) order by id`,
    [roleId],
  );
  return rows;
}

/** The user of this id, or undefined. */
export async function findUser(db: Queryable, id: number): Promise<User | undefined> {
  const { rows } = await db.query<User>(`select ${COLUMNS} from users where id = $1`, [id]);
  return rows[0];
}

/** The user with this address, or undefined. */
export async function findUserByEmail(db: Queryable, email: string): Promise<User | undefined> {
  const { rows } = await db.query<User>(`select ${COLUMNS} from users where email = $1`, [email]);
  return rows[0];
}

/** As `findUser`, and no one else changes him or his roles until the transaction ends. */
export async function lockUser(client: pg.PoolClient, id: number): Promise<User | undefined> {
  await client.query('select from users where id = $1 for update', [id]);
  return findUser(client, id);
}

/** What a sign-in with this address is checked against; undefined where nobody has it. */
export async function findCredentials(db: Queryable, email: string): Promise<Credentials | undefined> {
  const { rows } = await db.query<Credentials>('select id, password_hash, is_active from users where email = $1', [
    email,
  ]);
  return rows[0];
}

/** The hash of the user's password; null where he has none, or does not exist. */
export async function findPasswordHash(db: Queryable, id: number): Promise<string | null> {
  const { rows } = await db.query<{ password_hash: string | null }>('select password_hash from users where id = $1', [
    id,
  ]);
  return rows[0]?.password_hash ?? null;
}

/** True while nobody has been set up. */
export async function hasNoUsers(db: Queryable): Promise<boolean> {
  const { rows } = await db.query('select from users limit 1');
  return rows.length === 0;
}

/** Stores a user, active where he has a password already. Undefined where the address is taken. */
export async function insertUser(db: Database, user: NewUser): Promise<User | undefined> {
  return inTransaction(db, async (client) => {
    const { rows } = await client.query<{ id: number }>(
      `insert into users (email, name, password_hash, is_active) values ($1, $2, $3, $3::text is not null)
       on conflict (email) do nothing returning id`,
      [user.email, user.name, user.passwordHash],
    );
    const [row] = rows;
    if (!row) return undefined;
    await setUserRoles(client, row.id, user.roleIds);
    return findUser(client, row.id);
  });
}

/** Makes the first user, who is the owner; undefined where there is a user already. */
export async function insertOwner(
  db: Database,
  owner: { email: string; name: string; passwordHash: string },
): Promise<User | undefined> {
  return inTransaction(db, async (client) => {
    // Two set-ups at once come one after the other.
    await client.query('lock table users in share row exclusive mode');
    if (!(await hasNoUsers(client))) return undefined;
    const user = await insertUser(client, { ...owner, roleIds: ['admin'] });
    if (!user) throw new Error('an address is taken where there are no users');
    await client.query('update users set is_owner = true where id = $1', [user.id]);
    return { ...user, is_owner: true };
  });
}

/** Replaces the user's roles by these, all of which exist. */
export async function setUserRoles(client: pg.PoolClient, id: number, roleIds: readonly string[]): Promise<void> {
  await client.query('delete from user_roles where user_id = $1 and role_id <> all($2)', [id, roleIds]);
  await client.query('insert into user_roles (user_id, role_id) select $1, unnest($2::text[]) on conflict do nothing', [
    id,
    roleIds,
  ]);
}

/**
 * Writes what is given of a user. Returns him; undefined: no such user; null: the address is another's.
 */
export async function updateUser(
  db: Queryable,
  id: number,
  fields: { email?: string; name?: string; isActive?: boolean },
): Promise<User | undefined | null> {
  try {
    await db.query(
      `update users set email = coalesce($2, email), name = coalesce($3, name), is_active = coalesce($4, is_active),
         updated_at = greatest(service_now(), updated_at + interval '1 millisecond')
       where id = $1`,
      [id, fields.email, fields.name, fields.isActive],
    );
  } catch (error) {
    if (brokenConstraint(error) === 'users_email_key') return null;
    throw error;
  }
  return findUser(db, id);
}

/** Sets the user's password and lets him sign in. */
export async function setPassword(db: Queryable, id: number, passwordHash: string): Promise<void> {
  await db.query('update users set password_hash = $2, is_active = true, updated_at = service_now() where id = $1', [
    id,
    passwordHash,
  ]);
}
