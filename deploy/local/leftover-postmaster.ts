import { readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const FAST_LIMIT_MS = 10_000;
const IMMEDIATE_LIMIT_MS = 20_000;

/**
 * Ends a server that still runs on `dataDir` because its launcher was killed, and clears the pid file of one that is
 * gone: another process may have its number by now, and PostgreSQL would then refuse to start.
 */
export async function endLeftover(dataDir: string, say: (line: string) => void): Promise<void> {
  const pidFile = join(dataDir, 'postmaster.pid');
  const pid = readPid(pidFile);
  if (pid === null) return;
  if (!isPostmasterOf(pid, dataDir)) {
    rmSync(pidFile, { force: true });
    return;
  }
  say(`a database server of an earlier run is still there (process ${pid}): taking it over`);
  const began = Date.now();
  process.kill(pid, 'SIGINT');
  let immediate = false;
  while (isPostmasterOf(pid, dataDir)) {
    if (!immediate && Date.now() - began > FAST_LIMIT_MS) {
      immediate = true;
      process.kill(pid, 'SIGQUIT');
    }
    if (Date.now() - began > IMMEDIATE_LIMIT_MS) throw new Error(`database server ${pid} does not end`);
    await wait(20);
  }
}

function readPid(pidFile: string): number | null {
  try {
    const pid = Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
    return Number.isSafeInteger(pid) && pid > 1 ? pid : null;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

/** A postmaster stands in its data folder; where there is no /proc, a living process of that number counts. */
function isPostmasterOf(pid: number, dataDir: string): boolean {
  if (process.platform !== 'linux') return isAlive(pid);
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataDir);
  } catch {
    // Gone, or another user's: neither is a server of ours.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // Signal 0 fails where there is no such process of ours.
    return false;
  }
}
