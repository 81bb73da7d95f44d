import type pg from 'pg';
import { AppError } from '../core/app-error.ts';
import { countMinutes, type Minute, type MinuteRange } from '../core/minute.ts';
import { MAX_LATENCY_US, ORIGIN_CODE, STATUS_CODE, type Origin, type PointStatus } from '../core/outcome.ts';
import { inTransaction, type Queryable } from './client.ts';
import { engineOf } from './engine.ts';
import { minutesInSpans } from './engines/engine.ts';
import { lockRolledTo } from './locks.ts';
import { writableRange } from './retention.ts';
import { withRoom } from './room.ts';

/** A stored point; the latency in whole microseconds. */
export interface StoredPoint {
  minute: Minute;
  status: PointStatus;
  latencyUs: number;
  origin: Origin;
}

/** The point of one minute; null where there is none. */
export async function readPoint(db: Queryable, monitorId: number, minute: Minute): Promise<StoredPoint | null> {
  const { rows } = await db.query<Omit<PointRow, 'minute'>>(
    'select status, origin, latency_us from data_points where monitor_id = $1 and minute = to_timestamp($2)',
    [monitorId, minute],
  );
  const [row] = rows;
  return row ? storedPoint({ minute, ...row }) : null;
}

/** A point as its columns have it. */
interface PointRow {
  minute: Minute;
  status: number;
  origin: number;
  latency_us: number;
}

/** A point by the names of its codes. */
export function storedPoint({ minute, status, origin, latency_us }: PointRow): StoredPoint {
  return { minute, latencyUs: latency_us, ...namesOf(status, origin) };
}

function namesOf(status: number, origin: number): { status: PointStatus; origin: Origin } {
  return { status: pointStatus(status), origin: nameOf(ORIGIN_OF, origin) };
}

/** The status of a stored point's code. */
export function pointStatus(code: number): PointStatus {
  return nameOf(POINT_STATUS_OF, code);
}

/** The table's checks hold codes to these lists. */
function nameOf<T>(names: Partial<Record<number, T>>, code: number): T {
  const name = names[code];
  if (name === undefined) throw new Error(`a stored point has an unknown code: ${code}`);
  return name;
}

const POINT_STATUS_OF: Partial<Record<number, PointStatus>> = { 2: 'UP', 3: 'DEGRADED', 4: 'DOWN' };
const ORIGIN_OF: Partial<Record<number, Origin>> = { 1: 'REALTIME', 2: 'API', 3: 'TIMEOUT', 4: 'ERROR', 5: 'MANUAL' };

export interface Overwrite {
  status: PointStatus;
  latencyUs: number;
  /** Each minute's latency differs by a random whole number of milliseconds up to this, clamped to what can be stored. */
  deviationUs: number;
}

/**
 * Writes every minute of a half-open range by hand (type MANUAL), also where it is compressed; all or nothing. Returns
 * the number of rows written. `random` is a number in [0, 1). Throws BAD_REQUEST beyond what can be written (from the
 * retention's edge to 366 days ahead) and NOT_FOUND where the monitor is gone.
 *
 * It takes no minute locks: the row's own lock decides between a writer by hand and one that consolidates, and the
 * latter leaves a MANUAL row alone whichever came first.
 */
export async function overwriteRange(
  pool: pg.Pool,
  monitorId: number,
  range: MinuteRange,
  point: Overwrite,
  random: () => number = Math.random,
): Promise<number> {
  const latencies = latenciesOf(countMinutes(range), point, random);
  return writeByHand(pool, monitorId, range, async (client) => {
    const { rowCount } = await client.query(OVERWRITE_RANGE, [
      monitorId,
      range.from,
      range.to,
      STATUS_CODE[point.status],
      latencies,
    ]);
    return rowCount ?? 0;
  });
}

const MANUAL = ORIGIN_CODE.MANUAL;

