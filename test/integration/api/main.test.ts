import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../../db/api-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const running = new Set<ChildProcess>();
afterEach(() => {
  for (const program of running) program.kill('SIGKILL');
});

interface Ended {
  code: number | null;
  stderr: string;
}

/** The program from its source, with just this environment. */
function start(env: Record<string, string>): {
  program: ChildProcess;
  ended: Promise<Ended>;
  address: Promise<string>;
} {
  const program = spawn(process.execPath, ['--import', 'tsx', 'api/main.ts'], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(program);
  let stderr = '';
  program.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const ended = new Promise<Ended>((resolve) => {
    program.once('exit', (code) => {
      running.delete(program);
      resolve({ code, stderr });
    });
  });
  const address = new Promise<string>((resolve) => {
    createInterface(program.stdout).on('line', (line) => {
      const { address } = JSON.parse(line) as { address?: string };
      if (address) resolve(address);
    });
  });
  return { program, ended, address };
}

it('serves what its environment says, and ends with 0 on SIGTERM', async () => {
  const created = await createApiKey(database.pool, 'main');
  const { program, ended, address } = start({
    DATABASE_URL: database.url,
    API_LISTEN: '127.0.0.1:0',
    PUBLIC_URL: 'https://status.example',
  });
  const base = `http://${await address}`;
  const answer = await fetch(`${base}/api/v4/monitors`, { headers: { authorization: `Bearer ${created?.key}` } });
  expect([answer.status, await answer.json()]).toEqual([200, { monitors: [] }]);
  const document: unknown = await (await fetch(`${base}/openapi.json`)).json();
  expect(document).toMatchObject({ openapi: '3.1.0', servers: [{ url: 'https://status.example' }] });
  program.kill('SIGTERM');
  expect(await ended).toEqual({ code: 0, stderr: '' });
});

it('starts while the database is away', async () => {
  const { program, ended, address } = start({ DATABASE_URL: 'postgres://127.0.0.1:9/none', API_LISTEN: '127.0.0.1:0' });
  const answer = await fetch(`http://${await address}/healthz`);
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining('database')]);
  program.kill('SIGINT');
  expect((await ended).code).toBe(0);
});

it('names every fault of its environment and ends with 78', async () => {
  const { ended } = start({ API_LISTEN: 'nowhere', LOG_LEVEL: 'loud', PUBLIC_URL: 'ftp://x' });
  const { code, stderr } = await ended;
  expect(code).toBe(78);
  for (const name of ['DATABASE_URL', 'API_LISTEN', 'LOG_LEVEL', 'PUBLIC_URL'])
    expect(stderr).toContain(`configuration: ${name}: `);
});
