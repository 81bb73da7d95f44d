import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { findLink } from '../../../db/one-time-links.ts';
import { findCredentials } from '../../../db/users.ts';
import { createPasswords } from '../../../runtime/passwords.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addOwner, addRole, addUser, PASSWORD } from '../../support/people.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  await database.pool.query('delete from users');
});

interface Run {
  code: number | null;
  stdout: string;
  stderr: string;
}

async function farwatch(args: string[], input = '', env: Record<string, string> = {}): Promise<Run> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'cli/main.ts', ...args], {
    env: { ...process.env, ...env, DATABASE_URL: database.url },
  });
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await code, stdout, stderr };
}

async function json<T>(args: string[], input?: string): Promise<T> {
  const { code, stdout, stderr } = await farwatch([...args, '--json'], input);
  expect(code, stderr).toBe(0);
  // The shape is what the test is about.
  return JSON.parse(stdout) as T;
}

const CREATE = ['users', 'create-owner', '--email', 'Ada@example.com', '--name', 'Ada'];

describe('farwatch users', () => {
  it('makes the first owner, whose password it reads from the input', async () => {
    expect(await json(CREATE, `${PASSWORD}\nanother line`)).toMatchObject({ email: 'ada@example.com' });
    const found = await findCredentials(database.pool, 'ada@example.com');
    expect(found?.is_active).toBe(true);
    expect(await createPasswords().verify(PASSWORD, found?.password_hash ?? null)).toBe(true);
    expect((await farwatch(['users', 'list'])).stdout).toMatch(/^\d+\tada@example.com\tAda\towner\tadmin\n$/);
    expect(await farwatch(CREATE, PASSWORD)).toEqual({ code: 1, stdout: '', stderr: 'there is a user already\n' });
  });

  it('refuses a password that is weak or missing, or an email that is none', async () => {
    expect(await farwatch(CREATE, 'weak')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('Password must be at least 8 characters long') as unknown,
    });
    expect(await farwatch(CREATE)).toMatchObject({ code: 1, stderr: 'no password, or two different ones\n' });
    const wrong = ['users', 'create-owner', '--email', 'nowhere', '--name', 'Ada'];
    expect(await farwatch(wrong, PASSWORD)).toMatchObject({ code: 1, stderr: 'Email must be an e-mail address\n' });
    expect((await database.pool.query('select from users')).rowCount).toBe(0);
  });

  it('takes no password from the command line, where others could see it', async () => {
    expect((await farwatch([...CREATE, '--password', PASSWORD])).code).toBe(2);
  });

  it('makes a set-up token while there is no user, and none afterwards', async () => {
    const { token } = await json<{ token: string }>(['users', 'setup-token']);
    expect(await findLink(database.pool, token)).toMatchObject({ purpose: 'SETUP', user_id: null });
    await addOwner(database.pool);
    expect(await json(['users', 'setup-token'])).toEqual({ token: null });
  });

  it('switches a user off and on, but never the owner', async () => {
    await addOwner(database.pool);
    const id = await addUser(database.pool, 'ada@example.com', 'editor');
    await database.pool.query(
      `insert into sessions (user_id, token_hash, address, user_agent, expires_at) values ($1, 'x', '', '', now())`,
      [id],
    );
    await json(['users', 'disable', 'Ada@example.com']);
    expect((await findCredentials(database.pool, 'ada@example.com'))?.is_active).toBe(false);
    expect((await database.pool.query('select from sessions')).rowCount).toBe(0);
    expect((await farwatch(['users', 'reset-link', 'ada@example.com'])).code).toBe(1);
    await json(['users', 'enable', '--email', 'ada@example.com']);
    expect((await findCredentials(database.pool, 'ada@example.com'))?.is_active).toBe(true);
    expect(await farwatch(['users', 'disable', 'owner@example.com'])).toMatchObject({
      code: 1,
      stderr: 'the owner cannot be switched off\n',
    });
    expect(await farwatch(['users', 'disable', 'nobody@example.com'])).toMatchObject({
      code: 1,
      stderr: "no user has the email 'nobody@example.com'\n",
    });
  });

  it('makes a link by which anybody, the owner too, chooses another password', async () => {
    await addOwner(database.pool);
    const run = await farwatch(['users', 'reset-link', 'owner@example.com'], '', {
      PUBLIC_URL: 'https://status.example',
    });
    const [, token = ''] = /^https:\/\/status\.example\/manage\/password#([\w-]{43})\n$/.exec(run.stdout) ?? [];
    expect(await findLink(database.pool, token)).toMatchObject({ purpose: 'RESET' });
  });
});

describe('farwatch keys create --role', () => {
  it('makes a key that acts with the role', async () => {
    await addRole(database.pool, 'robots', 'monitors.read');
    await json(['keys', 'create', 'robot', '--role', 'robots']);
    await json(['keys', 'create', 'plain']);
    const { rows } = await database.pool.query('select name, role_id from api_keys order by id');
    expect(rows).toEqual([
      { name: 'robot', role_id: 'robots' },
      { name: 'plain', role_id: 'admin' },
    ]);
    expect(await farwatch(['keys', 'create', 'x', '--role', 'nope'])).toMatchObject({
      code: 1,
      stderr: "no role is named 'nope'\n",
    });
  });
});
