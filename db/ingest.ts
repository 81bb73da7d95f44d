import { once } from 'node:events';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import type { Minute } from '../core/minute.ts';
import { compareResults, type RegionalResult, type RowAnswer } from '../core/result.ts';
import { inTransaction } from './client.ts';
import { consolidatePairs, readSweptTo } from './consolidate.ts';
import { engineOf } from './engine.ts';
import { DAY_SECONDS } from './engines/engine.ts';
import { lockMinutes } from './locks.ts';
import { encodeResults, RESULT_COLUMNS, resultArrays, UNNEST_RESULTS } from './result-columns.ts';
import { isMissingSpan, withRoom } from './room.ts';

/** Rows older than this may lie in compressed chunks, where an optimistic copy costs too much. */
const SURELY_PLAIN_SECONDS = 4 * DAY_SECONDS;

/** What a caller expects to bring later. */
export interface Expectations {
  /** These rows are written, and not committed yet. Called before `awaits` is asked about any of them. */
  note(rows: readonly RegionalResult[]): void;
  /** True where the caller still awaits an answer for the pair and will come again with it. */
  awaits(monitorId: number, minute: Minute): boolean;
}

const NO_EXPECTATIONS: Expectations = { note: () => undefined, awaits: () => false };

/** A row and its place in what the caller gave. */
interface Placed {
  row: RegionalResult;
  index: number;
}

/**
 * Stores a batch in one transaction and consolidates what is ripe. Returns one answer for each row, in the order
 * given: `stored` (new, or better than what stood there), `duplicate` (what stands there is as good), `dropped` (its
 * monitor is gone, its minute outside what is kept, or the database refuses this very row). Throws, with nothing
 * stored, where the database is away (`isTransient`). Sorting and deduplicating is done here. A pair of which
 * more is expected is consolidated with that, or by the sweep.
 */
export async function ingestResults(
  pool: pg.Pool,
  rows: readonly RegionalResult[],
  expectations: Expectations = NO_EXPECTATIONS,
): Promise<RowAnswer[]> {
  const placed = distinct(rows);
  const minutes = [...new Set(placed.map(({ row }) => row.minute))];
  return withRoom(pool, ['check_results', 'data_points'], minutes, async (isClosed) => {
    const answers = new Array<RowAnswer>(rows.length).fill('duplicate');
    const open = placed.filter(({ row, index }) => {
      if (!isClosed(row.minute)) return true;
      answers[index] = 'dropped';
      return false;
    });
    await storeOrSplit(pool, open, answers, expectations);
    return answers;
  });
}

/** Sorted by key; of several rows with one key the one that merging keeps. */
function distinct(rows: readonly RegionalResult[]): Placed[] {
  const placed = rows.map((row, index) => ({ row, index }));
  if (placed.every(({ row }, at) => at === 0 || isAscending(placed[at - 1], row))) return placed;
  placed.sort((a, b) => compareKeys(a.row, b.row) || compareResults(a.row, b.row));
  return placed.filter(({ row }, at) => {
    const before = placed[at - 1];
    return before === undefined || compareKeys(before.row, row) !== 0;
  });
}

function isAscending(before: Placed | undefined, row: RegionalResult): boolean {
  return before !== undefined && compareKeys(before.row, row) < 0;
}

function compareKeys(a: RegionalResult, b: RegionalResult): number {
  return a.monitorId - b.monitorId || a.minute - b.minute || a.regionId - b.regionId;
}

