import { floorMinute, MINUTE_SECONDS, type Minute } from '../../core/minute.ts';
import type { CheckResult } from '../../core/result.ts';
import type { Provisional } from './result-columns.ts';

const MINUTE_MS = MINUTE_SECONDS * 1000;
/** A wall clock this near to whole minutes of the database's clock named the minutes right, give or take those. */
const NEAR_MS = 5000;

/** By how many whole minutes a clock was off that is stepped by `stepMs`; null where it was off by a part of one. */
export function wholeMinutes(stepMs: number): number | null {
  const minutes = Math.round(stepMs / MINUTE_MS);
  return Math.abs(stepMs - minutes * MINUTE_MS) <= NEAR_MS ? minutes : null;
}

/** The minute of a check that was placed by a clock which was off by `stepMs`; `startedAtMs`: its true start. */
export function truePlace(minute: Minute, startedAtMs: number, stepMs: number): Minute {
  const minutes = wholeMinutes(stepMs);
  return minutes === null ? floorMinute(startedAtMs / 1000) : minute + minutes * MINUTE_SECONDS;
}

/**
 * Results with their true minutes. `offsetMs` is the learnt distance of the database's clock to the monotonic clock of
 * the boot they were measured in; without one the wall clock's word stands.
 */
export function placeResults(
  results: readonly CheckResult[],
  provisional: Provisional | null,
  offsetMs: number | null,
): readonly CheckResult[] {
  if (provisional === null || offsetMs === null) return results;
  const stepMs = offsetMs - provisional.usedOffsetMs;
  return results.map((result, row) => {
    const startedAtMs = (provisional.startedMs[row] ?? 0) + offsetMs;
    return { ...result, minute: truePlace(result.minute, startedAtMs, stepMs) };
  });
}
