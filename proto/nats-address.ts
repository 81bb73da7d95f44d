import { z } from 'zod';

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost)$/;

/**
 * Where NATS is: `tls://host:port`, with credentials and TLS 1.3; or `nats://host:port`, without either, which is taken
 * only for loopback. For configuration schemas. Several are separated by commas, all of one kind: who logs in at one of
 * them must not speak openly to the next.
 */
export const natsAddress = z.string().superRefine((text, context) => {
  const servers = serversOf(text);
  const problems = servers.flatMap((server) => problemOf(server) ?? []);
  for (const message of problems) context.addIssue({ code: 'custom', message });
  if (problems.length === 0 && new Set(servers.map(asksForTls)).size > 1)
    context.addIssue({ code: 'custom', message: 'must be tls:// in all of its addresses or in none' });
});

/** The addresses one by one, as a connection takes them. */
export function serversOf(addresses: string): string[] {
  return addresses.split(',').map((part) => part.trim());
}

function problemOf(address: string): string | null {
  const match = /^(tls|nats):\/\/(\[[0-9a-f:.]+\]|[^\s:/@[\]]+)(:\d{1,5})?$/i.exec(address);
  if (match === null) return 'must be tls://host:port, or nats://host:port on loopback';
  const [, scheme, host = ''] = match;
  if (scheme === 'tls' || LOOPBACK.test(host)) return null;
  return 'beyond loopback it must be tls://host:port';
}

/** Whether the addresses ask for TLS and credentials. All do, or none. */
export function asksForTls(addresses: string): boolean {
  return addresses.trim().startsWith('tls:');
}
