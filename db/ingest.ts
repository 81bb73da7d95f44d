import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { compareResults, type RowAnswer } from '../core/result.ts';
import { FIELD, type ResultBlock } from '../core/result-block.ts';
import { int4Array } from './array-parameter.ts';
import { inTransaction } from './client.ts';
import { consolidatePairs, readEdges } from './consolidate.ts';
import { engineOf } from './engine.ts';
import { DAY_SECONDS } from './engines/engine.ts';
import { lockMinutes } from './locks.ts';
import { encodeResults, RESULT_COLUMNS, resultArrays, UNNEST_RESULTS } from './result-columns.ts';
import { isMissingSpan, withRoom } from './room.ts';

/** Rows older than this may lie in compressed chunks, where an optimistic copy costs too much. */
const SURELY_PLAIN_SECONDS = 4 * DAY_SECONDS;

/** What a caller expects to bring later. */
export interface Expectations {
  /** These are written, and not committed yet. Called before `awaits` is asked about any of them. */
  note(results: ResultBlock): void;
  /** True where the caller still awaits an answer for the pair and will come again with it. */
  awaits(monitorId: number, minute: Minute): boolean;
}

const NO_EXPECTATIONS: Expectations = { note: () => undefined, awaits: () => false };

/**
 * Stores results in one transaction and consolidates what is ripe. Returns one answer for each, in the order given:
 * `stored` (new, or better than what stood there), `duplicate` (what stands there is as good), `dropped` (its monitor is
 * gone, its minute outside what is kept, or the database refuses this very row). Throws, with nothing stored, where the
 * database is away (`isTransient`). Sorting and deduplicating is done here. A pair of which more is expected is
 * consolidated with that, or by the sweep.
 */
export async function ingestResults(
  pool: pg.Pool,
  results: ResultBlock,
  expectations: Expectations = NO_EXPECTATIONS,
): Promise<RowAnswer[]> {
  const order = distinct(results);
  const minutes = minutesOf(results);
  return withRoom(pool, ['check_results', 'data_points'], minutes, async (isClosed) => {
    const answers = new Array<RowAnswer>(results.length).fill('duplicate');
    const closed = new Set(minutes.filter(isClosed));
    const open = order.filter((row) => !closed.has(results.minute(row)));
    for (const row of order) if (closed.has(results.minute(row))) answers[row] = 'dropped';
    await storeOrSplit(pool, results, open, answers, expectations);
    return answers;
  });
}

function minutesOf(results: ResultBlock): Minute[] {
  return [...new Set(results.column(FIELD.minute))].map((count) => count * MINUTE_SECONDS);
}

/** The rows by their keys, ascending; of several with one key that which merging keeps. */
function distinct(results: ResultBlock): number[] {
  const rows = results.rows();
  rows.sort((a, b) => compareKeys(results, a, b) || compareResults(results.result(a), results.result(b)));
  return rows.filter((row, at) => at === 0 || compareKeys(results, rows[at - 1] ?? 0, row) !== 0);
}

function compareKeys(results: ResultBlock, a: number, b: number): number {
  return (
    results.number(a, FIELD.monitorId) - results.number(b, FIELD.monitorId) ||
    results.number(a, FIELD.minute) - results.number(b, FIELD.minute) ||
    results.number(a, FIELD.regionId) - results.number(b, FIELD.regionId)
  );
}

/** A row that the database refuses must not hold up the others: the batch is halved until it stands alone. */
async function storeOrSplit(
  pool: pg.Pool,
  results: ResultBlock,
  rows: readonly number[],
  answers: RowAnswer[],
  expectations: Expectations,
): Promise<void> {
  if (rows.length === 0) return;
  try {
    const given = await storeBatch(pool, results.pick(rows), expectations);
    rows.forEach((row, at) => (answers[row] = given[at] ?? 'duplicate'));
  } catch (error) {
    if (!isRowFault(error)) throw error;
    const [only] = rows;
    if (rows.length === 1 && only !== undefined) {
      answers[only] = 'dropped';
      return;
    }
    const middle = rows.length >> 1;
    await storeOrSplit(pool, results, rows.slice(0, middle), answers, expectations);
    await storeOrSplit(pool, results, rows.slice(middle), answers, expectations);
  }
}

