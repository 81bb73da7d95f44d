import { uptime } from 'node:os';

/** How late a timer may fire before its lateness shows that this process did not run (architecture, "Whose fault"). */
export const LATE_MS = 250;

/** `timeout`: nothing came in time. `stalled`: this process did not run when the time was up, so silence proves nothing. */
export type DeadlineEnd = 'timeout' | 'stalled';

export interface Deadline {
  /** Ends the watch; `onEnd` is not called after it. Whoever started the deadline clears it. */
  clear(): void;
}

/** What a deadline reads time from: milliseconds since boot, suspension included, so that a machine that slept is seen. */
export type BootClock = () => number;

const bootMs: BootClock = () => uptime() * 1000;

/**
 * Calls `onEnd` once when `ms` milliseconds have passed, after one more poll of the sockets: timers run before sockets
 * are polled, so an answer that lies ready must be seen before silence is judged. A timer that fires more than
 * `LATE_MS` late ends as `stalled`: a process stopped for three seconds otherwise calls an open port closed.
 */
export function startDeadline(ms: number, onEnd: (end: DeadlineEnd) => void, clock: BootClock = bootMs): Deadline {
  const startedMs = clock();
  let cleared = false;
  const timer = setTimeout(() => {
    const end = clock() - startedMs - ms > LATE_MS ? 'stalled' : 'timeout';
    // The first turn follows the poll of the sockets, the second the callbacks that poll queued (c-ares answers so).
    setImmediate(() => setImmediate(() => cleared || onEnd(end)));
  }, ms);
  return {
    clear() {
      cleared = true;
      clearTimeout(timer);
    },
  };
}

/** Milliseconds since the call, by the monotonic clock, fractions included. */
export function startStopwatch(): () => number {
  const startedNs = process.hrtime.bigint();
  return () => Number(process.hrtime.bigint() - startedNs) / 1e6;
}
