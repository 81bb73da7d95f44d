import { createValueVerifier, type ValueVerifier } from '../proto/signed-value.ts';
import type { Logger } from '../runtime/logger.ts';

/** What an agent needs of an entry of its bucket. */
interface Entry {
  key: string;
  revision: number;
  string(): string;
}

/** The values of a region's bucket, as far as a collector has signed them. */
export interface SignedValues {
  /** What an entry says; null where it is not signed for its place, which is then reported. */
  open(entry: Entry): Promise<string | null>;
  /** A fresh snapshot is read: what was seen before it is no news of what is there. */
  restart(): void;
  /** Nothing stands under a key any more. */
  forget(key: string): void;
  /** The keys under which something unsigned was seen last. */
  unsigned(): string[];
}

/** Keys beyond this many are refused without a word. */
const MAX_UNSIGNED = 100;

/** `publicKey` is asked each time, since it comes with the agent's credentials. */
export function createSignedValues(bucket: string, publicKey: () => string, logger: Logger): SignedValues {
  /** Values found good, so that a bucket that is read anew is not verified anew. */
  const good = new Map<string, { value: string; content: string }>();
  const unsigned = new Set<string>();
  let verifier: ValueVerifier | undefined;
  let verifierKey = '';
  const verify = (key: string, value: string): Promise<string | null> => {
    const current = publicKey();
    if (verifier === undefined || verifierKey !== current) {
      verifier = createValueVerifier(current);
      verifierKey = current;
      good.clear();
    }
    return verifier.open(bucket, key, value);
  };
  return {
    async open(entry) {
      const { key } = entry;
      const value = entry.string();
      const known = good.get(key);
      const content = known?.value === value ? known.content : await verify(key, value);
      if (content === null) {
        // Said once: who can write garbage can write much of it.
        if (!unsigned.has(key) && unsigned.size < MAX_UNSIGNED) {
          unsigned.add(key);
          logger.warn({ entry: key, revision: entry.revision }, 'definition refused, it is not signed for its place');
        }
        return null;
      }
      unsigned.delete(key);
      good.set(key, { value, content });
      return content;
    },
    restart: () => unsigned.clear(),
    forget(key) {
      unsigned.delete(key);
      good.delete(key);
    },
    unsigned: () => [...unsigned],
  };
}
