import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** Makes the data folder, for its owner alone, and takes it for this launcher. Returns who has it, if another does. */
export function takeDataFolder(dir: string): ProcessIdentity | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, 'launcher.lock');
  const self = JSON.stringify(identify(process.pid));
  for (;;) {
    if (createFile(file, self)) return null;
    const holder = readJson<ProcessIdentity>(file);
    if (holder && isAlive(holder)) return holder;
    rmSync(file, { force: true });
  }
}

export function leaveDataFolder(dir: string): void {
  rmSync(join(dir, 'launcher.lock'), { force: true });
}

/** Reads a file that this launcher wrote; undefined where it is absent or was torn. */
export function readJson<T>(file: string): T | undefined {
  try {
    // Written by `writeJson` of the same type.
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    // Absent, or cut short by a kill: both mean that nothing is known.
    return undefined;
  }
}

/** Replaces the file at once; only its owner may read it. */
export function writeJson(file: string, value: unknown): void {
  writeSecret(file, JSON.stringify(value));
}

/** Replaces the file at once; only its owner may read it. */
export function writeSecret(file: string, text: string): void {
  const temporary = `${file}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}

function createFile(file: string, text: string): boolean {
  try {
    writeFileSync(file, text, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
