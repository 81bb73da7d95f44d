import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type pg from 'pg';
import { brokenConstraint, inTransaction, type Queryable } from './client.ts';

/** Agents and their regions. Until enrolment an agent proves itself by a token, of which only a hash is stored. */

const PREFIX = 'fwa_';
const TOKEN = /^fwa_[0-9a-f]{64}$/;

/** Who a token speaks for. */
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

export type CreatedAgent = { agent: EnrolledAgent; token: string } | { problem: 'name taken' | 'invalid region name' };

/**
 * Enrols an agent in a region, which is made if it is new: its monitors are due there from the next minute on. The token
 * is seen only here.
 */
export async function createAgent(pool: pg.Pool, name: string, region: string): Promise<CreatedAgent> {
  const token = PREFIX + randomBytes(32).toString('hex');
  try {
    const agent = await inTransaction(pool, (client) => insertAgent(client, name, region, hashToken(token)));
    return { agent, token };
  } catch (error) {
    const constraint = brokenConstraint(error);
    if (constraint === 'agents_name_key') return { problem: 'name taken' };
    if (constraint === 'regions_name_check') return { problem: 'invalid region name' };
    throw error;
  }
}

async function insertAgent(db: Queryable, name: string, region: string, tokenHash: Buffer): Promise<EnrolledAgent> {
  await db.query('insert into regions (name, from_minute) values ($1, next_minute()) on conflict (name) do nothing', [
    region,
  ]);
  const { rows } = await db.query<EnrolledAgent>(
    `insert into agents (region_id, name, token_hash) select id, $1, $2 from regions where name = $3
     returning id, name, region_id as "regionId", $3 as region`,
    [name, tokenHash, region],
  );
  const [agent] = rows;
  if (!agent) throw new Error('the region vanished while its agent was enrolled');
  return agent;
}

/** The agent this token belongs to; undefined where it is malformed, unknown or revoked. */
export async function findAgentByToken(db: Queryable, token: string): Promise<EnrolledAgent | undefined> {
  if (!TOKEN.test(token)) return undefined;
  const hash = hashToken(token);
  const { rows } = await db.query<EnrolledAgent & { tokenHash: Buffer }>(
    `select agents.id, agents.name, region_id as "regionId", regions.name as region, token_hash as "tokenHash"
     from agents join regions on regions.id = region_id where token_hash = $1 and revoked_at is null`,
    [hash],
  );
  const [row] = rows;
  if (!row || !timingSafeEqual(row.tokenHash, hash)) return undefined;
  return { id: row.id, name: row.name, regionId: row.regionId, region: row.region };
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

function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
