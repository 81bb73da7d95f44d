import type pg from 'pg';
import type { Minute } from '../../core/minute.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { RegionalResult, RowAnswer } from '../../core/result.ts';
import { ResultBlock } from '../../core/result-block.ts';
import { ingestResults, type Expectations } from '../../db/ingest.ts';

/** Adds a monitor whose first version holds since long ago. Returns its id. */
export async function addMonitor(
  pool: pg.Pool,
  tag: string,
  settings: { quorum?: unknown; regions?: string[] } = {},
): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden,
       monitor_settings_json)
     values ($1, $1, 'ACTIVE', 'TCP', '{}', 'NO', 'NO', $2) returning id`,
    [tag, JSON.stringify(settings)],
  );
  const id = rows[0]?.id ?? NaN;
  await pool.query(`update monitor_versions set from_minute = 'epoch' where monitor_id = $1`, [id]);
  return id;
}

/** Adds a region, there since long ago, with one agent. `seen`: a time or `infinity`; null: never. */
export async function addRegion(
  pool: pg.Pool,
  name: string,
  seen: string | null = 'infinity',
): Promise<{ regionId: number; agentId: number }> {
  const region = await pool.query<{ id: number }>(
    `insert into regions (name, from_minute) values ($1, 'epoch') returning id`,
    [name],
  );
  const regionId = region.rows[0]?.id ?? NaN;
  const agent = await pool.query<{ id: number }>(
    `insert into agents (region_id, name, last_seen) values ($1, $2, $3) returning id`,
    [regionId, `${name}-1`, seen],
  );
  return { regionId, agentId: agent.rows[0]?.id ?? NaN };
}

/** A result that says UP in 20 ms, but for what is given. */
export function resultOf(
  given: Partial<Outcome> & { monitorId: number; minute: Minute; regionId: number; agentId: number },
): RegionalResult {
  return {
    revision: 1,
    status: 'UP',
    cause: given.status === undefined || given.status === 'UP' ? 'NONE' : 'TARGET',
    origin: 'REALTIME',
    latencyUs: 20_000,
    error: null,
    packets: null,
    ...given,
  };
}

/** Replaces the service's clock in this database by one that stands. Returns how to set it, in unix seconds. */
export async function stopClock(pool: pg.Pool, at: number): Promise<(at: number) => Promise<void>> {
  await pool.query('create table stopped_clock (at timestamptz not null)');
  await pool.query('insert into stopped_clock select to_timestamp($1)', [at]);
  await pool.query(
    'create or replace function service_now() returns timestamptz language sql volatile as $$ select at from stopped_clock $$',
  );
  return async (next) => {
    await pool.query('update stopped_clock set at = to_timestamp($1)', [next]);
  };
}

/** `ingestResults` for results that were made one by one. */
export function storeResults(
  pool: pg.Pool,
  results: readonly RegionalResult[],
  expectations?: Expectations,
): Promise<RowAnswer[]> {
  return ingestResults(pool, ResultBlock.of(results), expectations);
}
