import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('disk-faults.c', import.meta.url));

/** Calls on a disk, by what they do. */
export type DiskCall = 'write' | 'sync' | 'open' | 'rename' | 'unlink' | 'truncate' | 'link' | 'mkdir' | 'read';

/** What calls on a failing disk meet. */
export type DiskFault =
  | { kind: 'ENOSPC' | 'EROFS' | 'EIO' }
  /** Each call takes so much longer. */
  | { kind: 'slow'; ms: number }
  /** Writes take half of what they are given. */
  | { kind: 'short' }
  /** So much may still be written by each process, then the disk is full. */
  | { kind: 'room'; bytes: number }
  /** The process is killed at the n-th call (1: the first) before it is done; a write is half done. */
  | { kind: 'kill'; call: number };

/** A folder of a child process as a disk that fails when the test says so, while the child runs. */
export interface FailingDisk {
  /** For the child's environment. */
  env: Record<string, string>;
  /** From now on the calls meet the fault; without `calls` those that such a disk refuses, see disk-faults.c. */
  fail(fault: DiskFault, calls?: readonly DiskCall[]): void;
  /** The disk is well. */
  mend(): void;
  /** Removes what was written for this disk; the folder stays. */
  close(): void;
}

/** Makes `folder` (created where it is missing) such a disk for all programs that get `env`. Linux, needs a C compiler. */
export function openFailingDisk(folder: string): FailingDisk {
  mkdirSync(folder, { recursive: true });
  const own = mkdtempSync(join(tmpdir(), 'farwatch-disk-faults-'));
  const control = join(own, 'control');
  const say = (line: string): void => {
    // Renamed into place, so that nobody reads half of it.
    writeFileSync(`${control}.new`, `${line}\n`);
    renameSync(`${control}.new`, control);
  };
  return {
    env: {
      LD_PRELOAD: (library ??= compile()),
      FARWATCH_DISK_FOLDER: realpathSync(folder),
      FARWATCH_DISK_FAULTS: control,
    },
    fail: (fault, calls) => say(`${fault.kind} ${numberOf(fault)} ${calls?.join(',') ?? '*'}`),
    mend: () => say('none 0 *'),
    close: () => rmSync(own, { recursive: true, force: true }),
  };
}

/** What all disks of this process share. */
let library: string | undefined;
const FLAGS = ['-shared', '-fPIC', '-O2', '-U_FORTIFY_SOURCE', '-Wall', '-Werror'];

function compile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farwatch-disk-faults-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, 'disk-faults.so');
  execFileSync('cc', [...FLAGS, '-o', path, source, '-ldl'], { stdio: ['ignore', 'ignore', 'inherit'] });
  return path;
}

function numberOf(fault: DiskFault): number {
  switch (fault.kind) {
    case 'slow':
      return fault.ms;
    case 'room':
      return fault.bytes;
    case 'kill':
      return fault.call;
    default:
      return 0;
  }
}
