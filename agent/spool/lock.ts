import { randomBytes } from 'node:crypto';
import { link, open, readdir, rm, type FileHandle } from 'node:fs/promises';
import { createServer, connect, type Server } from 'node:net';
import { join } from 'node:path';

/** Another agent, alive, has the folder. */
export class SpoolLockedError extends Error {
  constructor(folder: string, options: ErrorOptions = {}) {
    super(`another agent runs on ${folder}: give each agent a state folder of its own`, options);
    this.name = 'SpoolLockedError';
  }
}

export interface Lock {
  release(): Promise<void>;
}

/** Locks are numbered, and each takes over from the one before: the highest is the one that counts. */
const LOCK_NAME = /^lock\.(\d+)$/;
/** Taking over from a dead agent can be beaten by others that end at once at most this often. */
const ATTEMPTS = 5;

/**
 * Takes the one lock of a folder: a listening socket in it. The kernel ends it with its process, however that ends, and
 * it answers across containers that share the folder, where process ids mean nothing.
 * @throws SpoolLockedError where a living process has it.
 */
export async function lockFolder(path: string): Promise<Lock> {
  const folder = await open(path, 'r');
  const server = createServer((socket) => socket.destroy());
  const own = `claim.${randomBytes(6).toString('hex')}`;
  try {
    await listen(server, shortPath(folder, path, own));
    await claim(folder, path, own);
  } catch (error) {
    await stop(server);
    await rm(join(path, own), { force: true });
    await folder.close();
    throw error;
  }
  await rm(join(path, own), { force: true });
  return {
    async release() {
      await stop(server);
      await folder.close();
    },
  };
}

/**
 * Gives the socket the number after the newest lock's, once that is dead; only one can have a number. A dead lock is
 * never moved or taken away by others, since what has its name could by then be alive: its successor clears up, and
 * leaves its predecessor, so that no reader of the folder finds it without any.
 */
async function claim(folder: FileHandle, path: string, own: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const numbers = await lockNumbers(path);
    const newest = Math.max(0, ...numbers);
    if (newest > 0 && (await answers(shortPath(folder, path, lockName(newest))))) throw new SpoolLockedError(path);
    if (!(await linked(join(path, own), join(path, lockName(newest + 1))))) continue;
    const older = numbers.filter((number) => number < newest);
    await Promise.all(older.map((number) => rm(join(path, lockName(number)), { force: true })));
    return;
  }
  throw new SpoolLockedError(path);
}

async function lockNumbers(path: string): Promise<number[]> {
  const names = await readdir(path);
  return names.flatMap((name) => LOCK_NAME.exec(name)?.[1] ?? []).map(Number);
}

function lockName(number: number): string {
  return `lock.${number}`;
}

async function linked(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** True where a process listens; a stopped one does too. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', (error) => {
      if (hasCode(error, 'ECONNREFUSED') || hasCode(error, 'ENOENT')) resolve(false);
      else if (hasCode(error, 'EAGAIN')) resolve(true);
      else reject(error);
    });
  });
}

/** A socket's address has room for 107 bytes; through the folder's descriptor any folder fits. */
function shortPath(folder: FileHandle, path: string, name: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(path, name);
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
    server.unref();
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