function isRowFault(error: unknown): boolean {
  return error instanceof pg.DatabaseError && !isMissingSpan(error) && /^(22|23)/.test(error.code ?? '');
}

/**
 * Stores results that are sorted by their keys, each key once; their answers. First as if nothing of them were there,
 * neither results nor points, which is nearly always so and costs half; where something is, all is undone and done again
 * with care.
 */
async function storeBatch(pool: pg.Pool, results: ResultBlock, expectations: Expectations): Promise<RowAnswer[]> {
  try {
    return await storeInTransaction(pool, results, expectations, true);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '23505') throw error;
  }
  return storeInTransaction(pool, results, expectations, false);
}

async function storeInTransaction(
  pool: pg.Pool,
  results: ResultBlock,
  expectations: Expectations,
  mayCopy: boolean,
): Promise<RowAnswer[]> {
  const engine = await engineOf(pool);
  return inTransaction(pool, async (client) => {
    // A transaction that has its number before it looks for the monitor is one that a purge waits for.
    await client.query('select pg_current_xact_id()');
    await engine.favourLookups(client);
    const answers = new Array<RowAnswer>(results.length).fill('dropped');
    const { now, gone } = await lookAround(client, results);
    const areNew = mayCopy && areSurelyPlain(results, now);
    if (!areNew) await engine.allowBulkChange(client);
    const rows = results.rows();
    const kept = gone.size === 0 ? rows : rows.filter((row) => !gone.has(results.number(row, FIELD.monitorId)));
    if (kept.length === 0) return answers;
    const alive = gone.size === 0 ? results : results.pick(kept);
    const stored = areNew ? await copyIntoTable(client, alive) : await mergeIntoTable(client, alive);
    expectations.note(alive);
    await consolidateRows(client, alive, stored, expectations, areNew);
    for (const row of kept) answers[row] = 'duplicate';
    for (const row of stored) answers[kept[row] ?? 0] = 'stored';
    return answers;
  });
}

/** The clock, and the monitors that are gone: asked of the few that were deleted, not of the many that are there. */
async function lookAround(client: pg.PoolClient, results: ResultBlock): Promise<{ now: number; gone: Set<number> }> {
  const ids = new Set(results.column(FIELD.monitorId));
  const { rows } = await client.query<{ now: number; gone: number[] }>(
    `select extract(epoch from service_now())::float8 as now,
       array(select monitor_id from purges where monitor_id = any($1::int[])) as gone`,
    [int4Array([...ids])],
  );
  const { now = NaN, gone = [] } = rows[0] ?? {};
  return { now, gone: new Set(gone) };
}

function areSurelyPlain(results: ResultBlock, now: number): boolean {
  const edge = now - SURELY_PLAIN_SECONDS;
  return results.rows().every((row) => results.minute(row) > edge);
}

const COPY = `copy check_results (${RESULT_COLUMNS.join(', ')}) from stdin (format binary)`;

/** The fast way in, for results of which none is there. Returns all; throws 23505 where one is. */
async function copyIntoTable(client: pg.PoolClient, results: ResultBlock): Promise<number[]> {
  const stream = client.query(copyFrom(COPY));
  // One that was given up fails once more when its connection is closed, and then nobody waits for it.
  stream.on('error', () => undefined);
  stream.end(encodeResults(results));
  await once(stream, 'finish');
  return results.rows();
}

const KEY: readonly string[] = ['monitor_id', 'minute', 'region_id'];
const SAME_KEY = `r.monitor_id = i.monitor_id and r.minute = i.minute and r.region_id = i.region_id`;
/** Status codes run UNKNOWN 1, UP 2, DEGRADED 3, DOWN 4; the order is UP, DEGRADED, DOWN, UNKNOWN. */
const rankOf = (alias: string): string => `((${alias}.status + 2) % 4, ${alias}.agent_id, -${alias}.revision,
  coalesce(${alias}.latency_us, -1), ${alias}.origin, ${alias}.cause, coalesce(${alias}.error, '') collate "C")`;
/** `compareResults` of core/result.ts in SQL. */
const isBetter = (alias: string): string => `${rankOf(alias)} < ${rankOf('r')}`;
const LOW = `to_timestamp($${RESULT_COLUMNS.length + 1})`;
const HIGH = `to_timestamp($${RESULT_COLUMNS.length + 2})`;