/** $5 holds one latency for all minutes, or one for each. */
const OVERWRITE_RANGE = `
  insert into data_points (monitor_id, minute, status, origin, latency_us, known)
  select $1, to_timestamp($2 + 60 * at), $4, ${MANUAL}, ($5::int[])[case when cardinality($5::int[]) = 1 then 1 else at + 1 end], 0
  from generate_series(0, ($3::int8 - $2::int8) / 60 - 1) as at
  on conflict (monitor_id, minute) do update
    set status = excluded.status, origin = excluded.origin, latency_us = excluded.latency_us`;
const MARK_RANGE = `
  insert into dirty_hours (monitor_id, hour)
  select $1, hour
  from generate_series(date_trunc('hour', to_timestamp($2), 'UTC'), to_timestamp($3) - interval '1 minute', '1 hour') as hour
  where hour < (select minute from cursors where name = 'rolled_to')`;

function latenciesOf(count: number, { latencyUs, deviationUs }: Overwrite, random: () => number): number[] {
  const steps = Math.floor(deviationUs / 1000);
  if (steps === 0) return [latencyUs];
  const draw = (): number => {
    const drawn = latencyUs + (Math.floor(random() * (2 * steps + 1)) - steps) * 1000;
    return Math.min(Math.max(0, drawn), MAX_LATENCY_US);
  };
  return Array.from({ length: count }, draw);
}

/** What a point is written over with; undefined keeps what stands there. */
export interface PointChange {
  status?: PointStatus | undefined;
  latencyUs?: number | undefined;
}

/**
 * Writes one point by hand (type MANUAL). What the change omits keeps its value; where there is no point yet the status
 * is `defaultStatus`, else UP, and the latency 0. Errors as `overwriteRange`.
 */
export async function overwritePoint(
  pool: pg.Pool,
  monitorId: number,
  minute: Minute,
  change: PointChange,
  defaultStatus: PointStatus | null,
): Promise<StoredPoint> {
  return writeByHand(pool, monitorId, { from: minute, to: minute + 60 }, async (client) => {
    const status = change.status && STATUS_CODE[change.status];
    const { rows } = await client.query<Omit<PointRow, 'minute'>>(OVERWRITE_POINT, [
      monitorId,
      minute,
      status ?? null,
      change.latencyUs ?? null,
      STATUS_CODE[defaultStatus ?? 'UP'],
    ]);
    const [row] = rows;
    if (!row) throw new Error('an upsert returned no row');
    return storedPoint({ minute, ...row });
  });
}

const OVERWRITE_POINT = `
  insert into data_points as d (monitor_id, minute, status, origin, latency_us, known)
  values ($1, to_timestamp($2), coalesce($3::smallint, $5::smallint), ${MANUAL}, coalesce($4::int, 0), 0)
  on conflict (monitor_id, minute) do update
    set status = coalesce($3::smallint, d.status), origin = ${MANUAL}, latency_us = coalesce($4::int, d.latency_us)
  returning status, origin, latency_us`;

/** One transaction that writes points of a range, with room for them and marks on the hours they change. */
async function writeByHand<T>(
  pool: pg.Pool,
  monitorId: number,
  range: MinuteRange,
  write: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  await checkWritable(pool, range);
  const engine = await engineOf(pool);
  return withRoom(pool, ['data_points'], [...minutesInSpans('data_points', range)], () =>
    inTransaction(pool, async (client) => {
      await engine.allowBulkChange(client);
      await holdMonitor(client, monitorId);
      await lockRolledTo(client);
      const written = await write(client);
      await client.query(MARK_RANGE, [monitorId, range.from, range.to]);
      return written;
    }),
  );
}

async function checkWritable(pool: pg.Pool, range: MinuteRange): Promise<void> {
  const writable = await writableRange(pool, 'data_points');
  if (range.from >= writable.from && range.to <= writable.to) return;
  const message = 'Points can be written from the edge of what retention keeps to 366 days ahead only';
  throw new AppError('BAD_REQUEST', message);
}

/** A deletion waits for this transaction, so that its purge finds these rows. */
async function holdMonitor(client: pg.PoolClient, monitorId: number): Promise<void> {
  const { rowCount } = await client.query('select from monitors where id = $1 for key share', [monitorId]);
  if (rowCount === 0) throw new AppError('NOT_FOUND', 'The monitor was deleted meanwhile');
}
