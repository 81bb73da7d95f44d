import type pg from 'pg';
import { HOUR_SECONDS, type MinuteRange } from '../core/minute.ts';
import { overlaySlices, type Overlay } from '../core/overlay.ts';
import type { MinuteCounts } from '../core/uptime-formula.ts';
import { inTransaction, type Queryable } from './client.ts';
import type { MonitorRow } from './monitors.ts';
import { readOverlayWindows } from './overlay-windows.ts';
import { unconfirmedChanges, type Change, type MonitorSlice } from './unconfirmed.ts';

/** What a monitor's points of a range amount to. */
export interface RangeCounts extends MinuteCounts {
  /** Of the points where something answered, whatever lies over them; whole microseconds, null where there are none. */
  latencyUs: LatencyFigures | null;
}

/** Whole microseconds; `count` points answered. */
export interface LatencyFigures {
  count: number;
  avg: number;
  min: number;
  max: number;
}

/** What is needed of a monitor to count its minutes. */
export type CountedMonitor = Pick<MonitorRow, 'id' | 'confirmation_threshold'>;

/**
 * Counts the points of a half-open range of minutes for each of the monitors, in their order, as they are reported: what
 * incidents and maintenances lay over points counts instead of them, and changes that were not confirmed do not count
 * (reference §12). Exact to the minute at both ends, in one snapshot: whole hours come from their roll-up where that is
 * true, everything else from points. Hours whose points retention has removed count where the range and what lies over
 * it take them whole. The number of statements does not grow with the number of monitors.
 */
export async function countRange(
  pool: pg.Pool,
  monitors: readonly CountedMonitor[],
  range: MinuteRange,
): Promise<RangeCounts[]> {
  const known = storableRange(range);
  const ids = monitors.map(({ id }) => id);
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const windows = await readOverlayWindows(client, ids, known);
    const slices = ids.flatMap((monitorId) =>
      overlaySlices(known, windows.get(monitorId) ?? []).map((slice) => ({ monitorId, ...slice })),
    );
    const rows = new Map(ids.map((id): [number, SliceRow[]] => [id, []]));
    for (const row of await countSlices(client, slices, known)) rows.get(row.monitor_id)?.push(row);
    const counted = ids.map((id) => total(rows.get(id) ?? []));
    const changed = await unconfirmedChanges(client, monitors, slices, known);
    return counted.map((counts, at) => moved(counts, changed.get(ids[at] ?? NaN) ?? []));
  });
}

/** The part of a range in which there can be points: beyond are no dates to PostgreSQL. */
export function storableRange({ from, to }: MinuteRange): MinuteRange {
  const [first, last] = [0, Date.UTC(9999, 0) / 1000];
  const low = Math.min(Math.max(from, first), last);
  return { from: low, to: Math.min(Math.max(to, low), last) };
}

/** The points of a monitor under one overlay. */
interface SliceRow {
  monitor_id: number;
  overlay: Overlay | null;
  up: number;
  down: number;
  degraded: number;
  latency_count: number;
  latency_sum: number;
  latency_min: number | null;
  latency_max: number | null;
}

/** Sums of the columns that hours and points have in common. */
const SUMS = `sum(up)::int8 as up, sum(down)::int8 as down, sum(degraded)::int8 as degraded,
  sum(latency_count)::int8 as latency_count, sum(latency_sum) as latency_sum,
  min(latency_min) as latency_min, max(latency_max) as latency_max`;

/**
 * $1 to $4 are slices; $5 and $6 bound them, so that few partitions are planned. `inner_from` and `inner_to` bound the
 * hours of a slice that roll-ups can tell of; `pieces` are what is left of it.
 */
