import type { Span } from './ledger.ts';
import { describeFault, regionsTouched, type Fault } from './plan.ts';

/** What a run did, as it really happened, unix milliseconds. */
export interface Happening extends Span {
  fault: Fault;
  /** What it came to, where the fault's own words do not say it. */
  note: string | null;
}

export interface Diary {
  readonly happenings: readonly Happening[];
  /** A fault begins. Call what it returns when its cause is gone, with what it came to. */
  begin(fault: Fault): (note?: string | null) => void;
  note(text: string): void;
  /** A line for each moment, from the run's begin. */
  lines(): string[];
}

export function openDiary(beganMs: number): Diary {
  const happenings: Happening[] = [];
  const notes: { ms: number; text: string }[] = [];
  const note = (text: string): void => void notes.push({ ms: Date.now(), text });
  return {
    happenings,
    begin(fault) {
      const happening: Happening = { fault, fromMs: Date.now(), toMs: Infinity, note: null };
      happenings.push(happening);
      note(`begins: ${describeFault(fault)}`);
      return (text = null) => {
        happening.toMs = Date.now();
        happening.note = text;
        note(`ends: ${describeFault(fault)}${text === null ? '' : ` (${text})`}`);
      };
    },
    note,
    lines: () =>
      notes.map(({ ms, text }) => {
        const clock = new Date(ms).toISOString().slice(11, 23);
        return `${clock} +${((ms - beganMs) / 1000).toFixed(1).padStart(5)} ${text}`;
      }),
  };
}

/** The stretches in which regions were touched by faults. */
export function troublesOf(happenings: readonly Happening[]): (Span & { regions: readonly string[] })[] {
  return happenings.map(({ fault, fromMs, toMs }) => ({ fromMs, toMs, regions: regionsTouched(fault) }));
}
