import type { MinuteRange } from '../core/minute.ts';
import { STATUS_CODE, type PointStatus } from '../core/outcome.ts';
import type { Queryable } from './client.ts';
import type { Paging } from './paging.ts';
import { storedPoint, type StoredPoint } from './points.ts';

export interface PointFilter {
  monitorId: number;
  /** Half-open. */
  range: MinuteRange;
  status?: PointStatus | undefined;
}

const MATCHING = `from data_points where monitor_id = $1 and minute >= to_timestamp($2) and minute < to_timestamp($3)
  and ($4::smallint is null or status = $4)`;

/** A part of a monitor's points, the newest first, and how many there are on all pages. Both are read from the index. */
export async function listPoints(
  db: Queryable,
  filter: PointFilter,
  { page, limit }: Paging,
): Promise<{ points: StoredPoint[]; total: number }> {
  const { monitorId, range, status } = filter;
  const values = [monitorId, range.from, range.to, status && STATUS_CODE[status]];
  const counted = await db.query<{ total: number }>(`select count(*) as total ${MATCHING}`, values);
  const { rows } = await db.query<{ minute: number; status: number; origin: number; latency_us: number }>(
    `select extract(epoch from minute)::int8 as minute, status, origin, latency_us ${MATCHING}
     order by data_points.minute desc limit $5 offset ($6::bigint - 1) * $5`,
    [...values, limit, page],
  );
  return { points: rows.map(storedPoint), total: counted.rows[0]?.total ?? 0 };
}
