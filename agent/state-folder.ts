import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFolder, type Lock } from './spool/lock.ts';

/** Where an agent keeps what must outlive it. One agent at a time. */
export interface StateFolder {
  spool: string;
  clock: string;
  progress: string;
  definitions: string;
  division: string;
  identity: string;
  lock: Lock;
}

/**
 * Takes a folder for this agent, creating it where it is missing; nobody but its owner can look into it.
 * @throws SpoolLockedError where another agent has it.
 */
export async function claimStateFolder(path: string): Promise<StateFolder> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await chmod(path, 0o700);
  const lock = await lockFolder(path);
  return {
    spool: join(path, 'spool'),
    clock: join(path, 'clock.json'),
    progress: join(path, 'progress.json'),
    definitions: join(path, 'definitions.json'),
    division: join(path, 'division.json'),
    identity: join(path, 'identity.json'),
    lock,
  };
}
