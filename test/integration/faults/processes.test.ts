import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { freezeTree, killTree, signalProcess, watchProcesses } from '../../faults/processes.ts';
import { eventually } from '../../support/eventually.ts';
import { runningPart, type RunningPart } from '../../support/running-part.ts';

const LIMIT_MS = 20_000;
const CHILD_MIB = 150;
/** Takes memory of its own, and sleeps. */
const CHILD = `${process.execPath} -e 'const taken = Buffer.alloc(${CHILD_MIB} << 20, 1); setTimeout(() => taken, 1e6)'`;
let folder: string;
let part: RunningPart;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'farwatch-processes-'));
  part = runningPart(
    {
      name: 'parent',
      // Its child leads a session of its own, as PostgreSQL's processes do.
      spawn: (stdio) => spawn('sh', ['-c', `setsid ${CHILD} & echo $!; wait`], { stdio, detached: true }),
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

test('the memory of a program is that of what it has started, too', async () => {
  const watch = watchProcesses([part]);
  await eventually('all of it', LIMIT_MS, () => (watch.figures()[0]?.mostMib ?? 0) > CHILD_MIB);
  expect(watch.judge()).toEqual([]);
  await watch.close();
});
