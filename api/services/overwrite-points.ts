import type pg from 'pg';
import { AppError } from '../../core/app-error.ts';
import { countMinutes, minuteRange } from '../../core/minute.ts';
import { overwriteRange, type Overwrite } from '../../db/points.ts';

/** Reference §12, "Limits". */
const MAX_OVERWRITE_DAYS = 366;

/** Writes every minute between two timestamps by hand, see `minuteRange`. Returns how many. */
export function overwriteBetween(
  history: pg.Pool,
  monitorId: number,
  { start, end }: { start: number; end: number },
  point: Overwrite,
): Promise<number> {
  const range = minuteRange(start, end);
  if (countMinutes(range) > MAX_OVERWRITE_DAYS * 24 * 60)
    throw new AppError('BAD_REQUEST', `The range must cover at most ${MAX_OVERWRITE_DAYS} days`);
  return overwriteRange(history, monitorId, range, point);
}
