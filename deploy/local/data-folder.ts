import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/** Locks are numbered, and each takes over from the one before: the highest is the one that counts. */
const LOCK_NAME = /^launcher\.lock\.(\d+)$/;

/**
 * Makes the data folder, for its owner alone, and takes it for this launcher. Returns who has it, if another does. A lock
 * whose launcher has ended is never taken away for a new one, since what has its name could by then be alive: the new one
 * gets the next number, which only one launcher can have, and leaves its predecessor.
 */
export function takeDataFolder(dir: string): ProcessIdentity | null {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const claim = join(dir, `launcher.claim.${randomBytes(6).toString('hex')}`);
  writeFileSync(claim, JSON.stringify(identify(process.pid)), { mode: 0o600 });
  try {
    for (;;) {
      const numbers = lockNumbers(dir);
      const newest = Math.max(0, ...numbers);
      const holder = readJson<ProcessIdentity | null>(lockFile(dir, newest));
      if (holder && isAlive(holder)) return holder;
      if (!link(claim, lockFile(dir, newest + 1))) continue;
      for (const number of numbers) if (number < newest) rmSync(lockFile(dir, number), { force: true });
      return null;
    }
  } finally {
    rmSync(claim, { force: true });
  }
}

/** For whoever has the folder. */
export function leaveDataFolder(dir: string): void {
  writeJson(lockFile(dir, Math.max(...lockNumbers(dir))), null);
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

function lockNumbers(dir: string): number[] {
  return readdirSync(dir)
    .flatMap((name) => LOCK_NAME.exec(name)?.[1] ?? [])
    .map(Number);
}

function lockFile(dir: string, number: number): string {
  return join(dir, `launcher.lock.${number}`);
}

/** Gives a whole file a second name. False where another file has it. */
function link(file: string, name: string): boolean {
  try {
    linkSync(file, name);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}
