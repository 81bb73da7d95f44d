/** A bounded space: who finds it full waits its turn. */
export interface Room {
  /** Resolves when `size` has been taken. More than the whole capacity is let in alone. First come, first served. */
  take(size: number): Promise<void>;
  release(size: number): void;
  /** How much is taken. */
  readonly held: number;
}

export function createRoom(capacity: number): Room {
  const waiting: { size: number; enter: () => void }[] = [];
  let held = 0;
  const fits = (size: number): boolean => held === 0 || held + size <= capacity;
  return {
    get held() {
      return held;
    },
    take(size) {
      if (waiting.length > 0 || !fits(size)) return new Promise((enter) => waiting.push({ size, enter }));
      held += size;
      return Promise.resolve();
    },
    release(size) {
      held -= size;
      for (let next = waiting[0]; next !== undefined && fits(next.size); next = waiting[0]) {
        waiting.shift();
        held += next.size;
        next.enter();
      }
    },
  };
}
