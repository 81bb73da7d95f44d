import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import type pg from 'pg';
import { enrolAgent } from '../../agent/identity/enrol.ts';
import type { AgentIdentity } from '../../agent/identity/identity-file.ts';
import { hashInvitationSecret, type Invitation } from '../../core/invitation.ts';
import { createInvitation } from '../../db/agent-invitations.ts';
import type { AgentTls } from '../../proto/agent-client.ts';
import { inboxPrefixOf } from '../../proto/definition-requests.ts';
import { natsAccess } from '../../proto/nats-access.ts';
import { testAuthority } from './test-identity.ts';

/** An invitation to a region, as `farwatch agents invite` makes it. */
export async function inviteAgent(
  pool: pg.Pool,
  collector: string,
  region: string,
  lifetimeSeconds = 60,
): Promise<Invitation> {
  const secret = randomBytes(32).toString('hex');
  const name = `${region}-${randomBytes(4).toString('hex')}`;
  await createInvitation(pool, { region, name, secretHash: hashInvitationSecret(secret), lifetimeSeconds });
  return { collector, fingerprint: testAuthority.fingerprint, secret };
}

/** Enrols an agent over the wire. */
export async function enrolTestAgent(pool: pg.Pool, collector: string, region: string): Promise<AgentIdentity> {
  const folder = mkdtempSync(join(tmpdir(), 'farwatch-enrol-'));
  try {
    return await enrolAgent(await inviteAgent(pool, collector, region), join(folder, 'identity.json'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What it shows to collectors. */
export function tlsOfIdentity({ authority, certificate, key }: AgentIdentity): AgentTls {
  return { authority, own: { certificate, key } };
}

/** Logs in to NATS as whoever has this identity. */
export function connectAs(identity: AgentIdentity, options: Partial<ConnectionOptions> = {}): Promise<NatsConnection> {
  const { agentId, authority, nats } = identity;
  return connect({
    servers: nats.url,
    ...natsAccess(nats.url, authority, { jwt: () => nats.jwt, seed: Buffer.from(nats.seed) }),
    inboxPrefix: inboxPrefixOf(agentId),
    ...options,
  });
}
