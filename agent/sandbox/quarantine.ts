import { createHash } from 'node:crypto';
import type { SandboxAnswer } from './answer.ts';

/** A source that has killed its worker this often is not run again for a while. */
const KILLS = 3;
const QUARANTINE_MS = 10 * 60_000;

/** Remembers which sources killed their worker. A changed source is another one. */
export interface Quarantine {
  /** What a quarantined source is answered with; undefined for one that may run. */
  answerFor(source: string): SandboxAnswer | undefined;
  noteKill(source: string, answer: SandboxAnswer): void;
}

export function createQuarantine(monotonicMs: () => number): Quarantine {
  const kills = new Map<string, { count: number; lastMs: number; answer: SandboxAnswer }>();
  const keyOf = (source: string): string => createHash('sha256').update(source).digest('base64');
  const forgetOld = (): void => {
    for (const [key, { lastMs }] of kills) if (monotonicMs() - lastMs > QUARANTINE_MS) kills.delete(key);
  };
  return {
    answerFor(source) {
      if (kills.size === 0) return undefined;
      forgetOld();
      const known = kills.get(keyOf(source));
      return known && known.count >= KILLS ? known.answer : undefined;
    },
    noteKill(source, answer) {
      const key = keyOf(source);
      kills.set(key, { count: (kills.get(key)?.count ?? 0) + 1, lastMs: monotonicMs(), answer });
    },
  };
}
