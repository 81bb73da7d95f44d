import { cpuTimeMs } from './cpu-time.ts';

export interface WatchdogLimits {
  /** A worker that has used this much CPU time on one job is inside a native call that cannot be interrupted. */
  limitMs: number;
  /** One that has not used it in this much wall time is not let run at all. */
  giveUpMs: number;
}

const LIMITS: WatchdogLimits = { limitMs: 1000, giveUpMs: 15_000 };
/** A look that comes this late shows that the whole process did not run. */
const LATE_MS = 250;

/** `limit`: the worker used up its time. `failed`: it was not let run. */
export type WatchdogEnd = 'limit' | 'failed';

/**
 * Watches one job of the worker thread `thread` and calls `onEnd` when it must be killed; returns what ends the watch.
 * Where the kernel keeps no books of threads, a second of wall time counts if every look at it was on time.
 */
export function watchJob(
  thread: string | null,
  onEnd: (end: WatchdogEnd) => void,
  limits: WatchdogLimits = LIMITS,
): () => void {
  const stepMs = limits.limitMs / 4;
  const startedMs = performance.now();
  const cpuAtStart = cpuTimeMs(thread);
  let onTimeMs = 0;
  let lookedMs = startedMs;
  const look = (): void => {
    const nowMs = performance.now();
    const sinceLookMs = nowMs - lookedMs;
    if (sinceLookMs < stepMs + LATE_MS) onTimeMs += sinceLookMs;
    lookedMs = nowMs;
    const cpuNow = cpuAtStart === null ? null : cpuTimeMs(thread);
    const usedMs = cpuNow === null || cpuAtStart === null ? onTimeMs : cpuNow - cpuAtStart;
    if (usedMs >= limits.limitMs) return onEnd('limit');
    if (nowMs - startedMs >= limits.giveUpMs) return onEnd('failed');
    timer = setTimeout(look, stepMs);
  };
  let timer = setTimeout(look, stepMs);
  return () => clearTimeout(timer);
}
