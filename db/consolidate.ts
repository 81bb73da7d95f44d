import type pg from 'pg';
import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { int4Array } from './array-parameter.ts';
import { inTransaction } from './client.ts';
import { CORRECT_POINTS, MAKE_POINTS, RIPE_SECONDS } from './consolidate-sql.ts';
import { engineOf } from './engine.ts';
import { lockMinutes } from './locks.ts';
import { withRoom } from './room.ts';

/**
 * Makes the points of (monitor, minute) pairs that are ripe, each pair given once. The caller's transaction holds the
 * minutes' locks (`lockMinutes`): without them two writers store a point that misses a vote. `areNew`: none of the pairs
 * has its point yet and no hour of theirs is rolled up, which costs half as much; where one has it, it throws 23505.
 */
export async function consolidatePairs(
  client: pg.PoolClient,
  monitorIds: readonly number[],
  minutes: readonly Minute[],
  areNew: boolean,
): Promise<void> {
  const low = minutes.reduce((a, b) => Math.min(a, b), Infinity);
  const high = minutes.reduce((a, b) => Math.max(a, b), -Infinity);
  const counts = minutes.map((minute) => minute / MINUTE_SECONDS);
  const pairs = [int4Array(monitorIds), int4Array(counts), low, high + MINUTE_SECONDS];
  await client.query(areNew ? MAKE_POINTS : CORRECT_POINTS, pairs);
}

/**
 * Consolidates, minute by minute, everything that became ripe by age since the last sweep, whichever collector or
 * earlier process swept then: the cursor stands in the database. Returns how many minutes it swept, at most `limit`.
 * After days in which nobody swept, the newest ripe minute comes first each time, out of turn: what is measured now does
 * not wait for what was missed. Late results need no sweep; they are ripe when they come.
 */
export async function sweep(pool: pg.Pool, limit = 60): Promise<number> {
  await sweepOutOfTurn(pool);
  let swept = 0;
  while (swept < limit && (await sweepMinute(pool))) swept += 1;
  return swept;
}

/** What is known of minutes by their age, unix seconds. */
export interface Edges {
  /** The first minute that no sweep has been at: results of earlier ones are consolidated by whoever brings them. */
  sweptTo: Minute;
  /** Minutes from here on are neither swept nor ripe by age. */
  youngFrom: number;
}

export async function readEdges(client: pg.PoolClient): Promise<Edges> {
  const { rows } = await client.query<Edges>(EDGES);
  const [edges] = rows;
  if (edges === undefined) throw new Error('no sweep was ever begun');
  return edges;
}

const EDGES = `
  select extract(epoch from minute)::int8 as "sweptTo",
    extract(epoch from greatest(minute, service_now() - interval '${RIPE_SECONDS} seconds'))::float8 as "youngFrom"
  from cursors where name = 'swept_to'`;
const NEXT_RIPE = `
  select extract(epoch from minute)::int8 as minute from cursors
  where name = 'swept_to' and minute <= service_now() - interval '${RIPE_SECONDS} seconds'`;
const NEWEST_RIPE = `
  select extract(epoch from newest)::int8 as minute
  from cursors, date_trunc('minute', service_now() - interval '${RIPE_SECONDS} seconds', 'UTC') as newest
  where name = 'swept_to' and minute < newest`;

async function sweepOutOfTurn(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ minute: Minute }>(NEWEST_RIPE);
  for (const { minute } of rows)
    await withRoom(pool, ['data_points'], [minute], () => inSweep(pool, (client) => consolidateMinute(client, minute)));
}

async function sweepMinute(pool: pg.Pool): Promise<boolean> {
  const next = await pool.query<{ minute: Minute }>(NEXT_RIPE);
  const [due] = next.rows;
  if (!due) return false;
  return withRoom(pool, ['data_points'], [due.minute], () => inSweep(pool, sweepNext));
}

async function inSweep<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const engine = await engineOf(pool);
  return inTransaction(pool, async (client) => {
    await client.query('select pg_current_xact_id()');
    await engine.favourLookups(client);
    return work(client);
  });
}

async function sweepNext(client: pg.PoolClient): Promise<boolean> {
  // Another sweeper may have been here since: it holds the row until it has moved on.
  const { rows } = await client.query<{ minute: Minute }>(`${NEXT_RIPE} for update`);
  const minute = rows[0]?.minute;
  if (minute === undefined) return false;
  await consolidateMinute(client, minute);
  await client.query(`update cursors set minute = minute + interval '1 minute' where name = 'swept_to'`);
  return true;
}

/** Asked first: most minutes of days in which nobody swept are empty, and an empty pair costs as much as a full one. */
const WITH_RESULTS = `
  select distinct r.monitor_id as id from (select array_agg(id) as ids from monitors) m cross join lateral (
    select monitor_id from check_results where monitor_id = any (m.ids) and minute = to_timestamp($1) offset 0
  ) r order by 1`;

async function consolidateMinute(client: pg.PoolClient, minute: Minute): Promise<void> {
  await lockMinutes(client, [minute]);
  const { rows } = await client.query<{ id: number }>(WITH_RESULTS, [minute]);
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await consolidatePairs(client, ids, new Array<Minute>(ids.length).fill(minute), false);
}
