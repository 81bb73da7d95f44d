/** Reproducible random numbers in [0, 1): the same seed, the same sequence (the mulberry32 generator). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number in [0, below). */
export function pickBelow(random: () => number, below: number): number {
  return Math.floor(random() * below);
}

/** One of a list that is not empty. */
export function pickOne<T>(random: () => number, list: readonly T[]): T {
  // The index is inside: the list is not empty.
  return list[pickBelow(random, list.length)] as T;
}
