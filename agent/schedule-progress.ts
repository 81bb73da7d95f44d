import { z } from 'zod';
import { isMinute, type Minute } from '../core/minute.ts';
import { readKept, writeDurably } from './durable-file.ts';
import type { AbsentMinutes } from './spool/record.ts';

const minute = z.number().refine(isMinute);
const schema = z.object({
  bornMinute: minute.nullable(),
  handledMinute: minute.nullable(),
  absences: z.array(z.object({ from: minute, to: minute, reason: z.string() })),
});

/** Data may come this late; what lies further back is never asked for again. */
export const LATE_LIMIT_SECONDS = 72 * 3600;

/** How far an agent has come, kept over restarts: for every minute up to `handledMinute` each due slot is accounted for. */
export interface Progress {
  /** The first minute in which this agent was there; null before its first start is recorded. */
  readonly bornMinute: Minute | null;
  readonly handledMinute: Minute | null;
  /** True for a minute in which the agent was absent or unborn. */
  isAbsent(minute: Minute): boolean;
  /** These minutes were an absence. */
  noteAbsences(absences: readonly AbsentMinutes[]): Promise<void>;
  /** Everything up to `minute` is accounted for. Resolves when that is on the disk. */
  advance(minute: Minute): Promise<void>;
  /** The agent was there for the first time in `minute`. Only the first call counts. */
  bear(minute: Minute): Promise<void>;
}

type ProgressState = z.output<typeof schema>;

/** Progress kept in a file. */
export async function openProgress(path: string): Promise<Progress> {
  let writing = Promise.resolve();
  return createProgress((await readKept(path, schema)) ?? NOT_BORN, (state) => {
    const text = JSON.stringify(state);
    writing = writing.catch(() => undefined).then(() => writeDurably(path, text));
    return writing;
  });
}

const NOT_BORN: ProgressState = { bornMinute: null, handledMinute: null, absences: [] };

/** Progress from where it stood; every change goes to `write`. */
export function createProgress(initial: ProgressState, write: (state: ProgressState) => Promise<void>): Progress {
  let state = initial;
  const save = (next: ProgressState): Promise<void> => {
    state = next;
    return write(state);
  };
  return {
    get bornMinute() {
      return state.bornMinute;
    },
    get handledMinute() {
      return state.handledMinute;
    },
    isAbsent(asked) {
      const born = state.bornMinute;
      return (born !== null && asked < born) || state.absences.some(({ from, to }) => from <= asked && asked < to);
    },
    noteAbsences(absences) {
      const latest = Math.max(...absences.map(({ to }) => to));
      const recent = [...state.absences, ...absences].filter(({ to }) => to > latest - LATE_LIMIT_SECONDS);
      return save({ ...state, absences: recent });
    },
    advance(reached) {
      return save({ ...state, handledMinute: Math.max(reached, state.handledMinute ?? reached) });
    },
    bear(first) {
      return save({ ...state, bornMinute: state.bornMinute ?? first });
    },
  };
}
