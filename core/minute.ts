/**
 * The minute is the grain of everything: unix seconds, divisible by 60, the start of the minute it names.
 */
export type Minute = number;

export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3600;

/** The minute that contains `seconds` (unix seconds, fractions allowed, negative allowed). */
export function floorMinute(seconds: number): Minute {
  return Math.floor(seconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}

/** The hour that contains `seconds`, as unix seconds. */
export function floorHour(seconds: number): number {
  return Math.floor(seconds / HOUR_SECONDS) * HOUR_SECONDS;
}

/** True for a safe integer that is the start of a minute. */
export function isMinute(value: number): boolean {
  return Number.isSafeInteger(value) && value % MINUTE_SECONDS === 0;
}

/** A half-open range of minutes: `from` is inside, `to` is not. */
export interface MinuteRange {
  from: Minute;
  to: Minute;
}

/**
 * The minutes a pair of timestamps names: `[floor(start), max(floor(end), floor(start) + 60))`, so that a pair inside
 * one minute means that minute (reference §12, Points). The caller has checked `end > start`.
 */
export function minuteRange(startSeconds: number, endSeconds: number): MinuteRange {
  const from = floorMinute(startSeconds);
  return { from, to: Math.max(floorMinute(endSeconds), from + MINUTE_SECONDS) };
}

/** How many minutes a range holds. */
export function countMinutes(range: MinuteRange): number {
  return (range.to - range.from) / MINUTE_SECONDS;
}

/** The minutes of a range, ascending. */
export function* minutesOf(range: MinuteRange): Generator<Minute> {
  for (let minute = range.from; minute < range.to; minute += MINUTE_SECONDS) yield minute;
}
