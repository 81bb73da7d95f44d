import { HOUR_SECONDS } from '../core/minute.ts';
import type { SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import { pointStatus } from './points.ts';
import { addPiece, piecesOf, type PieceList, type RollState, type Slice } from './slice-counts.ts';

/**
 * The points of each slice as runs of one status, ascending, in the order of the slices. Hours whose points all have one
 * status are told by their roll-up; only of the others, and of hours that are not rolled up, the points are looked at.
 */
export async function readSliceRuns(
  client: Queryable,
  slices: readonly Slice[],
  state: RollState,
): Promise<SampleRun[][]> {
  const { hours, points } = piecesOf(slices, state);
  const found: FoundRun[] = [];
  for (const row of hours.at.length > 0 ? await readHourRuns(client, hours) : []) {
    if (row.status !== null) found.push({ ...row, status: row.status });
    else
      for (let hour = row.minute; hour < row.end; hour += HOUR_SECONDS) {
        addPiece(points, row.at, slices[row.at]?.monitorId ?? NaN, hour, hour + HOUR_SECONDS);
      }
  }
  if (points.at.length > 0) found.push(...(await readPointRuns(client, points)));
  const runs = slices.map((): SampleRun[] => []);
  for (const { at, status, count } of found.sort((a, b) => a.minute - b.minute))
    runs[at]?.push({ status: pointStatus(status), count });
  return runs;
}

interface FoundRun {
  /** The number of the slice. */
  at: number;
  /** The first minute. */
  minute: number;
  status: number;
  count: number;
}

interface HourRun extends Omit<FoundRun, 'status'> {
  /** Null: hours of several. */
  status: number | null;
  /** After its last hour. */
  end: number;
}

const PIECES =
  'unnest($1::int[], $2::int[], $3::int8[], $4::int8[]) with ordinality as piece (at, id, low, high, number)';

/** Neighbouring hours of one kind as one row. */
const HOURS = `
select at, status, extract(epoch from min(hour))::int8 as minute, extract(epoch from max(hour))::int8 + ${HOUR_SECONDS} as end,
  sum(points)::int8 as count
from (
  select *, count(*) filter (where begins) over (partition by number order by hour) as island from (
    select *, status is distinct from lag(status) over (partition by number order by hour) as begins from (
      select at, number, h.hour, up + down + degraded as points, case
        when down + degraded = 0 then 2 when up + down = 0 then 3 when up + degraded = 0 then 4 end as status
      from ${PIECES} join data_points_hourly h
        on h.monitor_id = piece.id and h.hour >= to_timestamp(low) and h.hour < to_timestamp(high)
        and h.hour >= to_timestamp($5) and h.hour < to_timestamp($6)
    ) hours
  ) compared
) numbered
group by at, number, island, status`;

const POINTS = `
select at, status, extract(epoch from min(minute))::int8 as minute, count(*)::int8 as count
from (
  select *, count(*) filter (where begins) over (partition by number order by minute) as island from (
    select at, number, p.minute, p.status,
      p.status is distinct from lag(p.status) over (partition by number order by p.minute) as begins
    from ${PIECES} join data_points p
      on p.monitor_id = piece.id and p.minute >= to_timestamp(low) and p.minute < to_timestamp(high)
      and p.minute >= to_timestamp($5) and p.minute < to_timestamp($6)
  ) compared
) numbered
group by at, number, island, status`;

async function readHourRuns(client: Queryable, pieces: PieceList): Promise<HourRun[]> {
  const { rows } = await client.query<HourRun>(HOURS, valuesOf(pieces));
  return rows;
}

async function readPointRuns(client: Queryable, pieces: PieceList): Promise<FoundRun[]> {
  const { rows } = await client.query<FoundRun>(POINTS, valuesOf(pieces));
  return rows;
}

function valuesOf({ at, ids, low, high }: PieceList): unknown[] {
  const least = low.reduce((a, b) => Math.min(a, b), Infinity);
  const most = high.reduce((a, b) => Math.max(a, b), -Infinity);
  return [at, ids, low, high, least, most];
}
