import { execFile } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAgentByToken } from '../../../db/agents.ts';
import { findActiveApiKey } from '../../../db/api-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

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
  it('enrols agents in regions, new ones from a minute that has not begun, and revokes them', async () => {
    const first = await json<{ token: string }>(['agents', 'create', '--region', 'eu', '--name', 'eu-1']);
    const second = await json<{ token: string }>(['agents', 'create', '--region', 'eu', '--name', 'eu-2']);
    expect(first.token).toMatch(/^fwa_[0-9a-f]{64}$/);
    const agents = [
      await findAgentByToken(database.pool, first.token),
      await findAgentByToken(database.pool, second.token),
    ];
    expect(agents).toMatchObject([
      { name: 'eu-1', region: 'eu' },
      { name: 'eu-2', region: 'eu' },
    ]);
    expect(agents[0]?.regionId).toBe(agents[1]?.regionId);
    const { rows } = await database.pool.query<{ ahead: boolean }>(
      'select from_minute > created_at as ahead from regions',
    );
    expect(rows).toEqual([{ ahead: true }]);
    await json(['agents', 'revoke', '--name', 'eu-1']);
    expect(await findAgentByToken(database.pool, first.token)).toBeUndefined();
    expect(await json(['agents', 'list'])).toMatchObject([
      { name: 'eu-1', revoked_at: expect.stringMatching(/Z$/) as unknown },
      { name: 'eu-2', revoked_at: null },
    ]);
    expect((await farwatch(['agents', 'revoke', '--name', 'eu-1'])).code).toBe(1);
  });

  it('fails with 1 for a name that is taken and a region that cannot be', async () => {
    await farwatch(['agents', 'create', '--region', 'us', '--name', 'us-1']);
    const taken = await farwatch(['agents', 'create', '--region', 'us', '--name', 'us-1']);
    expect(taken).toMatchObject({ code: 1, stderr: "name taken: agent 'us-1', region 'us'\n" });
    const invalid = await farwatch(['agents', 'create', '--region', 'US east', '--name', 'us-2']);
    expect(invalid).toMatchObject({ code: 1, stderr: "invalid region name: agent 'us-2', region 'US east'\n" });
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
