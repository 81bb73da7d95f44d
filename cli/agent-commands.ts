import type pg from 'pg';
import { enrolCommand } from '../core/invitation.ts';
import { inviteAgent } from '../db/agent-invitations.ts';
import { listAgents, renameAgent, revokeAgent } from '../db/agents.ts';
import { fingerprintOf } from '../identity/fingerprint.ts';
import { IdentityFolderError, readAuthorityCertificate } from '../identity/identity-folder.ts';
import { failed, table, type Answer, type Command, type Options } from './command.ts';

/** Agents: who is invited, who there is, and who is no longer welcome. */
export const AGENT_COMMANDS: Readonly<Record<string, Command>> = {
  'agents invite': {
    summary: 'print the command that makes a host an agent, once, within an hour',
    needs: ['region', 'collector', 'identity'],
    takes: ['name', 'minutes'],
    run: invite,
  },
  'agents list': { summary: 'list agents', needs: [], run: showAgents },
  'agents rename': { summary: 'give an agent another name', needs: ['name', 'to'], run: nameAnew },
  'agents revoke': { summary: 'refuse an agent for good', needs: ['name'], run: revokeForGood },
};

const DEFAULT_MINUTES = 60;
const MOST_MINUTES = 7 * 24 * 60;

async function invite(pool: pg.Pool, options: Options): Promise<Answer> {
  const { region, collector, identity } = options;
  const minutes = options.minutes === '' ? DEFAULT_MINUTES : Number(options.minutes);
  if (!(minutes > 0 && minutes <= MOST_MINUTES)) return failed(`--minutes must be a number up to ${MOST_MINUTES}`);
  if (!/^\S+:\d{1,5}$/.test(collector)) return failed('--collector must be host:port');
  const certificate = certificateIn(identity);
  if ('problem' in certificate) return failed(certificate.problem);
  const wanted = { region, name: options.name === '' ? null : options.name, lifetimeSeconds: minutes * 60 };
  const invited = await inviteAgent(pool, wanted, { collector, fingerprint: fingerprintOf(certificate.pem) });
  if ('problem' in invited) return failed(`${invited.problem}: agent '${options.name}', region '${region}'`);
  const { name, token, expiresAt } = invited;
  const command = enrolCommand(token);
  return { text: command, json: { name, region, token, command, expires_at: expiresAt } };
}

function certificateIn(folder: string): { pem: string } | { problem: string } {
  try {
    return { pem: readAuthorityCertificate(folder) };
  } catch (error) {
    if (error instanceof IdentityFolderError) return { problem: error.message };
    throw error;
  }
}

async function showAgents(pool: pg.Pool): Promise<Answer> {
  const agents = await listAgents(pool);
  const rows = agents.map((agent) => [
    agent.id,
    agent.name,
    agent.region,
    agent.revoked_at ? 'revoked' : 'enrolled',
    agent.version ?? '-',
    agent.last_seen?.toISOString() ?? 'never seen',
  ]);
  return { text: table(rows), json: agents };
}

async function revokeForGood(pool: pg.Pool, { name }: Options): Promise<Answer> {
  if (!(await revokeAgent(pool, name))) return failed(`no enrolled agent is named '${name}'`);
  return { text: `${name} revoked`, json: { name, revoked: true } };
}

async function nameAnew(pool: pg.Pool, { name, to }: Options): Promise<Answer> {
  const result = await renameAgent(pool, name, to);
  if (result === 'unknown') return failed(`no agent is named '${name}'`);
  if (result === 'taken') return failed(`an agent named '${to}' exists already`);
  return { text: `${name} is now ${to}`, json: { name: to } };
}
