import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ProcessIdentity } from '../../../../deploy/local/process-identity.ts';
import { isAlive, identify } from '../../../../deploy/local/process-identity.ts';
import { endLeftovers, openProcessList } from '../../../../deploy/local/process-list.ts';
import { supervise, type Part, type Supervised } from '../../../../deploy/local/supervise.ts';
import { eventually } from '../../../support/eventually.ts';

const parent = mkdtempSync(join(tmpdir(), 'farwatch-supervise-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let dir: string;
let said: string[];
beforeEach(() => {
  dir = mkdtempSync(join(parent, 'data-'));
  said = [];
});

test('a part that ends is started again, and the end of its log shown', async () => {
  const part = run('echo a last word; sleep 100');
  await part.up;
  const first = recorded();
  process.kill(first.pid, 'SIGKILL');
  const second = await eventually('another process', 10_000, () => {
    const now = recordedOrNone();
    return now && now.pid !== first.pid && now;
  });
  expect(said.join('\n')).toMatch(/part ended \(SIGKILL\)[^]*a last word[^]*starting part again/);
  await part.stop();
  expect(isAlive(second)).toBe(false);
  expect(recordedOrNone()).toBeUndefined();
});

test('a part that never comes up is given up after three tries, with its own words', async () => {
  await expect(run('echo it cannot be; exit 3').up).rejects.toThrow(/code 3[^]*(it cannot be[^]*){3}/);
});

test('a part whose configuration is wrong is not tried again', async () => {
  await expect(run('echo once; exit 78').up).rejects.toThrow(/code 78/);
  expect(readFileSync(join(dir, 'logs/part.log'), 'utf8')).toBe('once\n');
});

test('a part is ended with the processes it started, also when it leaves them behind', async () => {
  const file = join(dir, 'child');
  const part = run(`sleep 100 & echo $! > ${file}; trap 'exit 0' TERM; wait`);
  await part.up;
  const pid = Number(await eventually('the child', 5000, () => existsSync(file) && readFileSync(file, 'utf8').trim()));
  const child = identify(pid);
  expect(child).not.toBeNull();
  await part.stop();
  await eventually('the child has ended', 2000, () => child !== null && !isAlive(child));
});

test('kill ends at once a part that does not listen', async () => {
  const part = run(`trap '' TERM; while :; do sleep 1; done`);
  await part.up;
  const process = recorded();
  part.kill();
  await part.stop();
  expect(isAlive(process)).toBe(false);
});

test('what a killed launcher left is ended, and a process that only has its number by now is not', async () => {
  const left = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
  const stranger = spawn('sleep', ['100'], { detached: true, stdio: 'ignore' });
  const list = openProcessList(dir);
  list.add('left', left.pid ?? 0);
  list.add('stranger', stranger.pid ?? 0);
  const file = join(dir, 'processes.json');
  // Written by the code under test.
  const entries = JSON.parse(readFileSync(file, 'utf8')) as Record<string, ProcessIdentity>;
  writeFileSync(file, JSON.stringify({ ...entries, stranger: { ...entries.stranger, began: 'earlier' } }));
  await endLeftovers(dir, (line) => said.push(line));
  expect(said).toEqual(['ending what an earlier run left behind: left']);
  await eventually('the left one has ended', 5000, () => left.signalCode === 'SIGTERM');
  expect(stranger.signalCode).toBeNull();
  stranger.kill('SIGKILL');
});

function run(script: string): Supervised {
  const part: Part = {
    name: 'part',
    spawn: (stdio) => spawn('sh', ['-c', script], { stdio, detached: true }),
    ready: (child) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(resolve, 200);
        child.once('exit', () => {
          clearTimeout(timer);
          reject(new Error('ended'));
        });
      }),
    stopSignal: 'SIGTERM',
    layer: 'program',
  };
  return supervise(part, { dir, processes: openProcessList(dir), say: (line) => said.push(line) });
}

function recorded(): ProcessIdentity {
  const identity = recordedOrNone();
  if (!identity) throw new Error('no process is recorded');
  return identity;
}

function recordedOrNone(): ProcessIdentity | undefined {
  // Written by the code under test.
  return (JSON.parse(readFileSync(join(dir, 'processes.json'), 'utf8')) as { part?: ProcessIdentity }).part;
}
