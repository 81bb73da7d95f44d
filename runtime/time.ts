/** Waits `ms` milliseconds; resolves early, and without an error, when the signal aborts. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Waits for the signal alone, however long that takes: a timer ends after 24.8 days at the latest. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

export interface Backoff {
  /** The next wait in milliseconds: doubles up to the limit, with full jitter over its upper half. */
  next(): number;
  /** Begins anew, after a success. */
  reset(): void;
}

/** Exponential back-off between `minMs` and `maxMs`. `random` is a number in [0, 1). */
export function createBackoff(minMs: number, maxMs: number, random: () => number = Math.random): Backoff {
  let ceiling = minMs;
  return {
    next() {
      const wait = ceiling / 2 + (ceiling / 2) * random();
      ceiling = Math.min(ceiling * 2, maxMs);
      return wait;
    },
    reset() {
      ceiling = minMs;
    },
  };
}

/**
 * How long nats.js is to wait between two dials, for its `reconnectDelayHandler`, which it asks before each look: it
 * measures the wait by the wall clock, so that after a step back of an hour it would not dial for an hour. Says -Infinity
 * (dial now, whatever that clock says) where the monotonic clock has waited `waitMs`, else what is left of it.
 */
export function createDialPace(waitMs: number, clockMs: () => number = monotonicMs): () => number {
  let dialledMs = -Infinity;
  return () => {
    const nowMs = clockMs();
    const leftMs = dialledMs + waitMs - nowMs;
    if (leftMs > 0) return leftMs;
    dialledMs = nowMs;
    return -Infinity;
  };
}

/** Milliseconds of the machine's monotonic clock since some fixed moment of this boot, fractions included. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
