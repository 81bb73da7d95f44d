import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import type pg from 'pg';
import type { AgentIdentity } from '../../agent/identity/identity-file.ts';
import { createAgent as createBareAgent, type EnrolledAgent } from '../../db/agents.ts';
import { createKey, openAuthority, readCertificateRequest, requestCertificate } from '../../identity/certificates.ts';
import { provideIdentity } from '../../identity/provide-identity.ts';
import type { AgentTls } from '../../proto/agent-client.ts';
import { COLLECTOR_NAME } from '../../proto/server-names.ts';
import { createValueSigner, verifyingKeyOf } from '../../proto/signed-value.ts';
import type { ServerTls } from '../../proto/tls-listener.ts';

const YEAR_MS = 365 * 86_400_000;

/** The keys of all collectors that this test process starts, and the folder they stand in. */
export const testIdentityDir = mkdtempSync(join(tmpdir(), 'farwatch-identity-'));
process.once('exit', () => rmSync(testIdentityDir, { recursive: true, force: true }));
export const testIdentity = await provideIdentity(testIdentityDir);
export const testAuthority = await openAuthority(testIdentity.authority);

/** Signs definitions as those collectors do. */
export const testSigner = createValueSigner(testIdentity.definitionsKey);

export const testDefinitionsKey = verifyingKeyOf(testIdentity.definitionsKey);

const server = await testAuthority.issueServer(COLLECTOR_NAME, YEAR_MS);
/** What a collector of the test's own shows. */
export const testServerTls: ServerTls = { ...server, authority: testIdentity.authority.certificate };

const stranger = await issueAgentTls(1);
/** An agent's certificate of the test's authority, whose key no database knows. */
export const testAgentTls: AgentTls = stranger.tls;
export const testAgentKeyHash = stranger.keyHash;

/** Who an agent is that a test starts against a collector of its own and a NATS without credentials. */
export function testAgentIdentity(told: {
  agentId?: number;
  region: string;
  collector: string;
  natsUrl: string;
  tls?: AgentTls;
}): AgentIdentity {
  const { authority, own } = told.tls ?? stranger.tls;
  if (own === null) throw new Error('an agent shows a certificate');
  return {
    agentId: told.agentId ?? 1,
    name: `${told.region}-${told.agentId ?? 1}`,
    region: told.region,
    collector: told.collector,
    authority,
    ...own,
    definitionsKey: testDefinitionsKey,
    nats: { url: told.natsUrl, seed: '', jwt: '' },
  };
}

export interface IssuedAgent {
  tls: AgentTls;
  keyHash: string;
}

/** A key and a certificate of the test's authority, whoever it is for. */
export async function issueAgentTls(
  agentId: number,
  lifetimeMs = YEAR_MS,
  authority = testAuthority,
): Promise<IssuedAgent> {
  const key = await createKey();
  const request = await readCertificateRequest(await requestCertificate(key));
  if (request === null) throw new Error('a request that is none');
  const { certificate } = await authority.issueAgent(request, agentId, lifetimeMs);
  return { tls: { authority: testAuthority.certificate, own: { certificate, key } }, keyHash: request.keyHash };
}

/** Enrols an agent past the invitation. `token`: what it shows, as `connectWireAgent` takes it. */
export async function createAgent(
  pool: pg.Pool,
  name: string,
  region: string,
): Promise<{ agent: EnrolledAgent; token: string } | { problem: string }> {
  const { tls, keyHash } = await issueAgentTls(0);
  const created = await createBareAgent(pool, name, region, { keyHash, natsUser: createUser().getPublicKey() });
  return 'problem' in created ? created : { agent: created.agent, token: tokenOf(tls) };
}

/** A token of an agent that nobody has enrolled. */
export async function unknownToken(): Promise<string> {
  return tokenOf((await issueAgentTls(0)).tls);
}

const tokens = new Map<string, AgentTls>();

function tokenOf(tls: AgentTls): string {
  const token = randomUUID();
  tokens.set(token, tls);
  return token;
}

/** What an agent shows that was given this token. */
export function tlsOf(token: string): AgentTls {
  const tls = tokens.get(token);
  if (tls === undefined) throw new Error('nobody was given this token');
  return tls;
}
