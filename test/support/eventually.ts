import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 100;

/** Waits until `check` returns something truthy and returns it; fails with `what` when the deadline passes. */
export async function eventually<T>(
  what: string | (() => string),
  limitMs: number,
  check: () => Promise<T | undefined | null | false> | T | undefined | null | false,
): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const value = await check();
    if (value) return value;
    if (Date.now() > deadline) {
      throw new Error(`not within ${limitMs} ms: ${typeof what === 'string' ? what : what()}`);
    }
    await wait(POLL_MS);
  }
}
