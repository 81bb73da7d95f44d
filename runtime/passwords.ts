import { randomBytes } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';

/**
 * argon2id with the OWASP cheat sheet's first choice below 46 MiB: 19 MiB, two passes, one lane. About 50 ms of one core.
 */
const MEMORY_KIB = 19_456;
const PASSES = 2;
const PARAMETERS = { memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: 1 };
/** One at a time, so that a flood of logins costs at most one core and 19 MiB; the others wait their turn. */
const QUEUE_LENGTH = 40;

export interface Passwords {
  /** The PHC string to store; null: too many wait already. */
  hash(password: string): Promise<string | null>;
  /**
   * Whether the password is the one of this PHC string; null: too many wait already. Without a string (an unknown
   * account) it is false after the same work, so that nobody tells accounts by the time it takes.
   */
  verify(password: string, phc: string | null): Promise<boolean | null>;
}

/** Hashes and verifies passwords, one at a time, and refuses what would wait for more than about two seconds. */
export function createPasswords(queueLength = QUEUE_LENGTH): Passwords {
  const decoy = `$argon2id$v=19$m=${MEMORY_KIB},t=${PASSES},p=1$${randomText(16)}$${randomText(32)}`;
  let waiting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (waiting >= queueLength) return null;
    waiting += 1;
    const mine = last.then(work).finally(() => (waiting -= 1));
    last = mine.catch(() => undefined);
    return mine;
  };
  return {
    hash: (password) => inTurn(() => hash(canonical(password), PARAMETERS)),
    verify: (password, phc) =>
      inTurn(async () => (await verify(phc ?? decoy, canonical(password), PARAMETERS)) && phc !== null),
  };
}

/** One password, however the keyboard composed its letters (NIST SP 800-63B, 5.1.1.2). */
function canonical(password: string): string {
  return password.normalize('NFKC');
}

function randomText(bytes: number): string {
  return randomBytes(bytes).toString('base64').replace(/=+$/, '');
}
