import type pg from 'pg';
import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';

/** Transaction-level advisory locks. Their numbers mean nothing, but every program must take the same ones. */
const MINUTE_LOCK = 7_261_003;
const ROLLED_LOCK = 7_261_004;
const ROLLER_LOCK = 7_261_005;
const MAINTENANCE_LOCK = 7_261_006;
const BOOKS_LOCK = 7_261_011;
const NATS_ACCOUNTS_LOCK = 7_261_012;
/** Minutes further apart share a lock. */
export const MINUTE_LOCKS = 1024;

/**
 * Taken after results are written and before it is decided which minutes are ripe: of two transactions with results
 * for one minute the second sees what the first wrote, so that no point misses a vote. Ascending, so that two never
 * wait for each other. With them comes the shared form of the lock that `rolled_to` advances under: until this
 * transaction ends, an hour it finds beyond `rolled_to` stays there.
 */
export async function lockMinutes(client: pg.PoolClient, minutes: Iterable<Minute>): Promise<void> {
  const slots = new Set<number>();
  for (const minute of minutes) slots.add((minute / MINUTE_SECONDS) % MINUTE_LOCKS);
  await client.query(
    `select pg_advisory_xact_lock($1::int, slot) from unnest($2::int[]) as slot
     union all select pg_advisory_xact_lock_shared($3::bigint)`,
    [MINUTE_LOCK, [...slots].sort((a, b) => a - b), ROLLED_LOCK],
  );
}

/** For a writer of points that decides nothing by results: only what keeps `rolled_to` where it is. */
export async function lockRolledTo(client: pg.PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock_shared($1::bigint)', [ROLLED_LOCK]);
}

/** For the one that advances `rolled_to`: waits until no writer of points is under way. */
export async function lockRolledToAlone(client: pg.PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1::bigint)', [ROLLED_LOCK]);
}

/** One roller at a time. */
export async function lockRoller(client: pg.PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1::bigint)', [ROLLER_LOCK]);
}

/** One at a time moves maintenance events on by the clock; false where another does. */
export function lockMaintenances(client: pg.PoolClient): Promise<boolean> {
  return tryLock(client, MAINTENANCE_LOCK);
}

/** One at a time keeps the books of minutes; false where another does. */
export function lockBooks(client: pg.PoolClient): Promise<boolean> {
  return tryLock(client, BOOKS_LOCK);
}

async function tryLock(client: pg.PoolClient, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ held: boolean }>('select pg_try_advisory_xact_lock($1::bigint) as held', [
    lock,
  ]);
  return rows[0]?.held === true;
}

/** Held while NATS is told what its accounts are to say, so that nothing older is told after something newer. */
export async function lockNatsAccounts(client: pg.PoolClient): Promise<void> {
  await client.query('select pg_advisory_xact_lock($1::bigint)', [NATS_ACCOUNTS_LOCK]);
}
