import type { Queryable } from './client.ts';
import { MINIMUM_TIMESCALE, isRecentTimescale } from './engine.ts';

/** A read of a year touches fourteen chunks or partitions and their indexes, and twenty may run at once. */
const MIN_LOCKS = 64;
const MIN_LOCK_TABLE = 6400;

/**
 * What makes this database server unfit, one line each with what to do; empty where it is fit: PostgreSQL 15 or newer,
 * TimescaleDB (where it is used) 2.20 or newer, and a lock table that holds what history reads take.
 */
export async function findServerProblems(db: Queryable): Promise<string[]> {
  const { rows } = await db.query<Facts>(FACTS);
  const [facts] = rows;
  if (!facts) return ['the server does not say what it is'];
  const problems: string[] = [];
  if (facts.version < 150_000) problems.push(`PostgreSQL 15 or newer is needed, this is ${facts.shown}`);
  if (facts.timescale !== null && !isRecentTimescale(facts.timescale)) {
    problems.push(
      `TimescaleDB ${MINIMUM_TIMESCALE} or newer is needed, this is ${facts.timescale}: update the extension`,
    );
  }
  if (facts.locks < MIN_LOCKS || facts.locks * facts.connections < MIN_LOCK_TABLE) {
    problems.push(
      `the lock table is too small (max_locks_per_transaction ${facts.locks}, max_connections ${facts.connections}): set max_locks_per_transaction to 256`,
    );
  }
  return problems;
}

interface Facts {
  version: number;
  shown: string;
  timescale: string | null;
  locks: number;
  connections: number;
}

const FACTS = `
  select current_setting('server_version_num')::int as version, current_setting('server_version') as shown,
    (select extversion from pg_extension where extname = 'timescaledb') as timescale,
    current_setting('max_locks_per_transaction')::int as locks, current_setting('max_connections')::int as connections`;
