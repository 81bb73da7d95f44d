import type { MinuteRange } from '../core/minute.ts';
import { floorMinute } from '../core/minute.ts';
import type { Queryable } from './client.ts';
import { DAY_SECONDS, type TimeRelation } from './engines/engine.ts';

/** How long rows are kept unless `system` says otherwise (reference §12, "Limits"). Roll-ups are kept for ever. */
const DEFAULT_DAYS: Record<TimeRelation, number> = { data_points: 400, check_results: 90 };
const SETTING: Record<TimeRelation, string> = {
  data_points: 'retention_points_days',
  check_results: 'retention_results_days',
};
/** How far ahead minutes may be written (reference §12, "Limits"). */
export const AHEAD_DAYS = 366;

/** What can be written: from the retention's edge to 366 days ahead, by the database's clock. */
export async function writableRange(db: Queryable, relation: TimeRelation): Promise<MinuteRange> {
  const { rows } = await db.query<{ now: number; days: string | null }>(
    `select extract(epoch from service_now())::float8 as now, (select value from system where key = $1) as days`,
    [SETTING[relation]],
  );
  const { now = NaN, days = null } = rows[0] ?? {};
  const kept = Number(days ?? DEFAULT_DAYS[relation]);
  return { from: floorMinute(now - kept * DAY_SECONDS), to: floorMinute(now + AHEAD_DAYS * DAY_SECONDS) };
}
