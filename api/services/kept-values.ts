/** Values that are made at some cost and kept for seconds. */
export interface KeptValues<T> {
  /** The value of a key: a kept one where it is young enough, else what `make` makes. */
  get(key: string, make: () => Promise<T>): Promise<T>;
  /** Keeps nothing of what has been made so far, nor of what is being made. */
  forget(): void;
}

export interface Keeping {
  /** Up to this age a value is as good as new; one that took long to make, for longer (`PATIENCE`). */
  freshMs: number;
  /** Up to this age it is still given away, while another is made. */
  staleMs: number;
  /** How much is kept; what nobody asked for longest goes first. */
  capacity: number;
  /** Milliseconds that only grow. */
  now?: () => number;
}

/** A value is fresh for at least so many times as long as it took to make: no more of the time is spent on it. */
const PATIENCE = 20;

interface Entry<T> {
  kept?: { value: T; madeAt: number; freshUntil: number; weight: number };
  making?: Promise<T>;
}

/**
 * Who asks while a value is made waits for the same one. A failure is kept for nobody, and neither is `undefined`: there
 * is no end of names that nothing has.
 *
 * @param weightOf how much of the capacity a value takes; without: 1
 */
export function createKeptValues<T>(
  { freshMs, staleMs, capacity, now = () => performance.now() }: Keeping,
  weightOf: (value: NonNullable<T>, key: string) => number = () => 1,
): KeptValues<T> {
  const entries = new Map<string, Entry<T>>();
  let weight = 0;
  const drop = (key: string, { kept }: Entry<T>): void => {
    if (entries.delete(key)) weight -= kept?.weight ?? 0;
  };
  const keep = (key: string, entry: Entry<T>, value: T, madeAt: number): void => {
    // Whoever has been forgotten meanwhile stays so.
    if (entries.get(key) !== entry) return;
    drop(key, entry);
    if (value === undefined || value === null) return;
    const freshUntil = madeAt + Math.max(freshMs, PATIENCE * (now() - madeAt));
    entry.kept = { value, madeAt, freshUntil, weight: weightOf(value, key) };
    entries.set(key, entry);
    weight += entry.kept.weight;
    for (const [oldest, its] of entries) {
      if (weight <= capacity) break;
      drop(oldest, its);
    }
  };
  const make = (key: string, entry: Entry<T>, by: () => Promise<T>): Promise<T> => {
    // What is asked for now must not be older than now, so the age counts from here.
    const madeAt = now();
    const making = by()
      .then((value) => {
        keep(key, entry, value, madeAt);
        return value;
      })
      .finally(() => {
        delete entry.making;
        if (!entry.kept && entries.get(key) === entry) entries.delete(key);
      });
    entry.making = making;
    return making;
  };
  return {
    async get(key, by) {
      const entry = entries.get(key) ?? {};
      entries.delete(key);
      entries.set(key, entry);
      const { kept } = entry;
      const age = kept ? now() - kept.madeAt : Infinity;
      if (!kept || age > staleMs) return entry.making ?? make(key, entry, by);
      // Whoever asks when this one is too old waits, and hears of the failure.
      if (now() > kept.freshUntil && !entry.making) make(key, entry, by).catch(() => undefined);
      return kept.value;
    },
    forget() {
      entries.clear();
      weight = 0;
    },
  };
}
