import { floorHour, HOUR_SECONDS, type MinuteRange } from '../core/minute.ts';
import type { Queryable } from './client.ts';

/** A half-open range of one monitor's minutes. */
export interface Slice extends MinuteRange {
  monitorId: number;
}

/** What was measured in a slice, whatever lies over it. Latencies count where something answered, microseconds. */
export interface SliceCounts {
  up: number;
  down: number;
  degraded: number;
  latencyCount: number;
  latencySum: number;
  latencyMin: number | null;
  latencyMax: number | null;
}

/** How far roll-ups are to be believed. */
export interface RollState {
  /** Hours from here on are not rolled up. */
  rolledTo: number;
  /** The hours before it whose roll-up is no longer true, by monitor and ascending. */
  marks: ReadonlyMap<number, readonly number[]>;
}

/** The state of the roll-ups of these monitors in the client's snapshot. */
export async function readRollState(client: Queryable, monitorIds: readonly number[]): Promise<RollState> {
  const cursor = await client.query<{ minute: number }>(
    `select extract(epoch from minute)::int8 as minute from cursors where name = 'rolled_to'`,
  );
  const { rows } = await client.query<{ id: number; hours: number[] }>(
    `select monitor_id as id, array_agg(hour order by hour) as hours from (
       select distinct monitor_id, extract(epoch from hour)::float8 as hour from dirty_hours where monitor_id = any($1)
     ) marked group by monitor_id`,
    [monitorIds],
  );
  return { rolledTo: cursor.rows[0]?.minute ?? 0, marks: new Map(rows.map(({ id, hours }) => [id, hours])) };
}

/** Parts of slices, each with the number of its slice: whole hours that roll-ups tell of, and the rest. */
export interface Pieces {
  hours: PieceList;
  points: PieceList;
}

/** Columns, as PostgreSQL's `unnest` takes them. */
export interface PieceList {
  at: number[];
  ids: number[];
  low: number[];
  high: number[];
}

export function piecesOf(slices: readonly Slice[], { rolledTo, marks }: RollState): Pieces {
  const pieces: Pieces = { hours: emptyPieces(), points: emptyPieces() };
  for (const [at, { monitorId, from, to }] of slices.entries()) {
    const first = Math.min(Math.ceil(from / HOUR_SECONDS) * HOUR_SECONDS, to);
    const last = Math.max(first, floorHour(Math.min(to, rolledTo)));
    let reached = first;
    addPiece(pieces.points, at, monitorId, from, first);
    for (const hour of marks.get(monitorId) ?? []) {
      if (hour < first || hour >= last) continue;
      addPiece(pieces.hours, at, monitorId, reached, hour);
      addPiece(pieces.points, at, monitorId, hour, hour + HOUR_SECONDS);
      reached = hour + HOUR_SECONDS;
    }
    addPiece(pieces.hours, at, monitorId, reached, last);
    addPiece(pieces.points, at, monitorId, last, to);
  }
  return pieces;
}

function emptyPieces(): PieceList {
  return { at: [], ids: [], low: [], high: [] };
}

export function addPiece(list: PieceList, at: number, monitorId: number, low: number, high: number): void {
  if (low >= high) return;
  list.at.push(at);
  list.ids.push(monitorId);
  list.low.push(low);
  list.high.push(high);
}

/**
 * Counts the points of each slice, in the order of the slices: whole hours by their roll-up where that is true,
 * everything else by points. Two statements, however many slices there are.
 */
export async function countSlices(
  client: Queryable,
  slices: readonly Slice[],
  state: RollState,
): Promise<SliceCounts[]> {
  const { hours, points } = piecesOf(slices, state);
  const counted = slices.map((): SliceCounts => {
    return { up: 0, down: 0, degraded: 0, latencyCount: 0, latencySum: 0, latencyMin: null, latencyMax: null };
  });
  const parts = [
    ...(hours.at.length > 0 ? await readParts(client, HOURS, hours) : []),
    ...(points.at.length > 0 ? await readParts(client, POINTS, points) : []),
  ];
  for (const { at, ...part } of parts) {
    const slice = counted[at];
    if (slice) addCounts(slice, part);
  }
  return counted;
}

/** Adds what was measured in one slice to another. */
export function addCounts(total: SliceCounts, part: SliceCounts): void {
  total.up += part.up;
  total.down += part.down;
  total.degraded += part.degraded;
  total.latencyCount += part.latencyCount;
  total.latencySum += part.latencySum;
  if (part.latencyMin !== null) total.latencyMin = Math.min(total.latencyMin ?? Infinity, part.latencyMin);
  if (part.latencyMax !== null) total.latencyMax = Math.max(total.latencyMax ?? 0, part.latencyMax);
}

/** $5 and $6 bound all pieces, so that few partitions are planned. */
async function readParts(
  client: Queryable,
  sql: string,
  { at, ids, low, high }: PieceList,
): Promise<(SliceCounts & { at: number })[]> {
  const least = low.reduce((a, b) => Math.min(a, b), Infinity);
  const most = high.reduce((a, b) => Math.max(a, b), -Infinity);
  const { rows } = await client.query<SliceCounts & { at: number }>(sql, [at, ids, low, high, least, most]);
  return rows;
}

const PIECES = 'unnest($1::int[], $2::int[], $3::int8[], $4::int8[]) as piece (at, id, low, high)';

const HOURS = `
select at, read.* from ${PIECES} cross join lateral (
  select sum(up)::int8 as up, sum(down)::int8 as down, sum(degraded)::int8 as degraded,
    sum(latency_count)::int8 as "latencyCount", sum(latency_sum)::float8 as "latencySum",
    min(latency_min) as "latencyMin", max(latency_max) as "latencyMax"
  from data_points_hourly h
  where h.monitor_id = piece.id and h.hour >= to_timestamp(low) and h.hour < to_timestamp(high)
    and h.hour >= to_timestamp($5) and h.hour < to_timestamp($6)
) read where up is not null`;

const POINTS = `
select at, read.* from ${PIECES} cross join lateral (
  select count(*) filter (where status = 2) as up, count(*) filter (where status = 4) as down,
    count(*) filter (where status = 3) as degraded,
    count(*) filter (where latency_us > 0) as "latencyCount", sum(latency_us)::float8 as "latencySum",
    min(latency_us) filter (where latency_us > 0) as "latencyMin",
    max(latency_us) filter (where latency_us > 0) as "latencyMax"
  from data_points p
  where p.monitor_id = piece.id and p.minute >= to_timestamp(low) and p.minute < to_timestamp(high)
    and p.minute >= to_timestamp($5) and p.minute < to_timestamp($6)
) read where up + down + degraded > 0`;
