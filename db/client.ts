import pg from 'pg';

/** What a plain query function takes first: a pool, or the connection of a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'> | Pick<pg.Pool, 'query'>;

/** What a function takes that needs a transaction: a pool, or the connection of one that is open and is then joined. */
export type Database = pg.Pool | pg.PoolClient;

// bigint and numeric columns hold counts and unix seconds far below 2^53; strings would only be parsed again.
const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, Number);
types.setTypeParser(pg.types.builtins.NUMERIC, Number);

export interface PoolOptions {
  url: string;
  /** Shown in pg_stat_activity. */
  name: string;
  max: number;
  /** Milliseconds after which a statement is ended; 0: never. */
  statementTimeoutMs: number;
  /**
   * Milliseconds after which a connection that answers nothing counts as broken, for pools whose users wait. A COPY
   * would be ended by it too. Without: never.
   */
  answerTimeoutMs?: number;
}

/** Opens a pool. Sessions run in UTC and without JIT, which only costs here. The opener ends it. */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.max,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.answerTimeoutMs,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    options: '-c timezone=UTC -c jit=off',
    types,
  });
  // An idle connection that breaks is replaced at the next query; without a listener it would end the process.
  pool.on('error', () => undefined);
  // So would one that breaks between two statements of a transaction; the next statement rejects.
  pool.on('connect', (client) => void client.on('error', () => undefined));
  return pool;
}

/**
 * Runs `work` in one READ COMMITTED transaction: commits what it returns, rolls back what it throws. Inside an open
 * transaction it becomes a part of that: whoever opened it commits, and must roll back what throws here.
 */
export async function inTransaction<T>(db: Database, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  if (!(db instanceof pg.Pool)) return work(db);
  const client = await db.connect();
  let broken: Error | undefined;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch((failure: Error) => {
      broken = failure;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/** Runs `work`, which only reads, in a transaction in which nothing changes meanwhile. */
export function inSnapshot<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return work(client);
  });
}

/** Runs `work` in a transaction that is undone whatever becomes of it: what it returns is what would be. */
export async function inDraft<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const draft: { made?: { result: T } } = {};
  const undone = new Error('a draft is undone');
  try {
    return await inTransaction(pool, async (client) => {
      await client.query('set transaction isolation level repeatable read');
      draft.made = { result: await work(client) };
      throw undone;
    });
  } catch (error) {
    if (error !== undone || !draft.made) throw error;
    return draft.made.result;
  }
}

/** True where a statement gave up waiting for a lock (`lock_timeout`): somebody holds it for a while. */
export function isHeld(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/**
 * True where the same may succeed a little later: the database is away or going away (SQLSTATE classes 08, 40, 53, 57,
 * or no connection), or something is held.
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|40|53|57|55P03)/.test(code)) return true;
  if (/^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|ENOENT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN)$/.test(code))
    return true;
  return /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error/i.test(
    error.message,
  );
}

/** The constraint a statement broke (SQLSTATE class 23), or null where the error is another. */
export function brokenConstraint(error: unknown): string | null {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? (error.constraint ?? '') : null;
}
