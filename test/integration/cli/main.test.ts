import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeInvitation } from '../../../core/invitation.ts';
import { fingerprintOf } from '../../../identity/fingerprint.ts';
import { readIdentity } from '../../../identity/identity-folder.ts';
import { findActiveApiKey } from '../../../db/api-keys.ts';
import { readDatabaseState } from '../../../db/state.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { createAgent, testIdentity, testIdentityDir } from '../../support/test-identity.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

function farwatch(args: string[], url: string | undefined = database.url): Promise<Run> {
  const env = { ...process.env };
  delete env.DATABASE_URL;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ['--import', 'tsx', 'cli/main.ts', ...args],
      { env: { ...env, ...(url !== '' && { DATABASE_URL: url }) } },
      (error, stdout, stderr) => resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr }),
    );
  });
}

async function json<T>(args: string[]): Promise<T> {
  const { code, stdout, stderr } = await farwatch([...args, '--json']);
  expect(code, stderr).toBe(0);
  // The shape is what the test is about.
  return JSON.parse(stdout) as T;
}

it('gives a restored database another epoch', async () => {
  const epochOf = async (): Promise<string> => (await readDatabaseState(database.pool)).epoch;
  const before = await epochOf();
  const { epoch } = await json<{ epoch: string }>(['database', 'restored']);
  expect(epoch).not.toBe(before);
  expect(await epochOf()).toBe(epoch);
});

describe('farwatch keys', () => {
  it('shows a key once, lists it masked, and switches it off, on and away', async () => {
    const { key } = await json<{ key: string }>(['keys', 'create', '--name', 'ci']);
    expect(key).toMatch(/^farwatch_[0-9a-f]{64}$/);
    const active = async (): Promise<boolean> => (await findActiveApiKey(database.pool, key)) !== undefined;
    expect(await active()).toBe(true);
    const [listed] = await json<{ name: string; status: string; masked_key: string }[]>(['keys', 'list']);
    expect(listed).toMatchObject({ name: 'ci', status: 'ACTIVE', masked_key: '*'.repeat(69) + key.slice(-4) });
    expect((await farwatch(['keys', 'list'])).stdout).toContain(`${'*'.repeat(28)}${key.slice(-4)}`);
    await json(['keys', 'disable', 'ci']);
    expect(await active()).toBe(false);
    await json(['keys', 'enable', '--name', 'ci']);
    expect(await active()).toBe(true);
    await json(['keys', 'delete', '--name', 'ci']);
    expect(await active()).toBe(false);
    expect(await json(['keys', 'list'])).toEqual([]);
  });

  it('stores nothing from which a key could be had', async () => {
    const { stdout } = await farwatch(['keys', 'create', '--name', 'secret']);
    const key = stdout.trim();
    const { rows } = await database.pool.query<{ row: string }>('select to_jsonb(api_keys)::text as row from api_keys');
    expect(rows.map(({ row }) => row).join()).not.toContain(key.slice(9));
  });

  it('fails with 1 where the name is taken or unknown', async () => {
    await farwatch(['keys', 'create', '--name', 'twice']);
    expect(await farwatch(['keys', 'create', '--name', 'twice'])).toEqual({
      ...{ code: 1, stdout: '' },
      stderr: "an API key named 'twice' exists already\n",
    });
    for (const verb of ['disable', 'enable', 'delete'])
      expect(await farwatch(['keys', verb, '--name', 'nobody'])).toMatchObject({
        code: 1,
        stderr: "no API key is named 'nobody'\n",
      });
  });
});

