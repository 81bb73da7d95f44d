import { AppError } from '../../core/app-error.ts';
import { INVALID_RRULE, type Schedule } from '../../core/maintenance.ts';
import type { Expansion, ExpansionRequest } from '../../core/recurrence.ts';
import { readPlanningTime } from '../../db/maintenance-clock.ts';
import type { Queryable } from '../../db/client.ts';
import type { Services } from '../context.ts';

/** Ranges in which the next occurrences are looked for, one after the other: most rules need the first only. */
const LOOK_AHEAD_DAYS = [31, 366, 3660, 36_600];

/**
 * Expands a rule beside the program.
 * @throws AppError BAD_REQUEST where it is none or cannot be expanded within a second, UNAVAILABLE where that failed.
 */
export async function expandRule(
  { recurrence }: Pick<Services, 'recurrence'>,
  request: ExpansionRequest,
): Promise<Expansion> {
  const end = await recurrence.call(request);
  if ('message' in end) throw new AppError('UNAVAILABLE', `The rule could not be expanded: ${end.message}`);
  if (end.kind === 'value' && end.value) return end.value;
  throw new AppError('BAD_REQUEST', INVALID_RRULE, { details: [{ path: 'rrule', message: INVALID_RRULE }] });
}

/** The starts of the next windows of a schedule that are not over, at most `limit`; fewer where the rule ends. */
export async function nextStarts(
  { db, ...parts }: Pick<Services, 'recurrence'> & { db: Queryable },
  { rrule, start_date_time: start, timezone, duration_seconds }: Schedule,
  limit: number,
): Promise<number[]> {
  const { now } = await readPlanningTime(db);
  const from = Math.max(now - duration_seconds + 1, start);
  let starts: number[] = [];
  for (const days of LOOK_AHEAD_DAYS) {
    const { within, following } = await expandRule(parts, { rrule, start, timezone, from, to: from + days * 86_400 });
    starts = [...within, ...following];
    // Where less than two follow, the rule has ended.
    if (starts.length >= limit || following.length < 2) break;
  }
  return starts.slice(0, limit);
}
