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
const schema = z.object({
  region: z.string(),
  agentId: z.int().nullable(),
  view: z.object({ session: z.string(), tenures: z.array(tenure) }).nullable(),
});

/** Who this agent is and who shared its region with it, kept over restarts. */
export interface DivisionFile {
  /** Null: no collector has told yet. */
  readonly agentId: number | null;
  /** When the last life ended; null where it is not known. */
  readonly lastView: View | null;
  keepAgentId(agentId: number): Promise<void>;
  keepView(view: View): Promise<void>;
}

export async function openDivisionFile(path: string, region: string): Promise<DivisionFile> {
  const read = await readKept(path, schema);
  const kept = read?.region === region ? read : { region, agentId: null, view: null };
  const lastView = kept.view === null ? null : new View(kept.view.session, kept.view.tenures);
  let state = kept;
  let writing = Promise.resolve();
  const keep = (next: typeof state): Promise<void> => {
    state = next;
    const text = JSON.stringify(next);
    writing = writing.catch(() => undefined).then(() => writeDurably(path, text));
    return writing;
  };
  return {
    get agentId() {
      return state.agentId;
    },
    lastView,
    keepAgentId: (agentId) => (agentId === state.agentId ? writing : keep({ ...state, agentId })),
    keepView: ({ session, tenures }) => {
      const copies = tenures.map((one) => ({ ...one, kinds: [...one.kinds] }));
      return keep({ ...state, view: { session, tenures: copies } });
    },
  };
}
