import { z } from 'zod';
import { readKept, writeDurably } from './durable-file.ts';
import type { LearntOffset } from './service-clock.ts';

/** Offsets of this many boots are kept: spool records of an earlier boot are placed by its own. */
const BOOTS_KEPT = 8;

const schema = z.object({
  boots: z.array(z.object({ bootId: z.string(), loMs: z.number(), hiMs: z.number(), atMs: z.number() })),
});

/** The offsets learnt in this and earlier boots, kept in a file. */
export interface ClockFile {
  /** What was learnt in a boot; null where there was no contact in it. */
  of(bootId: string): LearntOffset | null;
  save(bootId: string, learnt: LearntOffset): Promise<void>;
}

export async function openClockFile(path: string): Promise<ClockFile> {
  let boots = (await readKept(path, schema))?.boots ?? [];
  return {
    of(bootId) {
      return boots.find((boot) => boot.bootId === bootId) ?? null;
    },
    async save(bootId, { loMs, hiMs, atMs }) {
      const others = boots.filter((boot) => boot.bootId !== bootId);
      boots = [...others, { bootId, loMs, hiMs, atMs }].slice(-BOOTS_KEPT);
      await writeDurably(path, JSON.stringify({ boots }));
    },
  };
}