const INSERT_NEW = `
  insert into check_results (${RESULT_COLUMNS.join(', ')})
  select ${RESULT_COLUMNS.join(', ')} from ${UNNEST_RESULTS} as i order by monitor_id, minute, region_id
  on conflict (monitor_id, minute, region_id) do nothing
  returning monitor_id, extract(epoch from minute)::int8 as minute, region_id`;
const FIND_BETTER = `
  select i.monitor_id, extract(epoch from i.minute)::int8 as minute, i.region_id
  from ${UNNEST_RESULTS} as i cross join lateral (
    select * from check_results r where ${SAME_KEY} and r.minute >= ${LOW} and r.minute < ${HIGH} limit 1
  ) as r
  where ${isBetter('i')}`;
/**
 * Not an UPDATE: where another transaction has just changed the row, TimescaleDB 2.28 forgets an UPDATE that waited for
 * it, without an error, where PostgreSQL looks at the row again.
 */
const REPLACE_WORSE = `
  insert into check_results as r (${RESULT_COLUMNS.join(', ')})
  select ${RESULT_COLUMNS.join(', ')} from ${UNNEST_RESULTS} as i order by monitor_id, minute, region_id
  on conflict (monitor_id, minute, region_id) do update
  set ${RESULT_COLUMNS.filter((name) => !KEY.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}
  where ${isBetter('excluded')}`;

interface Key {
  monitor_id: number;
  minute: number;
  region_id: number;
}

/**
 * The way in for results that meet rows already there: what is new is inserted, and only those keys are updated that the
 * merge really changes, since a write that changes nothing still bloats, compressed segments above all. Returns which
 * are now what the table holds and were not before.
 */
async function mergeIntoTable(client: pg.PoolClient, results: ResultBlock): Promise<number[]> {
  const rowOf = new Map(results.rows().map((row) => [keyOf(results, row), row]));
  const rowsOf = (keys: readonly Key[]): number[] =>
    keys.flatMap((key) => rowOf.get(keyText(key.monitor_id, key.minute, key.region_id)) ?? []);
  const inserted = await client.query<Key>(INSERT_NEW, resultArrays(results));
  const isNew = new Set(rowsOf(inserted.rows));
  const rest = results.pick(results.rows().filter((row) => !isNew.has(row)));
  if (rest.length === 0) return [...isNew];
  const found = await client.query<Key>(FIND_BETTER, [...resultArrays(rest), ...boundsOf(rest)]);
  const better = rowsOf(found.rows);
  if (better.length > 0) await client.query(REPLACE_WORSE, resultArrays(results.pick(better)));
  return [...isNew, ...better].sort((a, b) => a - b);
}

function keyOf(results: ResultBlock, row: number): string {
  return keyText(results.number(row, FIELD.monitorId), results.minute(row), results.number(row, FIELD.regionId));
}

function keyText(monitorId: number, minute: number, regionId: number): string {
  return `${monitorId} ${minute} ${regionId}`;
}

function boundsOf(results: ResultBlock): [number, number] {
  const minutes = minutesOf(results);
  return [Math.min(...minutes), Math.max(...minutes) + MINUTE_SECONDS];
}

/**
 * The results at `rows`, ascending, were written. Results are sorted, so that those of one pair stand together. A pair for
 * which the caller awaits more is left alone unless its minute was swept: the sweep takes the lock that is held here, so
 * it will see what was written.
 */
async function consolidateRows(
  client: pg.PoolClient,
  results: ResultBlock,
  rows: readonly number[],
  expectations: Expectations,
  areNew: boolean,
): Promise<void> {
  if (rows.length === 0) return;
  await lockMinutes(client, new Set(rows.map((row) => results.minute(row))));
  const { sweptTo, youngFrom } = await readEdges(client);
  const monitorIds: number[] = [];
  const minutes: Minute[] = [];
  for (const row of rows) {
    const monitorId = results.number(row, FIELD.monitorId);
    const minute = results.minute(row);
    if (monitorId === monitorIds.at(-1) && minute === minutes.at(-1)) continue;
    if (minute >= sweptTo && expectations.awaits(monitorId, minute)) continue;
    monitorIds.push(monitorId);
    minutes.push(minute);
  }
  if (monitorIds.length === 0) return;
  const areYoung = minutes.every((minute) => minute >= youngFrom);
  await consolidatePairs(client, monitorIds, minutes, areNew && areYoung);
}
