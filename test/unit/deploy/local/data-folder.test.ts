import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { leaveDataFolder, readJson, takeDataFolder, writeJson } from '../../../../deploy/local/data-folder.ts';
import { identify, isAlive } from '../../../../deploy/local/process-identity.ts';

const FIXTURE = new URL('../../../support/fixtures/folder-takers.mjs', import.meta.url);

const parent = mkdtempSync(join(tmpdir(), 'farwatch-folder-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));

test('a folder is taken once, by name of the process that has it, and free again when left', () => {
  const dir = join(parent, 'taken/deep');
  expect(takeDataFolder(dir)).toBeNull();
  expect(statSync(dir).mode & 0o777).toBe(0o700);
  expect(takeDataFolder(dir)).toEqual(identify(process.pid));
  leaveDataFolder(dir);
  expect(takeDataFolder(dir)).toBeNull();
});

test.each([
  ['of a process that ended', JSON.stringify({ pid: 2 ** 22 - 1, began: 'long ago' })],
  ['of a process whose number another one has now', JSON.stringify({ pid: process.pid, began: 'before' })],
  ['cut short by a kill', '{"pid":'],
])('a lock %s does not hold', (_name, text) => {
  const dir = mkdtempSync(join(parent, 'stale-'));
  writeFileSync(join(dir, 'launcher.lock.1'), text);
  expect(takeDataFolder(dir)).toBeNull();
});

test('a lock that does not hold is taken over by exactly one of many that find it at once', async () => {
  const rounds = 50;
  const takers = 4;
  const folders = mkdtempSync(join(parent, 'race-'));
  for (let round = 0; round < rounds; round += 1) {
    mkdirSync(join(folders, String(round)));
    writeJson(join(folders, String(round), 'launcher.lock.1'), { pid: 2 ** 22 - 1, began: 'long ago' });
  }
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const taken = new Int32Array(new SharedArrayBuffer(4 * rounds));
  const workerData = { parent: folders, takers, gate, taken };
  const threads = Array.from({ length: takers }, () => new Worker(FIXTURE, { workerData }));
  await Promise.all(threads.map((thread) => once(thread, 'exit')));
  expect([...taken]).toEqual(Array.from({ length: rounds }, () => 1));
}, 60_000);

test('what is written can be read by its owner only, and nothing half-written stays', () => {
  const file = join(parent, 'secret.json');
  writeJson(file, { key: 1 });
  expect(readJson(file)).toEqual({ key: 1 });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(`${file}.new`)).toBe(false);
});

test('a process is told from another one of the same number', () => {
  const self = identify(process.pid);
  expect(self && isAlive(self)).toBe(true);
  expect(self && isAlive({ ...self, began: 'at another time' })).toBe(false);
});
