import { linkSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { decodeSegment, type SpoolContent } from './spool-decoder.ts';

/** Keeps hold of everything that an agent's spool ever had on the disk. */
export interface SpoolAudit {
  /** What was accepted so far. */
  read(): SpoolContent;
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 1000;

/**
 * Holds each segment by a further name (a hard link) as soon as it is seen. Segments only grow; what the agent unlinks or
 * replaces stays readable under that name, so that nothing is copied and nothing of the agent has to be trusted. One that
 * came and went between two looks held no record that was acknowledged: acknowledged ones stay for ten minutes.
 */
export function auditSpool(spoolDir: string, auditDir: string): SpoolAudit {
  mkdirSync(auditDir, { recursive: true });
  const held = new Set<number>();
  const look = (): void => {
    for (const name of segmentsIn(spoolDir)) hold(join(spoolDir, name), auditDir, name, held);
  };
  const closing = new AbortController();
  const looking = (async () => {
    while (!closing.signal.aborted) {
      look();
      await wait(LOOK_EVERY_MS, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  })();
  return {
    read() {
      look();
      const contents = segmentsIn(auditDir).map((name) => decodeSegment(readFileSync(join(auditDir, name))));
      return {
        results: contents.flatMap(({ results }) => results),
        absences: contents.flatMap(({ absences }) => absences),
      };
    },
    async close() {
      closing.abort();
      await looking;
    },
  };
}

function segmentsIn(dir: string): string[] {
  try {
    return readdirSync(dir)
      .filter((name) => name.endsWith('.seg'))
      .sort();
  } catch {
    // The agent has not made its folder yet.
    return [];
  }
}

function hold(path: string, auditDir: string, name: string, held: Set<number>): void {
  try {
    const { ino } = statSync(path);
    if (held.has(ino)) return;
    linkSync(path, join(auditDir, `${ino}-${name}`));
    held.add(ino);
  } catch {
    // It went between the look and the link.
  }
}
