import { z } from 'zod';

export interface ListenAddress {
  host: string;
  port: number;
}

/** `host:port` or `[ipv6]:port`; port 0 lets the system choose. For configuration schemas. */
export const listenAddress = z.string().transform((text, context): ListenAddress => {
  const match = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text);
  const port = Number(match?.[3]);
  if (match && port <= 65_535) return { host: match[1] ?? match[2] ?? '', port };
  context.addIssue({ code: 'custom', message: 'must be host:port or [ipv6]:port' });
  return z.NEVER;
});

/** The text form that `listenAddress` reads. */
export function formatAddress({ host, port }: ListenAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
