import type pg from 'pg';
import type { z } from 'zod';
import { emailAddress, newPassword, passwordLink, personName, type User } from '../core/user.ts';
import { inTransaction } from '../db/client.ts';
import { createLink, dropLinks } from '../db/one-time-links.ts';
import { endSessionsOf } from '../db/sessions.ts';
import { findUserByEmail, hasNoUsers, insertOwner, listUsers, updateUser } from '../db/users.ts';
import { createPasswords } from '../runtime/passwords.ts';
import { failed, table, type Answer, type Command, type Options } from './command.ts';

/** Users, for whoever may use the database: he may do everything anyway. */
export const USER_COMMANDS: Readonly<Record<string, Command>> = {
  'users create-owner': {
    summary: 'make the first user; the password is asked for, or read from the input',
    needs: ['email', 'name'],
    run: createOwner,
  },
  'users setup-token': {
    summary: 'make the token by which the first user is made in the browser; none once there is one',
    needs: [],
    run: createSetupToken,
  },
  'users list': { summary: 'list users', needs: [], run: showUsers },
  'users disable': { summary: 'end the sessions of a user, and let nobody in as him', needs: ['email'], run: disable },
  'users enable': { summary: 'let him in again', needs: ['email'], run: enable },
  'users reset-link': {
    summary: 'make a link by which a user chooses a password; it is shown this once',
    needs: ['email'],
    run: createResetLink,
  },
};

async function createOwner(pool: pg.Pool, options: Options): Promise<Answer> {
  // Before anybody types a password for nothing.
  if (!(await hasNoUsers(pool))) return failed('there is a user already');
  const email = emailAddress.safeParse(options.email);
  const name = personName.safeParse(options.name);
  if (!email.success) return refused(email.error);
  if (!name.success) return refused(name.error);
  const typed = await options.readPassword();
  if (typed === null) return failed('no password, or two different ones');
  const password = newPassword.safeParse(typed);
  if (!password.success) return refused(password.error);
  const passwordHash = await createPasswords().hash(password.data);
  if (passwordHash === null) throw new Error('the only password waits for others');
  const user = await insertOwner(pool, { email: email.data, name: name.data, passwordHash });
  if (!user) return failed('there is a user already');
  return { text: `${user.email} owns this service`, json: { id: user.id, email: user.email } };
}

async function createSetupToken(pool: pg.Pool): Promise<Answer> {
  if (!(await hasNoUsers(pool))) return { text: 'there is a user already', json: { token: null } };
  const { token, expires_at } = await createLink(pool, 'SETUP', null);
  return { text: token, json: { token, expires_at } };
}

async function showUsers(pool: pg.Pool): Promise<Answer> {
  const users = await listUsers(pool);
  const rows = users.map((user) => [user.id, user.email, user.name, stateOf(user), user.role_ids.join(' ')]);
  return { text: table(rows), json: users };
}

async function disable(pool: pg.Pool, { email }: Options): Promise<Answer> {
  return withUser(pool, email, async (user) => {
    if (user.is_owner) return failed('the owner cannot be switched off');
    await inTransaction(pool, async (client) => {
      await updateUser(client, user.id, { isActive: false });
      await endSessionsOf(client, user.id);
      await dropLinks(client, user.id);
    });
    return { text: `${user.email} off`, json: { email: user.email, is_active: false } };
  });
}

async function enable(pool: pg.Pool, { email }: Options): Promise<Answer> {
  return withUser(pool, email, async (user) => {
    if (!user.has_password) return failed('the user becomes active when he takes his invitation');
    await updateUser(pool, user.id, { isActive: true });
    return { text: `${user.email} active`, json: { email: user.email, is_active: true } };
  });
}

async function createResetLink(pool: pg.Pool, { email, publicUrl }: Options): Promise<Answer> {
  return withUser(pool, email, async (user) => {
    if (user.has_password && !user.is_active) return failed('the user is not active, so no link would let him in');
    const { token, expires_at } = await createLink(pool, user.has_password ? 'RESET' : 'INVITE', user.id);
    const link = passwordLink(publicUrl, token);
    return { text: link, json: { email: user.email, link, expires_at } };
  });
}

async function withUser(pool: pg.Pool, email: string, work: (user: User) => Promise<Answer>): Promise<Answer> {
  const user = await findUserByEmail(pool, email.trim().toLowerCase());
  return user ? work(user) : failed(`no user has the email '${email}'`);
}

function stateOf(user: User): string {
  if (user.is_owner) return 'owner';
  return user.is_active ? 'active' : user.has_password ? 'off' : 'invited';
}

function refused(error: z.ZodError): Answer {
  return failed(error.issues[0]?.message ?? 'refused');
}
