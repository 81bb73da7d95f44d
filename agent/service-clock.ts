import type { TimeSource } from './time-source.ts';

/** The database's clock, read somewhere between two moments of this machine's monotonic clock (milliseconds). */
export interface ClockSample {
  sentMs: number;
  receivedMs: number;
  /** Unix microseconds. */
  clockUs: number;
}

/** What is known of the distance between the monotonic clock and the database's: it lies in [loMs, hiMs] at `atMs`. */
export interface LearntOffset {
  loMs: number;
  hiMs: number;
  atMs: number;
}

/** The agent's clock: the machine's monotonic clock plus the learnt offset to the database's clock. */
export interface ServiceClock {
  /** False until the first contact in this boot: until then the wall clock serves. */
  readonly known: boolean;
  readonly bootId: string;
  /** Unix milliseconds. Never goes back by a little: it waits until it is caught up with. */
  nowMs(): number;
  monotonicMs(): number;
  /** What `nowMs` adds to the monotonic clock. */
  offsetMs(): number;
  /** Takes a reading of the database's clock in. */
  learn(sample: ClockSample): void;
  /** To be kept over a restart within this boot; null before the first contact. */
  learnt(): LearntOffset | null;
}

/** Two clocks of ordinary machines drift apart by less than this. */
const DRIFT = 200e-6;
/** Error of a collector's own idea of the database's clock. */
const READING_ERROR_MS = 2;
/** A reading that contradicts what is known by more than this is believed only when it is repeated. */
const SUSPICIOUS_MS = 1000;
const REPEATED = 3;
/** Up to here a step back is waited out; beyond, the clock that was followed was wrong. */
const WAITED_OUT_MS = 2000;

/**
 * A service clock. `onKnown` is called once, at the first contact: `stepMs` is what the clock is stepped by, away from
 * the wall clock that served until then.
 */
export function createServiceClock(
  time: TimeSource,
  kept: LearntOffset | null,
  onKnown: (stepMs: number) => void = () => undefined,
): ServiceClock {
  let learnt = kept;
  let lastMs = -Infinity;
  let contradictions = 0;
  const wallOffsetMs = (): number => time.wallMs() - time.monotonicMs();
  const offsetMs = (): number => (learnt === null ? wallOffsetMs() : middleOf(learnt));

  return {
    get known() {
      return learnt !== null;
    },
    bootId: time.bootId,
    monotonicMs: () => time.monotonicMs(),
    offsetMs,
    learnt: () => learnt,
    nowMs() {
      if (learnt === null) return time.wallMs();
      const ms = time.monotonicMs() + middleOf(learnt);
      lastMs = ms < lastMs && lastMs - ms <= WAITED_OUT_MS ? lastMs : ms;
      return lastMs;
    },
    learn(sample) {
      const reading = offsetIn(sample);
      if (learnt === null) {
        const stepMs = middleOf(reading) - wallOffsetMs();
        learnt = reading;
        onKnown(stepMs);
        return;
      }
      const agreed = intersect(learnt, reading);
      contradictions = agreed === null ? contradictions + 1 : 0;
      if (agreed !== null) learnt = agreed;
      else if (contradictions >= REPEATED || distance(learnt, reading) <= SUSPICIOUS_MS) learnt = reading;
    },
  };
}

/** The collector read its clock after the agent sent and before the agent received. */
function offsetIn({ sentMs, receivedMs, clockUs }: ClockSample): LearntOffset {
  const clockMs = clockUs / 1000;
  return { loMs: clockMs - receivedMs - READING_ERROR_MS, hiMs: clockMs - sentMs + READING_ERROR_MS, atMs: receivedMs };
}

/** The best single guess. */
export function middleOf({ loMs, hiMs }: LearntOffset): number {
  return (loMs + hiMs) / 2;
}

/** What both allow, the older one widened by the drift since; null where they contradict each other. */
function intersect(old: LearntOffset, reading: LearntOffset): LearntOffset | null {
  const drift = Math.max(0, reading.atMs - old.atMs) * DRIFT;
  const loMs = Math.max(old.loMs - drift, reading.loMs);
  const hiMs = Math.min(old.hiMs + drift, reading.hiMs);
  return loMs <= hiMs ? { loMs, hiMs, atMs: reading.atMs } : null;
}

function distance(a: LearntOffset, b: LearntOffset): number {
  return Math.max(a.loMs - b.hiMs, b.loMs - a.hiMs);
}
