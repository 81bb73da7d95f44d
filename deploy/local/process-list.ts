import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { readJson, writeJson } from './data-folder.ts';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

const POLITE_MS = 8000;
const LIMIT_MS = 12_000;

/** The processes this launcher started, on disk, so that the next one finds those which outlived a kill -9. */
export interface ProcessList {
  add(name: string, pid: number): void;
  remove(name: string): void;
}

export function openProcessList(dir: string): ProcessList {
  const file = join(dir, 'processes.json');
  const entries = new Map<string, ProcessIdentity>();
  const save = (): void => writeJson(file, Object.fromEntries(entries));
  save();
  return {
    add(name, pid) {
      const identity = identify(pid);
      if (identity === null) return;
      entries.set(name, identity);
      save();
    },
    remove(name) {
      if (entries.delete(name)) save();
    },
  };
}

/** Ends what an earlier launcher started and could not end, the database apart, which looks after itself. */
export async function endLeftovers(dir: string, say: (line: string) => void): Promise<void> {
  const recorded = readJson<Record<string, ProcessIdentity>>(join(dir, 'processes.json')) ?? {};
  const alive = Object.entries(recorded).filter(([name, identity]) => name !== 'postgres' && isAlive(identity));
  if (alive.length === 0) return;
  say(`ending what an earlier run left behind: ${alive.map(([name]) => name).join(', ')}`);
  for (const [, { pid }] of alive) signalGroup(pid, 'SIGTERM');
  const began = Date.now();
  while (alive.some(([, identity]) => isAlive(identity))) {
    if (Date.now() - began > LIMIT_MS) throw new Error('processes of an earlier run do not end');
    if (Date.now() - began > POLITE_MS) for (const [, { pid }] of alive) signalGroup(pid, 'SIGKILL');
    await wait(50);
  }
  for (const [, { pid }] of alive) signalGroup(pid, 'SIGKILL');
}

/** Signals a process and what it started. Each part leads a process group of its own. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-leader, signal);
  } catch {
    // The group is empty: everybody has ended, which is what was wanted.
  }
}
