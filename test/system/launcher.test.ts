import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '@nats-io/transport-node';
import { readIdentityFile } from '../../agent/identity/identity-file.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { isAlive, type ProcessIdentity } from '../../deploy/local/process-identity.ts';
import { inboxPrefixOf } from '../../proto/definition-requests.ts';
import { natsAccess } from '../../proto/nats-access.ts';
import { eventually } from '../support/eventually.ts';
import { restClient } from '../support/rest.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const KEY_LINE = /^API key: (farwatch_[0-9a-f]{64})$/m;
const SETUP_LINE = /^set-up token: ([\w-]{43})$/m;
const METRICS_LINE = /^\/metrics and \/healthz: (.+)$/m;
const READY_LINE = /^ready .*?(http:\/\/\S+)/m;

const parent = mkdtempSync(join(tmpdir(), 'farwatch-launcher-'));
const data = join(parent, 'data');
const launched: Launcher[] = [];
let port: number;
let apiKey: string;

beforeAll(async () => {
  port = await freePort();
});

afterAll(async () => {
  for (const launcher of launched) await launcher.end('SIGTERM');
  rmSync(parent, { recursive: true, force: true });
});

test('the first start prints a key once and is ready when the demo has a point', async () => {
  const launcher = npmStart('--port', `${port}`, '--data', data, '--regions', 'eu,us,ap');
  const ready = await launcher.line(READY_LINE, 150_000);
  expect(ready).toBe(`http://127.0.0.1:${port}`);
  apiKey = KEY_LINE.exec(launcher.output())?.[1] ?? '';
  expect(launcher.output().match(new RegExp(KEY_LINE, 'gm'))).toHaveLength(1);
  expect(await pointCount()).toBeGreaterThan(0);
});

test('the first start prints a token by which the first user is made', async () => {
  const [, token] = SETUP_LINE.exec(launched[0]?.output() ?? '') ?? [];
  const owner = { token, email: 'owner@example.com', name: 'Owner', password: 'Correct horse 1' };
  const made = await fetch(`http://127.0.0.1:${port}/manage/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(owner),
  });
  expect(made.status).toBe(200);
});

test('each program shows its metrics where the launcher says', async () => {
  const [, line = ''] = METRICS_LINE.exec(launched[0]?.output() ?? '') ?? [];
  const addresses = new Map([...line.matchAll(/([\w-]+) (127\.0\.0\.1:\d+)/g)].map(([, name, at]) => [name, at]));
  expect([...addresses.keys()]).toEqual(['collector', 'api', 'agent-eu', 'agent-us', 'agent-ap']);
  for (const [name, address] of addresses) {
    const answer = await fetch(`http://${address}/metrics`);
    const program = name?.split('-', 1)[0];
    expect([name, answer.status, (await answer.text()).includes(`farwatch_${program}_`)]).toEqual([name, 200, true]);
  }
});

test('each agent is somebody, and the bus takes nobody else', async () => {
  const agents = await Promise.all(
    ['eu', 'us', 'ap'].map((region) => readIdentityFile(join(data, 'identities/embedded', `agent-${region}.json`))),
  );
  expect(agents.map((agent) => agent?.region)).toEqual(['eu', 'us', 'ap']);
  expect(new Set(agents.map((agent) => agent?.certificate)).size).toBe(3);
  const [agent] = agents;
  if (!agent) throw new Error('the first agent has no identity');
  const { url, jwt, seed } = agent.nats;
  const access = natsAccess(url, agent.authority, { jwt: () => jwt, seed: Buffer.from(seed) });
  const known = await connect({ servers: url, ...access, inboxPrefix: inboxPrefixOf(agent.agentId) });
  await known.close();
  await expect(connect({ servers: url, tls: access.tls, maxReconnectAttempts: 0 })).rejects.toThrow(/Authorization/);
});

test('a part that dies is started again', async () => {
  const { collector } = processes();
  process.kill(collector?.pid ?? 0, 'SIGKILL');
  await eventually('another collector', 15_000, () => {
    const now = processes().collector;
    return now !== undefined && now.pid !== collector?.pid;
  });
});

test('another launcher on the same data refuses and names who has them', async () => {
  const other = npmStart('--port', `${await freePort()}`, '--data', data);
  expect(await other.ended).toBe(1);
  expect(other.output()).toContain(`${data} is in use by another launcher`);
});

