import { MINUTE_SECONDS, minutesOf, type Minute, type MinuteRange } from './minute.ts';

/** Sets of the minutes of a short range (at most 62) as the bits of a number: bit 0 is its first minute. */
export type MinuteMask = bigint;

/** The minutes of `range` for which `holds` is true. */
export function maskOf(range: MinuteRange, holds: (minute: Minute) => boolean): MinuteMask {
  let mask = 0n;
  let bit = 1n;
  for (const minute of minutesOf(range)) {
    if (holds(minute)) mask |= bit;
    bit <<= 1n;
  }
  return mask;
}

/** An agent as far as its presence goes. Times are unix seconds. */
export interface AgentPresence {
  createdAt: number;
  /** Null: it is not. */
  revokedAt: number | null;
  /** What it said of its own absence, in any order. */
  absences: readonly MinuteRange[];
}

/**
 * In which minutes of `range` a region is served: `due`, where it has an enrolled agent, from the region's own first
 * minute on, and `present`, where one of those has not said that it was absent. An agent that was not there and has not
 * said so yet counts as present. Minutes in which an agent was made or revoked are not whole and do not count.
 */
export function presenceMasks(
  range: MinuteRange,
  regionFrom: Minute,
  agents: readonly AgentPresence[],
): { due: MinuteMask; present: MinuteMask } {
  let due = 0n;
  let present = 0n;
  for (const { createdAt, revokedAt, absences } of agents) {
    const enrolled = (minute: Minute): boolean =>
      minute >= regionFrom && minute >= createdAt && minute + MINUTE_SECONDS <= (revokedAt ?? Infinity);
    const away = (minute: Minute): boolean => absences.some(({ from, to }) => from <= minute && minute < to);
    due |= maskOf(range, enrolled);
    present |= maskOf(range, (minute) => enrolled(minute) && !away(minute));
  }
  return { due, present };
}
