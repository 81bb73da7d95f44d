import { jwtAuthenticator, type ConnectionOptions } from '@nats-io/transport-node';
import { bucketConsumerOf, inboxPrefixOf, subjectOfRequest } from './definition-requests.ts';
import { asksForTls } from './nats-address.ts';
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

/**
 * What an agent may do in its region's account: ask collectors for its region's definitions, say that it keeps up with what
 * comes of it, hear the region's agents, and speak for itself. None of that is answered by the server, which would send
 * its answer to any subject that the asker names.
 */
export function agentPermissions(region: string, agentId: number): { publish: string[]; subscribe: string[] } {
  const { stream, name } = bucketConsumerOf(region, agentId);
  return {
    publish: [subjectOfRequest(region, agentId, '*'), `$JS.FC.${stream}.${name}.*`, subjectOfMember(region, agentId)],
    subscribe: [`${inboxPrefixOf(agentId)}.>`, subjectOfMembers(region)],
  };
}
