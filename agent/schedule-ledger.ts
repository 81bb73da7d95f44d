import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';

/** Which minutes are done: planned to their end, and every slot's result on the disk. */
export class MinuteLedger {
  readonly #open = new Map<Minute, { waiting: number; closed: boolean }>();
  #handled: Minute | null = null;
  readonly #lasts = new Map<Minute, Minute>();
  readonly #onHandled: (minute: Minute) => void;

  /** `onHandled` hears of the last of the minutes that are now done, in ascending order. */
  constructor(onHandled: (minute: Minute) => void) {
    this.#onHandled = onHandled;
  }

  /** A minute begins. */
  open(minute: Minute): void {
    if (!this.#open.has(minute)) this.#open.set(minute, { waiting: 0, closed: false });
  }

  /** Something of the minute is under way until the returned function is called. */
  expect(minute: Minute): () => void {
    const entry = this.#open.get(minute);
    if (entry === undefined) return () => undefined;
    entry.waiting += 1;
    return () => {
      entry.waiting -= 1;
      this.#advance();
    };
  }

  /** No more slots of the minute will begin; `last`: the minute before the next one that is opened. */
  close(minute: Minute, last: Minute = minute): void {
    const entry = this.#open.get(minute);
    if (entry === undefined) return;
    entry.closed = true;
    this.#lasts.set(minute, last);
    this.#advance();
  }

  #advance(): void {
    const before = this.#handled;
    for (const [minute, { waiting, closed }] of [...this.#open].sort(([a], [b]) => a - b)) {
      if (!closed || waiting > 0) break;
      this.#handled = this.#lasts.get(minute) ?? minute;
      this.#open.delete(minute);
      this.#lasts.delete(minute);
    }
    if (this.#handled !== null && this.#handled !== before) this.#onHandled(this.#handled);
  }

  /** Forgets all minutes: the clock that named them was wrong. */
  reset(): void {
    this.#open.clear();
    this.#lasts.clear();
  }
}

/** The minutes strictly between two, as an interval; null where there is none. */
export function gapBetween(before: Minute, after: Minute): { from: Minute; to: Minute } | null {
  const from = before + MINUTE_SECONDS;
  return from < after ? { from, to: after } : null;
}