/** A row that the database refuses must not hold up the others: the batch is halved until it stands alone. */
async function storeOrSplit(
  pool: pg.Pool,
  placed: readonly Placed[],
  answers: RowAnswer[],
  expectations: Expectations,
): Promise<void> {
  if (placed.length === 0) return;
  try {
    const given = await storeBatch(
      pool,
      placed.map(({ row }) => row),
      expectations,
    );
    placed.forEach(({ index }, at) => (answers[index] = given[at] ?? 'duplicate'));
  } catch (error) {
    if (!isRowFault(error)) throw error;
    const [only] = placed;
    if (placed.length === 1 && only) {
      answers[only.index] = 'dropped';
      return;
    }
    const middle = placed.length >> 1;
    await storeOrSplit(pool, placed.slice(0, middle), answers, expectations);
    await storeOrSplit(pool, placed.slice(middle), answers, expectations);
  }
}

function isRowFault(error: unknown): boolean {
  if (isMissingSpan(error)) return false;
  return error instanceof RangeError || (error instanceof pg.DatabaseError && /^(22|23)/.test(error.code ?? ''));
}

async function storeBatch(
  pool: pg.Pool,
  rows: readonly RegionalResult[],
  expectations: Expectations,
): Promise<RowAnswer[]> {
  const engine = await engineOf(pool);
  return inTransaction(pool, async (client) => {
    // A transaction that has its number before it looks for the monitor is one that a purge waits for.
    await client.query('select pg_current_xact_id()');
    await engine.favourLookups(client);
    if (!areSurelyPlain(rows)) await engine.allowBulkChange(client);
    const gone = await deletedMonitors(client, rows);
    const kept = gone.size === 0 ? rows : rows.filter((row) => !gone.has(row.monitorId));
    const stored = kept.length === 0 ? new Set<RegionalResult>() : await writeResults(client, kept);
    expectations.note(kept);
    const changed = kept.filter((row) => stored.has(row));
    if (changed.length > 0) await consolidateRows(client, changed, expectations);
    return rows.map((row) => (gone.has(row.monitorId) ? 'dropped' : stored.has(row) ? 'stored' : 'duplicate'));
  });
}

/** Asked of the few that were deleted, not of the many that are there. */
async function deletedMonitors(client: pg.PoolClient, rows: readonly RegionalResult[]): Promise<Set<number>> {
  const ids = [...new Set(rows.map((row) => row.monitorId))];
  const { rows: gone } = await client.query<{ id: number }>(
    'select monitor_id as id from purges where monitor_id = any($1::int[])',
    [ids],
  );
  return new Set(gone.map(({ id }) => id));
}

/** Which rows are now what the table holds and were not before. */
async function writeResults(client: pg.PoolClient, rows: readonly RegionalResult[]): Promise<Set<RegionalResult>> {
  if (areSurelyPlain(rows) && (await copyResults(client, rows))) return new Set(rows);
  return mergeIntoTable(client, rows);
}

function areSurelyPlain(rows: readonly RegionalResult[]): boolean {
  const edge = Date.now() / 1000 - SURELY_PLAIN_SECONDS;
  return rows.every((row) => row.minute > edge);
}

const COPY = `copy check_results (${RESULT_COLUMNS.map(({ name }) => name).join(', ')}) from stdin (format binary)`;

/** The fast way in, for a batch that meets nothing of its own: false, and nothing is written, where it does. */
async function copyResults(client: pg.PoolClient, rows: readonly RegionalResult[]): Promise<boolean> {
  const data = encodeResults(rows);
  await client.query('savepoint copied');
  try {
    const stream = client.query(copyFrom(COPY));
    stream.end(data);
    await once(stream, 'finish');
    await client.query('release savepoint copied');
    return true;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.code !== '23505') throw error;
    await client.query('rollback to savepoint copied');
    return false;
  }
}

const NAMES = RESULT_COLUMNS.map(({ name }) => name);
const KEY: readonly string[] = ['monitor_id', 'minute', 'region_id'];
const SAME_KEY = `r.monitor_id = i.monitor_id and r.minute = i.minute and r.region_id = i.region_id`;
/** Status codes run UNKNOWN 1, UP 2, DEGRADED 3, DOWN 4; the order is UP, DEGRADED, DOWN, UNKNOWN. */
const rankOf = (alias: string): string => `((${alias}.status + 2) % 4, ${alias}.agent_id, -${alias}.revision,
  coalesce(${alias}.latency_us, -1), ${alias}.origin, ${alias}.cause, coalesce(${alias}.error, '') collate "C")`;
