import { X509Certificate } from 'node:crypto';
import type { ConnectionOptions } from '@nats-io/transport-node';
import { requestCertificate } from '../../identity/certificates.ts';
import { renew } from '../../proto/enrolment.ts';
import type { AgentTls } from '../../proto/agent-client.ts';
import { inboxPrefixOf } from '../../proto/definition-requests.ts';
import { natsAccess } from '../../proto/nats-access.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createBackoff, sleep } from '../../runtime/time.ts';
import { writeIdentityFile, type AgentIdentity } from './identity-file.ts';

/** Longest wait between two looks at the calendar: the wall clock may be set meanwhile. */
const LOOK_EVERY_MS = 3_600_000;
/** Of a certificate's life, counted from when it was given. */
const RENEW_AT = 2 / 3;
/** A certificate is backdated by this much. */
const BACKDATED_MS = 3_600_000;

/** An agent's identity while it runs: the newest credentials it was given. */
export interface LiveIdentity {
  current(): AgentIdentity;
  /** As it is shown to collectors. */
  tls(): AgentTls;
  /** How to log in to NATS at these addresses, and where to listen for answers. */
  natsAccess(addresses: string): Partial<ConnectionOptions>;
  /** Why credentials that should have been renewed were not, or are not on the disk; null: nothing is wrong. */
  problem(): string | null;
  /** Renews them at two thirds of their life and keeps them on the disk, trying both until the signal aborts. */
  keep(signal: AbortSignal): Promise<void>;
}

export interface LiveIdentityParts {
  identity: AgentIdentity;
  /** Where it is kept. */
  path: string;
  /** host:port of a collector. */
  collector: string;
  logger: Logger;
}

export function createLiveIdentity({ identity, path, collector, logger }: LiveIdentityParts): LiveIdentity {
  let current = identity;
  let problem: string | null = null;
  /** False while the newest credentials stand in memory only. */
  let isKept = true;
  const tls = (): AgentTls => ({
    authority: current.authority,
    own: { certificate: current.certificate, key: current.key },
  });
  const renewOnce = async (): Promise<void> => {
    const certificateRequest = await requestCertificate(current.key);
    const given = await renew(collector, tls(), { certificateRequest });
    current = {
      ...current,
      name: given.name,
      certificate: given.certificate,
      definitionsKey: given.definitionsKey,
      nats: { ...current.nats, url: given.natsUrl, jwt: given.natsJwt },
    };
    isKept = false;
    logger.info('credentials renewed');
  };
  return {
    current: () => current,
    tls,
    natsAccess(addresses) {
      const { authority, agentId, nats } = current;
      const login = { jwt: () => current.nats.jwt, seed: Buffer.from(nats.seed) };
      return { ...natsAccess(addresses, authority, login), inboxPrefix: inboxPrefixOf(agentId) };
    },
    problem: () => problem,
    async keep(signal) {
      const backoff = createBackoff(1000, 600_000);
      while (!signal.aborted) {
        const waitMs = renewalDueMs(current.certificate) - Date.now();
        if (isKept && waitMs > 0) {
          await sleep(Math.min(waitMs, LOOK_EVERY_MS), signal);
          continue;
        }
        let missing = 'credentials are not renewed';
        try {
          if (waitMs <= 0) await renewOnce();
          missing = 'renewed credentials cannot be kept';
          await writeIdentityFile(path, current);
          isKept = true;
          problem = null;
          backoff.reset();
        } catch (error) {
          problem = `${missing}: ${error instanceof Error ? error.message : String(error)}`;
          logger.warn({ err: error }, missing);
          await sleep(backoff.next(), signal);
        }
      }
    },
  };
}

/** When a certificate is to be renewed, unix milliseconds. */
function renewalDueMs(certificate: string): number {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const givenMs = Date.parse(validFrom) + BACKDATED_MS;
  return givenMs + (Date.parse(validTo) - givenMs) * RENEW_AT;
}