const COUNT = `
with slices as (
  select s.*, inner_from, greatest(inner_from, least(high, rolled_to) / ${HOUR_SECONDS} * ${HOUR_SECONDS}) as inner_to
  from unnest($1::int[], $2::int8[], $3::int8[], $4::text[]) as s (monitor_id, low, high, overlay)
  cross join lateral (select least((low + ${HOUR_SECONDS - 1}) / ${HOUR_SECONDS} * ${HOUR_SECONDS}, high) as inner_from) i
  cross join (select extract(epoch from minute)::int8 as rolled_to from cursors where name = 'rolled_to') c
), pieces as (
  select monitor_id, overlay, low, inner_from as high from slices where low < inner_from
  union all
  select monitor_id, overlay, inner_to, high from slices where inner_to < high
  union all
  select monitor_id, overlay, hour, hour + ${HOUR_SECONDS}
  from slices cross join lateral (
    select distinct extract(epoch from hour)::int8 as hour from dirty_hours d
    where d.monitor_id = slices.monitor_id and d.hour >= to_timestamp(inner_from) and d.hour < to_timestamp(inner_to)
  ) marked
), counted as (
  select monitor_id, overlay, rolled.* from slices cross join lateral (
    select ${SUMS} from data_points_hourly h
    where h.monitor_id = slices.monitor_id and h.hour >= to_timestamp(inner_from) and h.hour < to_timestamp(inner_to)
      and not exists (select from dirty_hours d where d.monitor_id = h.monitor_id and d.hour = h.hour)
  ) rolled where inner_from < inner_to
  union all
  select monitor_id, overlay, read.* from pieces cross join lateral (
    select count(*) filter (where status = 2) as up,
      count(*) filter (where status = 4) as down,
      count(*) filter (where status = 3) as degraded,
      count(*) filter (where latency_us > 0) as latency_count,
      sum(latency_us) as latency_sum,
      min(latency_us) filter (where latency_us > 0) as latency_min,
      max(latency_us) filter (where latency_us > 0) as latency_max
    from data_points p
    where p.monitor_id = pieces.monitor_id and p.minute >= to_timestamp(low) and p.minute < to_timestamp(high)
      and p.minute >= to_timestamp($5) and p.minute < to_timestamp($6)
  ) read
)
select monitor_id, overlay, ${SUMS} from counted group by monitor_id, overlay having sum(up + down + degraded) > 0`;

async function countSlices(
  client: Queryable,
  slices: readonly MonitorSlice[],
  range: MinuteRange,
): Promise<SliceRow[]> {
  const { rows } = await client.query<SliceRow>(COUNT, [
    slices.map(({ monitorId }) => monitorId),
    slices.map(({ from }) => from),
    slices.map(({ to }) => to),
    slices.map(({ overlay }) => overlay),
    range.from,
    range.to,
  ]);
  return rows;
}

function total(rows: readonly SliceRow[]): RangeCounts {
  const counts = { up: 0, down: 0, degraded: 0, maintenance: 0 };
  for (const { overlay, up, down, degraded } of rows) {
    if (overlay !== null) counts[NAME[overlay]] += up + down + degraded;
    else {
      counts.up += up;
      counts.down += down;
      counts.degraded += degraded;
    }
  }
  return { ...counts, latencyUs: latencyOf(rows) };
}

/** The counts after minutes of one status were reported as another. */
function moved(counts: RangeCounts, changes: readonly Change[]): RangeCounts {
  const after = { ...counts };
  for (const { measured, reported, count } of changes) {
    after[NAME[measured]] -= count;
    after[NAME[reported]] += count;
  }
  return after;
}

const NAME = { UP: 'up', DOWN: 'down', DEGRADED: 'degraded', MAINTENANCE: 'maintenance' } as const;

function latencyOf(rows: readonly SliceRow[]): RangeCounts['latencyUs'] {
  const answered = rows.filter(({ latency_count }) => latency_count > 0);
  if (answered.length === 0) return null;
  const sum = (of: (row: SliceRow) => number): number => answered.reduce((a, row) => a + of(row), 0);
  const count = sum((row) => row.latency_count);
  return {
    count,
    avg: Math.round(sum((row) => row.latency_sum) / count),
    min: Math.min(...answered.map(({ latency_min }) => latency_min ?? Infinity)),
    max: Math.max(...answered.map(({ latency_max }) => latency_max ?? 0)),
  };
}
