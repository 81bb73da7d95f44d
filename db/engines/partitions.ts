import type pg from 'pg';
import { inTransaction } from '../client.ts';
import { SPAN_SECONDS, type Engine, type TimeRelation } from './engine.ts';

/** Whoever makes or removes partitions holds this for a moment, so that two do not make the same one. */
const PARTITION_LOCK = 7_261_002;
/** Housekeeping waits this long for readers and then lets go: a lock that is waited for stops those behind it. */
const LOCK_TIMEOUT = '2s';

/** Plain PostgreSQL: range partitions. Nothing is compressed. */
export const partitions: Engine = {
  name: 'partitions',
  async createSpans(pool, relation, starts) {
    for (const start of starts) await inTransaction(pool, (client) => createPartition(client, relation, start));
  },
  async dropBefore(pool, relation, edge) {
    await finishDetaching(pool, relation);
    const ended = (await attached(pool, relation)).filter((span) => span.to <= edge);
    for (const { table } of ended) await detach(pool, `detach partition ${table} concurrently`, relation);
    return dropDetached(pool, relation);
  },
  compressBefore: async () => 0,
  favourLookups: async () => undefined,
  allowBulkChange: async () => undefined,
  async purgeSlices(pool, relation) {
    return (await attached(pool, relation)).map(({ from, to }) => ({ from, to }));
  },
};

interface Partition {
  table: string;
  from: number;
  to: number;
}

function nameOf(relation: TimeRelation, start: number): string {
  return `${relation}_p${new Date(start * 1000).toISOString().slice(0, 10).replaceAll('-', '')}`;
}

/**
 * CREATE LIKE, then ATTACH: CREATE TABLE ... PARTITION OF would wait for every open reader of the relation, and every
 * insert would wait behind it.
 */
async function createPartition(client: pg.PoolClient, relation: TimeRelation, start: number): Promise<void> {
  const table = nameOf(relation, start);
  const bounds = [start, start + SPAN_SECONDS[relation]].map((at) => `'${new Date(at * 1000).toISOString()}'`);
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
  // A query of the catalogue: to_regclass may answer from before the lock was waited for.
  const existing = await client.query('select from pg_class where relname = $1 and pg_table_is_visible(oid)', [table]);
  if (existing.rowCount !== 0) return;
  await client.query(`create table ${table} (like ${relation} including all)`);
  // Append-only tables are visited by autovacuum too seldom for index-only reads of the newest rows.
  await client.query(`alter table ${table} set (autovacuum_vacuum_insert_scale_factor = 0.02)`);
  await client.query(
    `alter table ${relation} attach partition ${table} for values from (${bounds[0]}) to (${bounds[1]})`,
  );
}

const ATTACHED = `
  select c.relname as table, i.inhdetachpending as pending
  from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = $1::regclass order by 1`;

/** The partitions that hold rows, oldest first. Their bounds follow from their names. */
async function attached(pool: pg.Pool, relation: TimeRelation): Promise<Partition[]> {
  const { rows } = await pool.query<{ table: string }>(ATTACHED, [relation]);
  return rows.map(({ table }) => {
    const [, year, month, day] = /(\d{4})(\d\d)(\d\d)$/.exec(table) ?? [];
    const from = Date.UTC(Number(year), Number(month) - 1, Number(day)) / 1000;
    return { table, from, to: from + SPAN_SECONDS[relation] };
  });
}

/** A detachment that was cut short must be finished before another can begin. */
async function finishDetaching(pool: pg.Pool, relation: TimeRelation): Promise<void> {
  const { rows } = await pool.query<{ table: string; pending: boolean }>(ATTACHED, [relation]);
  for (const { table, pending } of rows)
    if (pending) await detach(pool, `detach partition ${table} finalize`, relation);
}

/** DETACH ... CONCURRENTLY may not run inside a transaction, so its lock_timeout is the session's for a moment. */
async function detach(pool: pg.Pool, change: string, relation: TimeRelation): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    await client.query(`alter table ${relation} ${change}`);
  } finally {
    client.release(
      await client.query('reset lock_timeout').then(
        () => undefined,
        () => true,
      ),
    );
  }
}

/** Drops what is a partition by its name and no longer one by its parent. */
async function dropDetached(pool: pg.Pool, relation: TimeRelation): Promise<number> {
  const { rows } = await pool.query<{ table: string }>(
    `select c.relname as table from pg_class c
     where c.relkind = 'r' and c.relnamespace = (select relnamespace from pg_class where oid = $1::regclass)
       and c.relname ~ ('^' || $1 || '_p\\d{8}$') and not exists (select from pg_inherits i where i.inhrelid = c.oid)`,
    [relation],
  );
  for (const { table } of rows) {
    await inTransaction(pool, async (client) => {
      await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
      await client.query('select pg_advisory_xact_lock($1)', [PARTITION_LOCK]);
      await client.query(`drop table if exists ${table}`);
    });
  }
  return rows.length;
}