test('SIGTERM ends every process it started', async () => {
  const before = processes();
  expect(Object.keys(before).sort()).toEqual(
    ['agent-ap', 'agent-eu', 'agent-us', 'api', 'collector', 'nats-server', 'postgres'].sort(),
  );
  expect(await launched[0]?.end('SIGTERM')).toBe(0);
  expect(Object.entries(before).filter(([, identity]) => isAlive(identity))).toEqual([]);
});

test('a second start continues with the same key and the same points, and shows neither key nor token', async () => {
  const launcher = npmStart('--port', `${port}`, '--data', data);
  await launcher.line(READY_LINE, 60_000);
  expect(launcher.output()).not.toMatch(KEY_LINE);
  expect(launcher.output()).not.toMatch(SETUP_LINE);
  expect(await pointCount()).toBeGreaterThan(0);
});

test('what outlives a killed launcher is ended by the next one', async () => {
  const before = processes();
  const last = launched.at(-1);
  await last?.killLauncher();
  expect(Object.values(before).every(isAlive)).toBe(true);
  const launcher = npmStart('--port', `${port}`, '--data', data, '--no-demo');
  await launcher.line(READY_LINE, 60_000);
  expect(Object.entries(before).filter(([, identity]) => isAlive(identity))).toEqual([]);
  expect(await launcher.end('SIGINT')).toBe(0);
});

test('a port that is taken is said in one line', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const address = taken.address();
  const number = address !== null && typeof address === 'object' ? address.port : 0;
  const launcher = npmStart('--port', `${number}`, '--data', join(parent, 'other'));
  expect(await launcher.ended).toBe(1);
  expect(launcher.output()).toContain(`port ${number} is taken`);
  await new Promise((resolve) => taken.close(resolve));
});

test.each([['--regions', 'eu,eu'], ['--port', '0'], ['--port', 'x'], ['--nothing'], ['--regions', 'A']])(
  '%s %s is answered with the usage and exit code 64',
  async (...args) => {
    const launcher = npmStart(...args);
    expect(await launcher.ended).toBe(64);
    expect(launcher.output()).toContain('usage: npm start');
  },
);

interface Launcher {
  output(): string;
  /** Waits for a line and returns its first group. */
  line(pattern: RegExp, limitMs: number): Promise<string>;
  ended: Promise<number | null>;
  /** Signals npm, as a terminal or a supervisor would, and waits for its exit code. */
  end(signal: NodeJS.Signals): Promise<number | null>;
  /** SIGKILL to npm and launcher, and to nothing else. */
  killLauncher(): Promise<void>;
}

function npmStart(...args: string[]): Launcher {
  const npm: ChildProcess = spawn('npm', ['start', '--', ...args], { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  npm.stdout?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  npm.stderr?.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => npm.once('close', resolve));
  const launcher: Launcher = {
    output: () => text,
    line: (pattern, limitMs) =>
      eventually(
        () => `${pattern} in: ${text}`,
        limitMs,
        () => {
          if (npm.exitCode !== null) throw new Error(`the launcher ended: ${text}`);
          return pattern.exec(text)?.[1];
        },
      ),
    ended,
    end(signal) {
      npm.kill(signal);
      return ended;
    },
    async killLauncher() {
      const lock =
        readdirSync(data)
          .filter((name) => name.startsWith('launcher.lock.'))
          .sort()
          .at(-1) ?? '';
      // Written by the launcher under test.
      const { pid } = JSON.parse(readFileSync(join(data, lock), 'utf8')) as ProcessIdentity;
      npm.kill('SIGKILL');
      process.kill(pid, 'SIGKILL');
      await ended;
    },
  };
  launched.push(launcher);
  return launcher;
}

function processes(): Record<string, ProcessIdentity> {
  // Written by the launcher under test.
  return JSON.parse(readFileSync(join(data, 'processes.json'), 'utf8')) as Record<string, ProcessIdentity>;
}

async function pointCount(): Promise<number> {
  const rest = restClient(`http://127.0.0.1:${port}`, apiKey);
  const now = Math.floor(Date.now() / 1000);
  const lists = await Promise.all(
    ['demo-ping', 'demo-tcp', 'demo-dns'].map((tag) => rest.points(tag, now - 3600, now + 60)),
  );
  return lists.flat().length;
}
