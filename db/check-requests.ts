import type { ProbeConfig } from '../core/type-data.ts';
import type { Queryable } from './client.ts';

/** Runs on demand, from the api that asks to the collector that answers. */

/** Unanswered requests at a time, whoever asks: agents have their minutes to measure. */
const MAX_OPEN = 64;
/** Rows outlive their end by this long, for those who still read them. */
const KEEP = '1 minute';

/** Why a request was not answered with a report. */
export const CHECK_FAILURES = [
  'busy', // the agents that could run it run too many already
  'gone', // the agent's stream ended before it answered
  'late', // the agent did not answer in time
  'unsupported', // the agent has no such probe
  'failed', // the check itself broke, or its report could not be read
] as const;
export type CheckFailure = (typeof CHECK_FAILURES)[number];

/** Asks for a run, in one region or (null) in any. Returns its id; null where too many are open. */
export async function insertCheckRequest(
  db: Queryable,
  probe: ProbeConfig,
  regionId: number | null,
  lifetimeMs: number,
): Promise<number | null> {
  const { rows } = await db.query<{ id: number }>(
    `insert into check_requests (definition, region_id, expires_at)
     select $1, $2, service_now() + $3 * interval '1 millisecond'
     where (select count(*) from check_requests where answered_at is null and expires_at > service_now()) < ${MAX_OPEN}
     returning id`,
    [JSON.stringify(probe), regionId, lifetimeMs],
  );
  return rows[0]?.id ?? null;
}

/** How a request stands. */
export type CheckState =
  | { state: 'open' }
  | { state: 'claimed'; agent: string; region: string }
  | { state: 'answered'; agent: string; region: string; report: string | null; failure: string | null };

/** How a request stands; undefined where it is gone. */
export async function readCheckRequest(db: Queryable, id: number): Promise<CheckState | undefined> {
  const { rows } = await db.query<{
    claimed: boolean;
    answered: boolean;
    agent: string | null;
    region: string | null;
    report: string | null;
    failure: string | null;
  }>(
    `select claimed_at is not null as claimed, answered_at is not null as answered, agents.name as agent,
       regions.name as region, report, failure
     from check_requests c left join agents on agents.id = c.agent_id left join regions on regions.id = agents.region_id
     where c.id = $1`,
    [id],
  );
  const [row] = rows;
  if (row === undefined) return undefined;
  const { claimed, answered, report, failure } = row;
  if (!claimed) return { state: 'open' };
  const by = { agent: row.agent ?? '', region: row.region ?? '' };
  return answered ? { state: 'answered', ...by, report, failure } : { state: 'claimed', ...by };
}

/** Takes a request back that nobody has claimed. False where somebody has. */
export async function withdrawCheckRequest(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from check_requests where id = $1 and claimed_at is null', [id]);
  return rowCount === 1;
}

/** Removes a request that nobody waits for any more. */
export async function deleteCheckRequest(db: Queryable, id: number): Promise<void> {
  await db.query('delete from check_requests where id = $1', [id]);
}

/** A request that waits for a collector. */
export interface OpenCheck {
  id: number;
  kind: string;
  /** JSON of the probe. */
  definition: string;
  /** Null: any. */
  regionId: number | null;
}

/** The requests that nobody has claimed, oldest first; of one id, or all. */
export async function listOpenChecks(db: Queryable, id: number | null): Promise<OpenCheck[]> {
  const { rows } = await db.query<OpenCheck>(
    `select id, definition::json ->> 'kind' as kind, definition, region_id as "regionId" from check_requests
     where claimed_at is null and expires_at > service_now() and ($1::bigint is null or id = $1) order by id`,
    [id],
  );
  return rows;
}

/** Claims a request for an agent. Returns the milliseconds until it ends; null where another has it, or nobody waits. */
export async function claimCheck(db: Queryable, id: number, agentId: number): Promise<number | null> {
  const { rows } = await db.query<{ ms: number }>(
    `update check_requests set claimed_at = service_now(), agent_id = $2
     where id = $1 and claimed_at is null and expires_at > service_now()
     returning extract(epoch from expires_at - service_now())::float8 * 1000 as ms`,
    [id, agentId],
  );
  return rows[0]?.ms ?? null;
}

/** Writes the answer of a claimed request; `agentId` is who gave it. What nobody waits for any more is not written. */
export async function answerCheck(
  db: Queryable,
  id: number,
  agentId: number,
  answer: { report: string } | { failure: CheckFailure },
): Promise<void> {
  await db.query(
    `update check_requests set agent_id = $2, report = $3, failure = $4, answered_at = service_now()
     where id = $1 and answered_at is null`,
    [id, agentId, 'report' in answer ? answer.report : null, 'failure' in answer ? answer.failure : null],
  );
}

/** Removes the requests that ended a while ago. Returns how many. */
export async function removeEndedChecks(db: Queryable): Promise<number> {
  const { rowCount } = await db.query(
    `delete from check_requests where expires_at < service_now() - interval '${KEEP}'`,
  );
  return rowCount ?? 0;
}
