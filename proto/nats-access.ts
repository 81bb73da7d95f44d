import { jwtAuthenticator, type ConnectionOptions } from '@nats-io/transport-node';
import { asksForTls } from './nats-address.ts';
import { bucketOf } from './kv.ts';
import { subjectOfMember, subjectOfMembers } from './members.ts';
import { NATS_NAME } from './server-names.ts';

/** By what somebody logs in to NATS; asked at every connection, so that renewed credentials come into use. */
export interface NatsLogin {
  jwt: () => string;
  seed: Uint8Array;
}

/**
 * How to connect to these addresses: TLS 1.3 to a server of the authority (PEM), with a login; nothing of both where
 * they are plain ones, which `natsAddress` takes for loopback only.
 */
export function natsAccess(addresses: string, authority: string, { jwt, seed }: NatsLogin): Partial<ConnectionOptions> {
  if (!asksForTls(addresses)) return {};
  // Passed on to node:tls whole; the library's own type names only a part of what that takes.
  const tls = { ca: authority, servername: NATS_NAME, minVersion: 'TLSv1.3' } as ConnectionOptions['tls'];
  return { authenticator: jwtAuthenticator(jwt, seed), tls };
}

/** The prefix of an agent's inboxes; nobody else may listen there. */
export function inboxPrefixOf(agentId: number): string {
  return `_INBOX_${agentId}`;
}

/**
 * What an agent may do in its region's account: read the region's bucket through consumers of its own, hear the
 * region's agents, and speak for itself.
 */
export function agentPermissions(region: string, agentId: number): { publish: string[]; subscribe: string[] } {
  return {
    publish: [`$JS.API.CONSUMER.CREATE.KV_${bucketOf(region)}.>`, subjectOfMember(region, agentId)],
    subscribe: [`${inboxPrefixOf(agentId)}.>`, subjectOfMembers(region)],
  };
}
