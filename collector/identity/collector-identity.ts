import type pg from 'pg';
import { openAuthority } from '../../identity/certificates.ts';
import type { Identity } from '../../identity/identity-folder.ts';
import type { ServerTls } from '../../proto/tls-listener.ts';
import type { Logger } from '../../runtime/logger.ts';
import { createEnrolment, type Enrolment } from './enrolment.ts';
import { issueServerTls, keepServerTls } from './server-certificate.ts';

/** What a collector does with the keys it was given. */
export interface CollectorIdentity {
  enrolment: Enrolment;
  /** What this collector shows to who connects. */
  tls: ServerTls;
  /** Replaces that in time, until the signal aborts. */
  keepTls(use: (tls: ServerTls) => void, signal: AbortSignal): Promise<void>;
}

export async function openCollectorIdentity(
  identity: Identity,
  parts: { pool: pg.Pool; natsUrl: string; lifetimeMs: number; logger: Logger },
): Promise<CollectorIdentity> {
  const authority = await openAuthority(identity.authority);
  const enrolment = createEnrolment({
    ...parts,
    authority,
    definitionsKey: identity.definitionsKey,
    natsJwt: () => Promise.resolve(''),
  });
  return {
    enrolment,
    tls: await issueServerTls(authority),
    keepTls: (use, signal) => keepServerTls(authority, use, parts.logger, signal),
  };
}
