import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import type { PendingInvitation } from '../core/agent-resource.ts';
import { encodeInvitation, hashInvitationSecret, type MeetingPoint } from '../core/invitation.ts';
import { insertAgent, type AgentKeys, type EnrolledAgent } from './agents.ts';
import { brokenConstraint, inTransaction, type Queryable } from './client.ts';
import { isoText } from './iso-text.ts';

/** An invitation that is to be made. */
export interface NewInvitation {
  region: string;
  /** Of the agent that is to be enrolled by it. */
  name: string;
  secretHash: Buffer;
  lifetimeSeconds: number;
}

export type Invited = { expiresAt: Date } | { problem: 'name taken' | 'invalid region name' };

/** Who is invited, and what is handed to him: nobody is told the token again. */
export interface Invitee {
  name: string;
  token: string;
  expiresAt: Date;
}

/** Invites one agent to the collectors there, without a name under one of its region. */
export async function inviteAgent(
  db: Queryable,
  { region, name, lifetimeSeconds }: { region: string; name: string | null; lifetimeSeconds: number },
  meetingPoint: MeetingPoint,
): Promise<Invitee | Extract<Invited, { problem: string }>> {
  const called = name ?? `${region}-${randomBytes(3).toString('hex')}`;
  const secret = randomBytes(32).toString('hex');
  const secretHash = hashInvitationSecret(secret);
  const invited = await createInvitation(db, { region, name: called, secretHash, lifetimeSeconds });
  if ('problem' in invited) return invited;
  return { name: called, token: encodeInvitation({ ...meetingPoint, secret }), expiresAt: invited.expiresAt };
}

/** Invites one agent. Spent and expired invitations are forgotten a day later. */
export async function createInvitation(db: Queryable, invitation: NewInvitation): Promise<Invited> {
  const { region, name, secretHash, lifetimeSeconds } = invitation;
  await db.query(`delete from agent_invitations where expires_at < clock_timestamp() - interval '1 day'`);
  const { rowCount } = await db.query('select from agents where name = $1', [name]);
  if (rowCount !== 0) return { problem: 'name taken' };
  try {
    const { rows } = await db.query<{ expiresAt: Date }>(
      `insert into agent_invitations (secret_hash, region, name, expires_at)
       values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4)) returning expires_at as "expiresAt"`,
      [secretHash, region, name, lifetimeSeconds],
    );
    return { expiresAt: rows[0]?.expiresAt ?? new Date(0) };
  } catch (error) {
    if (brokenConstraint(error) === 'agent_invitations_region_check') return { problem: 'invalid region name' };
    throw error;
  }
}

/** Nobody has used it, and it is still good. */
const PENDING = 'agent_id is null and expires_at > clock_timestamp()';

/** The invitations that somebody may still use, oldest first; an agent may have been invited more than once. */
export async function listInvitations(db: Queryable): Promise<PendingInvitation[]> {
  const { rows } = await db.query<PendingInvitation>(
    `select name, region, ${isoText('i.created_at')}, ${isoText('i.expires_at')}
     from agent_invitations i where ${PENDING} order by i.created_at, name`,
  );
  return rows;
}

/** Takes every invitation of that name back that nobody has used. False where there is none. */
export async function withdrawInvitations(db: Queryable, name: string): Promise<boolean> {
  const { rowCount } = await db.query(`delete from agent_invitations where name = $1 and ${PENDING}`, [name]);
  return rowCount !== 0;
}

export type Enrolment = { agent: EnrolledAgent } | { problem: string };

/**
 * Makes the agent that this invitation is for, with these keys. Whoever comes again with the same keys, because the
 * first answer was lost, is told the same; anyone else is refused.
 */
export async function enrolByInvitation(pool: pg.Pool, secretHash: Buffer, keys: AgentKeys): Promise<Enrolment> {
  try {
    return await inTransaction(pool, (client) => useInvitation(client, secretHash, keys));
  } catch (error) {
    const constraint = brokenConstraint(error);
    if (constraint === 'agents_name_key') return { problem: 'another agent has taken the name meanwhile' };
    if (constraint === 'agents_key_hash_key' || constraint === 'agents_nats_user_key')
      return { problem: 'this key belongs to another agent' };
    throw error;
  }
}

async function useInvitation(db: Queryable, secretHash: Buffer, keys: AgentKeys): Promise<Enrolment> {
  const { rows } = await db.query<{ region: string; name: string; agentId: number | null }>(
    `select region, name, agent_id as "agentId" from agent_invitations
     where secret_hash = $1 and expires_at > clock_timestamp() for update`,
    [secretHash],
  );
  const [invitation] = rows;
  if (invitation === undefined) return { problem: 'the invitation is unknown or has expired' };
  if (invitation.agentId !== null) return findUser(db, invitation.agentId, keys);
  const agent = await insertAgent(db, invitation.name, invitation.region, keys);
  await db.query('update agent_invitations set agent_id = $2 where secret_hash = $1', [secretHash, agent.id]);
  return { agent };
}

async function findUser(db: Queryable, agentId: number, keys: AgentKeys): Promise<Enrolment> {
  const { rows } = await db.query<EnrolledAgent>(
    `select agents.id, agents.name, region_id as "regionId", regions.name as region
     from agents join regions on regions.id = region_id
     where agents.id = $1 and key_hash = $2 and nats_user = $3 and revoked_at is null`,
    [agentId, Buffer.from(keys.keyHash, 'hex'), keys.natsUser],
  );
  const [agent] = rows;
  return agent === undefined ? { problem: 'the invitation has been used' } : { agent };
}
