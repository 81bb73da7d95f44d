import { readFileSync, statSync } from 'node:fs';

export interface UserIds {
  uid: number;
  gid: number;
}

const NOBODY: UserIds = { uid: 65_534, gid: 65_534 };

/**
 * Who the database runs as: null means as the launcher himself. PostgreSQL refuses root, so for root it is the owner
 * of the data that are there already, else the system's own `postgres`, else nobody.
 */
export function databaseUser(dataDir: string): UserIds | null {
  if (process.getuid?.() !== 0) return null;
  const owner = statSync(dataDir, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  return findUser('postgres') ?? NOBODY;
}

function findUser(name: string): UserIds | null {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  return uid && gid ? { uid: Number(uid), gid: Number(gid) } : null;
}
