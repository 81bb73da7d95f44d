import { z } from 'zod';
import { readKept, writeDurably } from '../durable-file.ts';
import { View } from './view.ts';

const tenure = z.object({
  agentId: z.int(),
  session: z.string(),
  fromMs: z.number().nullable(),
  untilMs: z.number().nullable(),
  kinds: z.array(z.string()),
  lacksAfter: z.number().nullable(),
});
const schema = z.object({ region: z.string(), session: z.string(), tenures: z.array(tenure) });

/** Who shared the region with this agent, kept over restarts. */
export interface DivisionFile {
  /** When the last life ended; null where it is not known. */
  readonly lastView: View | null;
  keep(view: View): Promise<void>;
}

export async function openDivisionFile(path: string, region: string): Promise<DivisionFile> {
  const kept = await readKept(path, schema);
  let writing = Promise.resolve();
  return {
    lastView: kept?.region === region ? new View(kept.session, kept.tenures) : null,
    keep({ session, tenures }) {
      const text = JSON.stringify({ region, session, tenures });
      writing = writing.catch(() => undefined).then(() => writeDurably(path, text));
      return writing;
    },
  };
}