/** `compareResults` of core/result.ts in SQL. */
const isBetter = (alias: string): string => `${rankOf(alias)} < ${rankOf('r')}`;
const LOW = `to_timestamp($${NAMES.length + 1})`;
const HIGH = `to_timestamp($${NAMES.length + 2})`;

const INSERT_NEW = `
  insert into check_results (${NAMES.join(', ')})
  select ${NAMES.join(', ')} from ${UNNEST_RESULTS} as i order by monitor_id, minute, region_id
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
  insert into check_results as r (${NAMES.join(', ')})
  select ${NAMES.join(', ')} from ${UNNEST_RESULTS} as i order by monitor_id, minute, region_id
  on conflict (monitor_id, minute, region_id) do update
  set ${NAMES.filter((name) => !KEY.includes(name))
    .map((name) => `${name} = excluded.${name}`)
    .join(', ')}
  where ${isBetter('excluded')}`;

interface Key {
  monitor_id: number;
  minute: number;
  region_id: number;
}

/**
 * The way in for a batch that meets rows already there: what is new is inserted, and only those keys are updated that
 * the merge really changes, since a write that changes nothing still bloats, compressed segments above all.
 */
async function mergeIntoTable(client: pg.PoolClient, rows: readonly RegionalResult[]): Promise<Set<RegionalResult>> {
  const byKey = new Map(rows.map((row) => [keyText(row.monitorId, row.minute, row.regionId), row]));
  const pick = (keys: readonly Key[]): RegionalResult[] =>
    keys.flatMap((key) => byKey.get(keyText(key.monitor_id, key.minute, key.region_id)) ?? []);
  const inserted = await client.query<Key>(INSERT_NEW, resultArrays(rows));
  const stored = new Set(pick(inserted.rows));
  const rest = rows.filter((row) => !stored.has(row));
  if (rest.length === 0) return stored;
  const found = await client.query<Key>(FIND_BETTER, [...resultArrays(rest), ...boundsOf(rest)]);
  const better = pick(found.rows);
  if (better.length > 0) await client.query(REPLACE_WORSE, resultArrays(better));
  for (const row of better) stored.add(row);
  return stored;
}

function keyText(monitorId: number, minute: number, regionId: number): string {
  return `${monitorId} ${minute} ${regionId}`;
}

function boundsOf(rows: readonly RegionalResult[]): [number, number] {
  const minutes = rows.map((row) => row.minute);
  const low = minutes.reduce((a, b) => Math.min(a, b), Infinity);
  const high = minutes.reduce((a, b) => Math.max(a, b), -Infinity);
  return [low, high + 60];
}

/**
 * `rows` are sorted, so that those of one pair stand together. A pair for which the caller awaits more is left alone
 * unless its minute was swept: the sweep takes the lock that is held here, so it will see what was written.
 */
async function consolidateRows(
  client: pg.PoolClient,
  rows: readonly RegionalResult[],
  expectations: Expectations,
): Promise<void> {
  const pairs = rows.filter((row, at) => {
    const before = rows[at - 1];
    return before?.monitorId !== row.monitorId || before.minute !== row.minute;
  });
  await lockMinutes(
    client,
    pairs.map(({ minute }) => minute),
  );
  const sweptTo = await readSweptTo(client);
  const due = pairs.filter(({ monitorId, minute }) => minute < sweptTo || !expectations.awaits(monitorId, minute));
  if (due.length === 0) return;
  const monitorIds = due.map(({ monitorId }) => monitorId);
  const minutes = due.map(({ minute }) => minute);
  await consolidatePairs(client, monitorIds, minutes, false);
}
