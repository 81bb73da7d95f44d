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
  /** Milliseconds after which a connection that answers nothing counts as broken, COPY included. Without: never. */
  answerTimeoutMs?: number;
  /** Milliseconds after which the server ends a session that says nothing within a transaction, and its locks. */
  idleInTransactionMs?: number;
}

/** How long a transaction may wait for its program: longer than the slowest one waits for NATS, whole regions included. */
const IDLE_IN_TRANSACTION_MS = 60_000;

/**
 * Sessions run in UTC and without JIT, which only costs here. What a session holds is free half a minute after its host
 * has vanished: by its own the kernel looks for a silent peer after two hours. On a Unix socket that is never needed, and
 * PostgreSQL passes over it.
 */
export const SESSION_OPTIONS = [
  'timezone=UTC',
  'jit=off',
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=4',
  'tcp_user_timeout=30000',
]
  .map((setting) => `-c ${setting}`)
  .join(' ');

/** After so much silence this side looks whether the other is there. */
export const KEEP_ALIVE_MS = 10_000;

/** Opens a pool. The opener ends it. */
export function openPool(options: PoolOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.name,
    max: options.max,
    statement_timeout: options.statementTimeoutMs,
    query_timeout: options.answerTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionMs ?? IDLE_IN_TRANSACTION_MS,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    options: SESSION_OPTIONS,
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
    // What answers nothing is not asked to roll back: without its connection the server does.
    if (isSilence(error)) broken = error;
    else
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

/** True where the database did not answer within `answerTimeoutMs`. */
function isSilence(error: unknown): error is Error {
  return error instanceof Error && error.message === 'Query read timeout';
}

/**
 * True where the same may succeed a little later: the database is away or going away (SQLSTATE classes 08, 40, 53, 57,
 * or no connection), something is held, or the server ended a transaction that had fallen silent (25P03).
 */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (/^(08|40|53|57|55P03|25P03)/.test(code)) return true;
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
