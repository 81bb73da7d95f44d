/** Values that are made at some cost and kept for seconds. */
export interface KeptValues<T> {
  /** The value of a key: a kept one where it is young enough, else what `make` makes. */
  get(key: string, make: () => Promise<T>): Promise<T>;
}

export interface Keeping {
  /** Up to this age a value is as good as new. */
  freshMs: number;
  /** Up to this age it is still given away, while another is made. */
  staleMs: number;
  /** How many are kept; those that nobody asked for longest go first. */
  capacity: number;
  /** Milliseconds that only grow. */
  now?: () => number;
}

interface Entry<T> {
  kept?: { value: T; madeAt: number };
  making?: Promise<T>;
}

/** Who asks while a value is made waits for the same one. A failure is kept for nobody. */
export function createKeptValues<T>({
  freshMs,
  staleMs,
  capacity,
  now = () => performance.now(),
}: Keeping): KeptValues<T> {
  const entries = new Map<string, Entry<T>>();
  const make = (entry: Entry<T>, by: () => Promise<T>): Promise<T> => {
    // What is asked for now must not be older than now, so the age counts from here.
    const madeAt = now();
    const making = by()
      .then((value) => {
        entry.kept = { value, madeAt };
        return value;
      })
      .finally(() => delete entry.making);
    entry.making = making;
    return making;
  };
  return {
    async get(key, by) {
      const entry = entries.get(key) ?? {};
      entries.delete(key);
      entries.set(key, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= capacity) break;
        entries.delete(oldest);
      }
      const { kept } = entry;
      const age = kept ? now() - kept.madeAt : Infinity;
      if (!kept || age > staleMs) return entry.making ?? make(entry, by);
      // Whoever asks when this one is too old waits, and hears of the failure.
      if (age > freshMs && !entry.making) make(entry, by).catch(() => undefined);
      return kept.value;
    },
  };
}
