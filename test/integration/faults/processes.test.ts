import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freezeTree, killTree, signalProcess } from '../../faults/processes.ts';
import { eventually } from '../../support/eventually.ts';
import { runningPart, type RunningPart } from '../../support/running-part.ts';

const LIMIT_MS = 20_000;
let folder: string;
let part: RunningPart;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-processes-'));
  part = runningPart(
    {
      name: 'parent',
      // Its child leads a session of its own, as PostgreSQL's processes do.
      spawn: (stdio) => spawn('sh', ['-c', 'setsid sleep 1000 & echo $!; wait'], { stdio, detached: true }),
      ready: async (child) => void (await once(child, 'spawn')),
      stopSignal: 'SIGTERM',
      layer: 'store',
    },
    folder,
  );
  await part.start();
  await eventually('the child', LIMIT_MS, () => stateOf(childOf(part)) === 'S');
});
afterEach(async () => {
  await killTree(part);
  rmSync(folder, { recursive: true });
});

function childOf(parent: RunningPart): number {
  return Number(parent.log().trim());
}

/** proc(5): S sleeps, T is stopped; null: there is no such process, or only its remains. */
function stateOf(pid: number): string | null {
  try {
    const state = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] ?? null;
    return state === 'Z' ? null : state;
  } catch {
    return null;
  }
}

test('a program is stopped with what it has started, and both go on', async () => {
  const child = childOf(part);
  const stopped = freezeTree(part);
  expect(stopped).toEqual([part.pid, child]);
  await eventually('both to stand', LIMIT_MS, () => stopped.every((pid) => stateOf(pid) === 'T'));
  for (const pid of stopped) signalProcess(pid, 'SIGCONT');
  await eventually('both to go on', LIMIT_MS, () => stopped.every((pid) => stateOf(pid) === 'S'));
});

test('a program is killed with what it has started', async () => {
  const pids = [part.pid, childOf(part)];
  await killTree(part);
  await eventually('the end of both', LIMIT_MS, () => pids.every((pid) => stateOf(pid) === null));
});
