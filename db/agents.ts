import type pg from 'pg';
import { brokenConstraint, inTransaction, type Queryable } from './client.ts';

/** Agents and their regions. An agent is known by the public key of its certificate. */

/** By what an agent proves who it is. */
export interface AgentKeys {
  /** sha256 of its public key (SPKI), 64 hexadecimal digits. */
  keyHash: string;
  /** Its public nkey as a user of NATS. */
  natsUser: string;
}

/** Who a key speaks for. */
export interface EnrolledAgent {
  id: number;
  name: string;
  regionId: number;
  region: string;
}

export interface AgentRow {
  id: number;
  name: string;
  region: string;
  version: string | null;
  last_seen: Date | null;
  created_at: Date;
  revoked_at: Date | null;
}

export type CreatedAgent = { agent: EnrolledAgent } | { problem: 'name taken' | 'invalid region name' };

/**
 * Makes an agent in a region, which is made if it is new: its monitors are due there from the next minute on. Without
 * keys it cannot connect.
 */
export async function createAgent(
  pool: pg.Pool,
  name: string,
  region: string,
  keys: AgentKeys | null = null,
): Promise<CreatedAgent> {
  try {
    return { agent: await inTransaction(pool, (client) => insertAgent(client, name, region, keys)) };
  } catch (error) {
    const constraint = brokenConstraint(error);
    if (constraint === 'agents_name_key') return { problem: 'name taken' };
    if (constraint === 'regions_name_check') return { problem: 'invalid region name' };
    throw error;
  }
}

/** The same inside a transaction; throws what constraints it breaks. */
export async function insertAgent(
  db: Queryable,
  name: string,
  region: string,
  keys: AgentKeys | null,
): Promise<EnrolledAgent> {
  await db.query('insert into regions (name, from_minute) values ($1, next_minute()) on conflict (name) do nothing', [
    region,
  ]);
  const { rows } = await db.query<EnrolledAgent>(
    `insert into agents (region_id, name, key_hash, nats_user) select id, $1, $2, $3 from regions where name = $4
     returning id, name, region_id as "regionId", $4 as region`,
    [name, keys && Buffer.from(keys.keyHash, 'hex'), keys?.natsUser ?? null, region],
  );
  const [agent] = rows;
  if (!agent) throw new Error('the region vanished while its agent was enrolled');
  return agent;
}

/** The agent with this key (`keyHash` of AgentKeys), and its user of NATS; undefined where it is unknown or revoked. */
export async function findAgentByKey(
  db: Queryable,
  keyHash: string,
): Promise<(EnrolledAgent & { natsUser: string }) | undefined> {
  const { rows } = await db.query<EnrolledAgent & { natsUser: string }>(
    `select agents.id, agents.name, region_id as "regionId", regions.name as region, nats_user as "natsUser"
     from agents join regions on regions.id = region_id where key_hash = $1 and revoked_at is null`,
    [Buffer.from(keyHash, 'hex')],
  );
  return rows[0];
}

/** Notes until when (unix milliseconds) the credentials are good that an agent is being given. False: it is revoked. */
export async function noteCredentials(db: Queryable, agentId: number, untilMs: number): Promise<boolean> {
  const { rowCount } = await db.query('update agents set credentials_until = $2 where id = $1 and revoked_at is null', [
    agentId,
    new Date(untilMs),
  ]);
  return rowCount === 1;
}

/** True while the agent exists and is not revoked. */
export async function isAgentEnrolled(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('select 1 from agents where id = $1 and revoked_at is null', [id]);
  return rowCount === 1;
}

/** All agents, oldest first. */
export async function listAgents(db: Queryable): Promise<AgentRow[]> {
  const { rows } = await db.query<AgentRow>(
    `select agents.id, agents.name, regions.name as region, version, last_seen, agents.created_at, revoked_at
     from agents join regions on regions.id = region_id order by agents.id`,
  );
  return rows;
}

/** Revokes an agent for good; collectors hear of it at once. False where there is none of that name, or it was before. */
export async function revokeAgent(db: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await db.query(
    'update agents set revoked_at = clock_timestamp() where name = $1 and revoked_at is null',
    [name],
  );
  return rowCount === 1;
}

/** Gives an agent another name; nothing else changes. */
export async function renameAgent(db: Queryable, name: string, to: string): Promise<'renamed' | 'unknown' | 'taken'> {
  try {
    const { rowCount } = await db.query('update agents set name = $2 where name = $1', [name, to]);
    return rowCount === 1 ? 'renamed' : 'unknown';
  } catch (error) {
    if (brokenConstraint(error) === 'agents_name_key') return 'taken';
    throw error;
  }
}

/** The id of the region of that name, or undefined. */
export async function findRegionId(db: Queryable, name: string): Promise<number | undefined> {
  const { rows } = await db.query<{ id: number }>('select id from regions where name = $1', [name]);
  return rows[0]?.id;
}

/** Those of `names` that are no region, in their order. */
export async function unknownRegions(db: Queryable, names: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `select name from unnest($1::text[]) with ordinality as wanted (name, position)
     where not exists (select from regions where regions.name = wanted.name) order by position`,
    [names],
  );
  return rows.map((row) => row.name);
}