describe('farwatch agents', () => {
  const invite = (...args: string[]): string[] => {
    const where = ['--collector', 'collector.example:50051', '--identity', testIdentityDir];
    return ['agents', 'invite', ...where, ...args];
  };

  it('prints one command with a token that names collector and authority, and stores nothing to make it from', async () => {
    const { stdout } = await farwatch(invite('--region', 'eu', '--name', 'eu-1'));
    const [, token = ''] =
      /^FARWATCH_STATE_DIR=\S+ node dist\/agent\/main\.js enrol (fwi_[\w-]+)\n$/.exec(stdout) ?? [];
    const invitation = decodeInvitation(token);
    expect(invitation).toMatchObject({
      collector: 'collector.example:50051',
      fingerprint: fingerprintOf(testIdentity.authority.certificate),
    });
    const { rows } = await database.pool.query<{ row: string }>('select i::text as row from agent_invitations i');
    expect(rows.map(({ row }) => row).join()).not.toContain(invitation?.secret);
  });

  it('lists agents, names them anew and revokes them for good', async () => {
    await createAgent(database.pool, 'us-1', 'us');
    await createAgent(database.pool, 'us-2', 'us');
    await json(['agents', 'rename', '--name', 'us-2', '--to', 'us-3']);
    expect((await farwatch(['agents', 'rename', '--name', 'us-3', '--to', 'us-1'])).code).toBe(1);
    expect((await farwatch(['agents', 'rename', '--name', 'us-2', '--to', 'x'])).code).toBe(1);
    await json(['agents', 'revoke', '--name', 'us-1']);
    expect(await json(['agents', 'list'])).toMatchObject([
      { name: 'us-1', revoked_at: expect.stringMatching(/Z$/) as unknown },
      { name: 'us-3', revoked_at: null },
    ]);
    expect((await farwatch(['agents', 'revoke', '--name', 'us-1'])).code).toBe(1);
  });

  it('fails with 1 for a name that is taken, a region that cannot be, and keys that are not there', async () => {
    await createAgent(database.pool, 'taken', 'eu');
    expect(await farwatch(invite('--region', 'eu', '--name', 'taken'))).toMatchObject({
      ...{ code: 1, stderr: "name taken: agent 'taken', region 'eu'\n" },
    });
    expect(await farwatch(invite('--region', 'US east', '--name', 'us-9'))).toMatchObject({
      ...{ code: 1, stderr: "invalid region name: agent 'us-9', region 'US east'\n" },
    });
    const nowhere = await farwatch(invite('--region', 'eu', '--identity', '/nonexistent'));
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('farwatch identity init') as unknown });
  });
});

describe('farwatch identity', () => {
  it('makes keys that only their owner can read, once', async () => {
    const folder = join(mkdtempSync(join(tmpdir(), 'farwatch-init-')), 'keys');
    const first = await json<{ fingerprint: string }>(['identity', 'init', '--identity', folder]);
    expect(await json(['identity', 'init', '--identity', folder])).toEqual(first);
    expect((await farwatch(['identity', 'init', '--identity', folder])).stdout).toContain(`: ${first.fingerprint}\n`);
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077, name).toBe(0);
    chmodSync(join(folder, 'authority.key'), 0o640);
    expect(() => readIdentity(folder)).toThrow(/can be read by others/);
    rmSync(join(folder, '..'), { recursive: true });
  });
});

describe('farwatch', () => {
  it('migrates, and says that there is nothing left to do', async () => {
    expect(await json(['migrate'])).toEqual({ applied: [] });
  });

  it.each([[[]], [['keys']], [['keys', 'steal']], [['keys', 'create']], [['keys', 'list', 'x']], [['migrate', '--x']]])(
    'explains itself and ends with 2 for %j',
    async (args) => {
      const run = await farwatch(args);
      expect([run.code, run.stdout]).toEqual([2, '']);
      expect(run.stderr).toContain('farwatch keys create --name <name>');
    },
  );

  it('prints its usage on request', async () => {
    expect(await farwatch(['--help'])).toMatchObject({ code: 0, stdout: expect.stringContaining('usage') as unknown });
  });

  it('ends with 78 where DATABASE_URL is missing, and with 1 where nothing listens there', async () => {
    expect(await farwatch(['keys', 'list'], '')).toMatchObject({ code: 78, stdout: '' });
    const away = await farwatch(['keys', 'list'], 'postgres://user:hidden@127.0.0.1:9/none');
    expect(away).toEqual({ code: 1, stdout: '', stderr: 'the database is away: check DATABASE_URL\n' });
  });
});
