import { permissionsOf } from '../core/permissions.ts';
import { findActiveApiKey, hashApiKey } from '../db/api-keys.ts';
import type { Queryable } from '../db/client.ts';
import type { KeyActor } from './context.ts';

/** A key is looked up again after this long: so late another copy of the program learns that it was switched off. */
const KNOWN_MS = 1000;
/** As many as are worth memory; nobody has them all at work. */
const MAX_KEYS = 10_000;

/** Who has which key: a look-up costs as much as most of what keys ask for, so what it found holds for a second. */
export interface KnownKeys {
  /** Who has this key, and what it may do; undefined where it is unknown, malformed or INACTIVE. */
  find(db: Queryable, key: string): Promise<KeyActor | undefined>;
  /** The next of each key is looked up: something has been changed that may be about keys. */
  forget(): void;
}

export function createKnownKeys(now: () => number = () => performance.now()): KnownKeys {
  // By their hashes, so that no key stands in memory.
  let known = new Map<string, { actor: KeyActor; until: number }>();
  return {
    async find(db, key) {
      const hash = hashApiKey(key).toString('base64');
      const found = known.get(hash);
      if (found !== undefined && found.until > now()) return found.actor;
      // A look-up that was under way when everything was forgotten is none to remember.
      const [before, until] = [known, now() + KNOWN_MS];
      const row = await findActiveApiKey(db, key);
      before.delete(hash);
      if (row === undefined) return undefined;
      const actor: KeyActor = {
        ...{ kind: 'key', id: row.id, name: row.name },
        permissions: permissionsOf([row.role_id], row.granted),
      };
      if (before.size >= MAX_KEYS) before.clear();
      before.set(hash, { actor, until });
      return actor;
    },
    forget() {
      known = new Map();
    },
  };
}
