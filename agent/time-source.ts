import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { monotonicMs as processMonotonicMs } from '../runtime/time.ts';

/** Where time comes from: the only impure part of the service clock. */
export interface TimeSource {
  /** Milliseconds since some fixed moment of this boot; never steps, goes on while the machine sleeps. */
  monotonicMs(): number;
  /** The wall clock, unix milliseconds; may be stepped at any time. */
  wallMs(): number;
  /** Names this boot of the machine: monotonic times compare only within one. */
  bootId: string;
}

/** `/proc/uptime` has a resolution of 10 ms: smaller differences to the monotonic clock are noise, not sleep. */
const SLEEP_NOTICED_MS = 500;
const LOOK_EVERY_MS = 200;

/** The machine's own clocks. */
export function systemTime(): TimeSource {
  let sleptMs = sleepSinceBootMs() ?? 0;
  let lookedAtMs = processMonotonicMs();
  return {
    bootId: readBootId(),
    wallMs: () => Date.now(),
    monotonicMs() {
      const awakeMs = processMonotonicMs();
      if (awakeMs - lookedAtMs >= LOOK_EVERY_MS) {
        lookedAtMs = awakeMs;
        const slept = sleepSinceBootMs();
        if (slept !== null && slept > sleptMs + SLEEP_NOTICED_MS) sleptMs = slept;
      }
      return awakeMs + sleptMs;
    },
  };
}

/**
 * How long the machine has slept since it was started: the monotonic clock stands still meanwhile, `/proc/uptime` does
 * not. Null where that cannot be known: no such file, or one that a container's runtime makes up.
 */
function sleepSinceBootMs(): number | null {
  const uptimeMs = Number(readOrNull('/proc/uptime')?.split(' ')[0]) * 1000;
  const sleptMs = uptimeMs - processMonotonicMs();
  if (Number.isNaN(sleptMs) || sleptMs < -SLEEP_NOTICED_MS) return null;
  return sleptMs < SLEEP_NOTICED_MS ? 0 : sleptMs;
}

function readBootId(): string {
  // Without one every start of the program counts as a boot: the learnt offset is then only learnt again.
  return readOrNull('/proc/sys/kernel/random/boot_id')?.trim() ?? randomUUID();
}

function readOrNull(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or no procfs.
    return null;
  }
}
