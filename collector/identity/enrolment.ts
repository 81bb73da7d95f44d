import type pg from 'pg';
import { hashInvitationSecret } from '../../core/invitation.ts';
import { enrolByInvitation } from '../../db/agent-invitations.ts';
import { findAgentByKey, noteCredentials, type EnrolledAgent } from '../../db/agents.ts';
import { readCertificateRequest, type Authority, type CertificateRequest } from '../../identity/certificates.ts';
import type { Peer } from '../../proto/collector-stream.ts';
import type { Credentials, EnrolRequest, RenewRequest } from '../../proto/messages.ts';
import { verifyingKeyOf } from '../../proto/signed-value.ts';
import { StreamEnd } from '../../proto/stream-end.ts';
import type { Logger } from '../../runtime/logger.ts';
import { orUnavailable } from '../or-unavailable.ts';

const SECRET = /^[0-9a-f]{64}$/;
const NATS_USER = /^U[A-Z2-7]{55}$/;

export interface EnrolmentParts {
  pool: pg.Pool;
  authority: Authority;
  /** Ed25519, PEM: its public half is what agents check definitions by. */
  definitionsKey: string;
  /** Where agents reach NATS. */
  natsUrl: string;
  /** A NATS user's JWT for an agent; empty where NATS asks for none. */
  natsJwt: (agent: EnrolledAgent, natsUser: string, expiresMs: number) => Promise<string>;
  /** How long an agent's credentials last. */
  lifetimeMs: number;
  logger: Logger;
}

/** Makes agents of the invited, and gives agents new credentials before their old ones end. */
export interface Enrolment {
  /** @throws StreamEnd INVALID_ARGUMENT, PERMISSION_DENIED or UNAVAILABLE */
  enrol(request: EnrolRequest, address: string): Promise<Credentials>;
  /** @throws StreamEnd INVALID_ARGUMENT, UNAUTHENTICATED or UNAVAILABLE */
  renew(request: RenewRequest, peer: Peer): Promise<Credentials>;
}

export function createEnrolment(parts: EnrolmentParts): Enrolment {
  const { pool, logger } = parts;
  return {
    async enrol({ secret, certificateRequest, natsUser }, address) {
      // First what costs nothing to see.
      if (!SECRET.test(secret) || !NATS_USER.test(natsUser))
        throw new StreamEnd('INVALID_ARGUMENT', 'malformed request');
      const request = await readRequest(certificateRequest);
      const keys = { keyHash: request.keyHash, natsUser };
      const result = await orUnavailable(enrolByInvitation(pool, hashInvitationSecret(secret), keys));
      if ('problem' in result) {
        logger.warn({ address, problem: result.problem }, 'enrolment refused');
        throw new StreamEnd('PERMISSION_DENIED', result.problem);
      }
      logger.info({ agent: result.agent.id, name: result.agent.name, region: result.agent.region }, 'agent enrolled');
      return issue(result.agent, natsUser, request, parts);
    },
    async renew({ certificateRequest }, peer) {
      const request = await readRequest(certificateRequest);
      if (request.keyHash !== peer.keyHash) throw new StreamEnd('INVALID_ARGUMENT', 'the request is for another key');
      const agent = await orUnavailable(findAgentByKey(pool, peer.keyHash));
      if (agent === undefined) throw new StreamEnd('UNAUTHENTICATED', 'unknown or revoked agent');
      logger.info({ agent: agent.id }, 'credentials renewed');
      return issue(agent, agent.natsUser, request, parts);
    },
  };
}

async function readRequest(pem: string): Promise<CertificateRequest> {
  const request = await readCertificateRequest(pem);
  if (request === null) throw new StreamEnd('INVALID_ARGUMENT', 'malformed certificate request');
  return request;
}

async function issue(
  agent: EnrolledAgent,
  natsUser: string,
  request: CertificateRequest,
  { pool, authority, definitionsKey, natsUrl, natsJwt, lifetimeMs }: EnrolmentParts,
): Promise<Credentials> {
  const { certificate, expiresMs } = await authority.issueAgent(request, agent.id, lifetimeMs);
  // Before anything is given away: a revocation must know until when it is to be held up.
  if (!(await orUnavailable(noteCredentials(pool, agent.id, expiresMs))))
    throw new StreamEnd('UNAUTHENTICATED', 'unknown or revoked agent');
  return {
    agentId: agent.id,
    name: agent.name,
    region: agent.region,
    certificate,
    natsUrl,
    natsJwt: await natsJwt(agent, natsUser, expiresMs),
    definitionsKey: verifyingKeyOf(definitionsKey),
  };
}
