import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../deploy/local/project-root.ts';

/** A program's wall clock that can be stepped while it runs; its monotonic clock stays true. */
export interface FalseClock {
  /** For the program's environment. */
  env: Record<string, string>;
  step(seconds: number): void;
}

/** Installed, or unpacked by deploy/setup.mjs. */
const LIBRARIES = ['/', join(projectRoot(), '.farwatch/tools')].flatMap((root) =>
  ['x86_64', 'aarch64'].map((machine) => join(root, `usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`)),
);
const library = LIBRARIES.find((path) => existsSync(path));

/** Why clocks are not stepped here; null: they are. */
export const CLOCKS_STAY_TRUE = library === undefined ? 'clock steps need libfaketime (apt install libfaketime)' : null;

/** A clock that the file at `path` rules; null where libfaketime is not installed. */
export function openFalseClock(path: string): FalseClock | null {
  if (library === undefined) return null;
  const step = (seconds: number): void => {
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(`${path}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    renameSync(`${path}.new`, path);
  };
  step(0);
  const env = {
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: path,
    FAKETIME_CACHE_DURATION: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  return { env, step };
}
