import type pg from 'pg';
import { createApiKey } from '../../db/api-keys.ts';
import { inTransaction } from '../../db/client.ts';
import { insertOwner, insertUser } from '../../db/users.ts';
import { createPasswords } from '../../runtime/passwords.ts';
import type { Answer, ApiClient } from './api-client.ts';

/** The password of everybody here. */
export const PASSWORD = 'Correct horse 1';
let hash: Promise<string | null> | undefined;

async function passwordHash(): Promise<string> {
  hash ??= createPasswords().hash(PASSWORD);
  return (await hash) ?? '';
}

/** The first user. */
export async function addOwner(pool: pg.Pool, email = 'owner@example.com'): Promise<number> {
  const user = await insertOwner(pool, { email, name: 'Owner', passwordHash: await passwordHash() });
  if (!user) throw new Error('there is a user already');
  return user.id;
}

/** A user with these roles, who has set his password. */
export async function addUser(pool: pg.Pool, email: string, ...roleIds: string[]): Promise<number> {
  const user = await insertUser(pool, { email, name: email, roleIds, passwordHash: await passwordHash() });
  if (!user) throw new Error(`${email} is taken`);
  return user.id;
}

/** A role that permits this. */
export async function addRole(pool: pg.Pool, id: string, ...permissions: string[]): Promise<string> {
  return inTransaction(pool, async (client) => {
    await client.query('insert into roles (id, name) values ($1, $1)', [id]);
    await client.query('insert into role_permissions select $1, unnest($2::text[])', [id, permissions]);
    return id;
  });
}

/** The Authorization header of a new key that acts with this role. */
export async function addKey(pool: pg.Pool, roleId: string, name = `key of ${roleId}`): Promise<string> {
  const created = await createApiKey(pool, name, roleId);
  if (!created) throw new Error(`the key '${name}' exists already`);
  return `Bearer ${created.key}`;
}

export interface Browser {
  /** What it has kept, by name. */
  cookies: Map<string, string>;
  get(path: string): Promise<Answer>;
  post(path: string, json: unknown, headers?: Record<string, string>): Promise<Answer>;
  act(action: string, data?: unknown): Promise<Answer>;
  logIn(email: string, password?: string): Promise<Answer>;
}

/** What a browser does: it keeps cookies, and says where its requests come from. */
export function openBrowser(api: ApiClient): Browser {
  const cookies = new Map<string, string>();
  const send = async (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const own: Record<string, string> = { 'sec-fetch-site': 'same-origin', ...headers };
    if (cookie !== '') own.cookie = cookie;
    if (method !== 'GET') Object.assign(own, { origin: api.base, 'content-type': 'application/json' }, headers);
    const answer = await api.request(method, path, { authorization: null, json, headers: own });
    keep(cookies, answer.headers.getSetCookie());
    return answer;
  };
  return {
    cookies,
    get: (path) => send('GET', path),
    post: (path, json, headers) => send('POST', path, json, headers),
    act: (action, data = {}) => send('POST', '/manage/api', { action, data }),
    logIn: (email, password = PASSWORD) => send('POST', '/manage/auth/login', { email, password }),
  };
}

function keep(cookies: Map<string, string>, lines: readonly string[]): void {
  for (const line of lines) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (/Max-Age=0(;|$)/.test(line)) cookies.delete(name);
    else cookies.set(name, value);
  }
}
