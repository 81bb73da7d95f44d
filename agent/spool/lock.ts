import { randomBytes } from 'node:crypto';
import { link, open, rename, rm, type FileHandle } from 'node:fs/promises';
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

const LOCK_NAME = 'lock';
/** Taking over from a dead agent can be beaten by a third one at most this often. */
const ATTEMPTS = 5;

/**
 * Takes the one lock of a folder: a listening socket in it. The kernel ends it with its process, however that ends, and
 * it answers across containers that share the folder, where process ids mean nothing.
 * @throws SpoolLockedError where a living process has it.
 */
export async function lockFolder(path: string): Promise<Lock> {
  const folder = await open(path, 'r');
  const server = createServer((socket) => socket.destroy());
  const own = `${LOCK_NAME}.${randomBytes(6).toString('hex')}`;
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
      await rm(join(path, LOCK_NAME), { force: true });
      await stop(server);
      await folder.close();
    },
  };
}

/** Gives the socket the lock's name, which only one can have; a dead one's is moved out of the way first. */
async function claim(folder: FileHandle, path: string, own: string): Promise<void> {
  const name = join(path, LOCK_NAME);
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (await linked(join(path, own), name)) return;
    if (await answers(shortPath(folder, path, LOCK_NAME))) throw new SpoolLockedError(path);
    await moveAway(folder, path, `${own}.stale`);
  }
  throw new SpoolLockedError(path);
}

/** What is moved may by now be the lock of an agent that came first: then it is given back. */
async function moveAway(folder: FileHandle, path: string, aside: string): Promise<void> {
  try {
    await rename(join(path, LOCK_NAME), join(path, aside));
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return;
    throw error;
  }
  const alive = await answers(shortPath(folder, path, aside));
  if (alive) await linked(join(path, aside), join(path, LOCK_NAME));
  await rm(join(path, aside), { force: true });
  if (alive) throw new SpoolLockedError(path);
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
