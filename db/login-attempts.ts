import { createHash } from 'node:crypto';
import type { Queryable } from './client.ts';

/** Attempts to sign in, counted in the database: for every copy of the API together, and over restarts. */

const WINDOW = '15 minutes';
/** Expired counters that are removed with each attempt: more than it adds. */
const SWEEP = 10;

/** What attempts are counted by: a text that names it, and how many it may fail in a quarter of an hour. */
export interface Countable {
  subject: string;
  limit: number;
}

/**
 * Counts one attempt against each subject, in one statement. Returns the seconds to wait where any has had its attempts
 * already, else 0. What must wait is not counted.
 */
export async function countAttempt(db: Queryable, countables: readonly Countable[]): Promise<number> {
  await db.query(
    `delete from login_attempts where subject in (
       select subject from login_attempts where window_ends_at <= service_now() limit ${SWEEP} for update skip locked)`,
  );
  const limits = new Map(countables.map(({ subject, limit }) => [hashOf(subject).toString('hex'), limit]));
  const subjects = [...limits.keys()].sort();
  const { rows } = await db.query<{ subject: string; attempts: number; wait_s: number }>(
    `insert into login_attempts as known (subject, attempts, window_ends_at)
     select decode(subject, 'hex'), 1, service_now() + interval '${WINDOW}' from unnest($1::text[]) as subject
     on conflict (subject) do update set
       attempts = case when known.window_ends_at <= service_now() then 1 else known.attempts + 1 end,
       window_ends_at = case when known.window_ends_at <= service_now() then excluded.window_ends_at
         else known.window_ends_at end
     returning encode(subject, 'hex') as subject, attempts,
       ceil(extract(epoch from window_ends_at - service_now()))::integer as wait_s`,
    [subjects],
  );
  const over = rows.filter(({ subject, attempts }) => attempts > (limits.get(subject) ?? 0));
  if (over.length === 0) return 0;
  await forgetAttempt(db, countables);
  return Math.max(1, ...over.map(({ wait_s }) => wait_s));
}

/** Takes back what `countAttempt` counted: the attempt was no failure. */
export async function forgetAttempt(db: Queryable, countables: readonly Countable[]): Promise<void> {
  const subjects = countables.map(({ subject }) => hashOf(subject));
  // In one order, as they are counted, so that two who do it at once do not wait for each other.
  await db.query(
    `with mine as (select subject from login_attempts where subject = any($1) order by subject for update)
     update login_attempts set attempts = greatest(attempts - 1, 0) where subject in (select subject from mine)`,
    [subjects],
  );
}

/** Addresses of people are not kept here. */
function hashOf(subject: string): Buffer {
  return createHash('sha256').update(subject).digest();
}
