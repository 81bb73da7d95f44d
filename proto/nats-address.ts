import { z } from 'zod';

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[?::1\]?|localhost)$/;

/**
 * Where NATS is: `tls://host:port`, with credentials and TLS 1.3; or `nats://host:port`, without either, which is taken
 * only for loopback. For configuration schemas. Several are separated by commas.
 */
export const natsAddress = z.string().superRefine((text, context) => {
  for (const part of text.split(',')) {
    const problem = problemOf(part.trim());
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  }
});

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
