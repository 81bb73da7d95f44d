import { readFileSync, readlinkSync } from 'node:fs';

/**
 * CPU time of a thread, milliseconds, from the kernel's books (Linux, /proc/.../schedstat: nanoseconds on the CPU, as
 * of the last tick); null where there are none. `thread`: as `ownThread` names it.
 */
export function cpuTimeMs(thread: string | null): number | null {
  if (thread === null) return null;
  try {
    const [ns = ''] = readFileSync(`/proc/${thread}/schedstat`, 'utf8').split(' ');
    return Number(ns) / 1e6;
  } catch {
    // Not Linux, a kernel without these books, no descriptor, or a thread that ended: the caller counts wall time.
    return null;
  }
}

/** The name of the calling thread below /proc; null where there is no such thing. */
export function ownThread(): string | null {
  try {
    return readlinkSync('/proc/thread-self');
  } catch {
    return null;
  }
}

/** Between two looks of a running engine lies far less than this; more is time in which the thread did not run. */
const LONGEST_STEP_MS = 5;

/**
 * A check of used time for code that calls it every millisecond or so: true when the calling thread has been on the
 * CPU for `limitMs` since the call. A process that was stopped, or had to wait for a CPU, has not used the time.
 */
export function startCpuLimit(limitMs: number, thread: string | null): () => boolean {
  const startedMs = cpuTimeMs(thread);
  let lookedMs = performance.now();
  let wallMs = 0;
  let steppedMs = 0;
  return () => {
    const nowMs = performance.now();
    wallMs += nowMs - lookedMs;
    steppedMs += Math.min(nowMs - lookedMs, LONGEST_STEP_MS);
    lookedMs = nowMs;
    // The wall clock is cheap to read and never behind the CPU time.
    if (wallMs < limitMs) return false;
    const usedMs = startedMs === null ? null : cpuTimeMs(thread);
    return (usedMs === null ? steppedMs : usedMs - (startedMs ?? 0)) >= limitMs;
  };
}
