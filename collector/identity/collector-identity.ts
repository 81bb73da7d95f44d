import type { NatsConnection } from '@nats-io/transport-node';
import type pg from 'pg';
import { openAuthority } from '../../identity/certificates.ts';
import type { Identity } from '../../identity/identity-folder.ts';
import { openNatsAuthority, type NatsAuthority } from '../../identity/nats-accounts.ts';
import { agentPermissions, natsAccess } from '../../proto/nats-access.ts';
import { asksForTls } from '../../proto/nats-address.ts';
import type { ServerTls } from '../../proto/tls-listener.ts';
import type { Logger } from '../../runtime/logger.ts';
import { connectNats } from '../nats.ts';
import { createEnrolment, type Enrolment } from './enrolment.ts';
import { createNatsAccounts, type NatsAccounts } from './nats-accounts.ts';
import { issueServerTls, keepServerTls } from './server-certificate.ts';

export interface CollectorIdentityParts {
  pool: pg.Pool;
  /** Where this collector reaches NATS, and where agents do. */
  natsUrl: string;
  publicNatsUrl: string;
  /** How long an agent's credentials last. */
  lifetimeMs: number;
  logger: Logger;
}

/** What a collector does with the keys it was given. */
export interface CollectorIdentity {
  enrolment: Enrolment;
  /** What this collector shows to who connects. */
  tls: ServerTls;
  /** Replaces that in time, until the signal aborts. */
  keepTls(use: (tls: ServerTls) => void, signal: AbortSignal): Promise<void>;
  /** Opens a connection of a region's account, trying until the signal aborts. */
  connectRegion(region: string, signal: AbortSignal): Promise<NatsConnection>;
  /** Null where NATS is one on loopback that asks for no credentials. */
  natsAccounts: NatsAccounts | null;
}

export async function openCollectorIdentity(
  identity: Identity,
  { pool, natsUrl, publicNatsUrl, lifetimeMs, logger }: CollectorIdentityParts,
): Promise<CollectorIdentity> {
  const authority = await openAuthority(identity.authority);
  const nats = await openNatsAuthority(identity.natsSecret);
  const connect = async (region: string | null, signal: AbortSignal): Promise<NatsConnection> => {
    const { jwt, seed } = await nats.ownUser(region);
    const access = natsAccess(natsUrl, authority.certificate, { jwt: () => jwt, seed });
    return connectNats({ url: natsUrl, access }, logger, signal);
  };
  return {
    enrolment: createEnrolment({
      pool,
      authority,
      definitionsKey: identity.definitionsKey,
      natsUrl: publicNatsUrl,
      natsJwt: natsJwtOf(nats, publicNatsUrl),
      lifetimeMs,
      logger,
    }),
    tls: await issueServerTls(authority),
    keepTls: (use, signal) => keepServerTls(authority, use, logger, signal),
    connectRegion: connect,
    natsAccounts: asksForTls(natsUrl)
      ? createNatsAccounts({ pool, authority: nats, connect: (signal) => connect(null, signal), logger })
      : null,
  };
}

function natsJwtOf(nats: NatsAuthority, url: string) {
  return ({ id, region }: { id: number; region: string }, natsUser: string, expiresMs: number): Promise<string> =>
    asksForTls(url) ? nats.regionUser(region, natsUser, agentPermissions(region, id), expiresMs) : Promise.resolve('');
}
