import { isIP } from 'node:net';
import { z } from 'zod';

/** Configuration of a check by monitor type (specification 2.8; limits: reference §12). */

export const PROBE_KINDS = ['PING', 'TCP', 'DNS'] as const;
/** The monitor types that have a probe. `monitor_type` itself is open: others are stored and never published. */
export type ProbeKind = (typeof PROBE_KINDS)[number];

export const RECORD_TYPES = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NAPTR', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'] as const;
export type RecordType = (typeof RECORD_TYPES)[number];

/** A DNS check's deadline (reference §12). */
export const DNS_DEADLINE_MS = 3000;
/** The longest a whole check may take, hosts side by side (reference §12). */
export const MAX_CHECK_MS = 50_000;
const MAX_EVAL_BYTES = 64 * 1024;

const HOST_NAME =
  /^(?=.{1,253}\.?$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*\.?$/i;

/** A DOMAIN host is any host name that is no IP literal, `localhost` included (reference §12). */
function isHostName(host: string): boolean {
  return isIP(host) === 0 && HOST_NAME.test(host) && !/^[\d.]+$/.test(host);
}

const addressShape = {
  type: z.enum(['IP4', 'IP6', 'DOMAIN']).default('IP4'),
  host: z.string().trim().min(1, 'host is required'),
};

function checkAddress(value: { type: 'IP4' | 'IP6' | 'DOMAIN'; host: string }, context: z.RefinementCtx): void {
  const matches = { IP4: isIP(value.host) === 4, IP6: isIP(value.host) === 6, DOMAIN: isHostName(value.host) };
  if (matches[value.type]) return;
  const wanted = { IP4: 'an IPv4 address', IP6: 'an IPv6 address', DOMAIN: 'a host name' };
  context.addIssue({
    code: 'custom',
    path: ['host'],
    message: `host '${value.host}' is not ${wanted[value.type]}, but its type is ${value.type}`,
  });
}

const timeout = z.number().min(1).max(60_000).default(1000);

const pingHost = z
  .looseObject({ ...addressShape, timeout, count: z.int().min(1).max(100).default(3) })
  .superRefine(checkAddress);
const tcpHost = z
  .looseObject({ ...addressShape, port: z.int().min(1).max(65_535).default(80), timeout })
  .superRefine(checkAddress);

const evalSource = z
  .string()
  .refine((source) => Buffer.byteLength(source) <= MAX_EVAL_BYTES, `must be at most ${MAX_EVAL_BYTES} bytes`)
  .nullish();

const hostsMessage = { error: 'at least one host is required' };

export const pingTypeData = z
  .looseObject({ hosts: z.array(pingHost, hostsMessage).min(1, hostsMessage).max(100), pingEval: evalSource })
  .superRefine(checkDuration('PING'));
export const tcpTypeData = z
  .looseObject({ hosts: z.array(tcpHost, hostsMessage).min(1, hostsMessage).max(100), tcpEval: evalSource })
  .superRefine(checkDuration('TCP'));
export const dnsTypeData = z.looseObject({
  host: z.string().trim().min(1, 'host is required').refine(isQueryName, 'host is not a domain name'),
  nameServer: z
    .string()
    .trim()
    .refine(
      (value) => value === '' || parseNameServer(value) !== null,
      'nameServer must be IP, IP:port, [IPv6]:port or a host name',
    )
    .default(''),
  lookupRecord: z
    .string()
    .transform((value) => value.trim().toUpperCase())
    .pipe(z.enum(RECORD_TYPES))
    .default('A'),
  matchType: z.enum(['ANY', 'ALL']).default('ANY'),
  values: z
    .array(z.string(), { error: 'values must be an array of strings' })
    .default([])
    .refine(
      (values) => values.some((value) => normaliseDnsValue(value) !== ''),
      'at least one expected value is required',
    ),
});

export type PingConfig = z.output<typeof pingTypeData>;
export type TcpConfig = z.output<typeof tcpTypeData>;
export type DnsConfig = z.output<typeof dnsTypeData>;
export type ConfigOf<K extends ProbeKind> = { PING: PingConfig; TCP: TcpConfig; DNS: DnsConfig }[K];
export type PingHost = PingConfig['hosts'][number];
export type TcpHost = TcpConfig['hosts'][number];

/** A kind of probe together with its configuration. */
export type ProbeConfig = { [K in ProbeKind]: { kind: K; config: ConfigOf<K> } }[ProbeKind];

export const TYPE_DATA = { PING: pingTypeData, TCP: tcpTypeData, DNS: dnsTypeData } as const;

export function isProbeKind(type: string): type is ProbeKind {
  return (PROBE_KINDS as readonly string[]).includes(type);
}

/** How a PING check spaces its packets: the next one leaves this long after the one before, whatever came back. */
export const PING_INTERVAL_MS = 200;
/** What a name may take to resolve before the check's own time begins. */
export const RESOLVE_DEADLINE_MS = 3000;

/** The longest a check of this configuration may take, milliseconds, hosts side by side. */
export function worstCaseMs({ kind, config }: ProbeConfig): number {
  switch (kind) {
    case 'PING':
      return Math.max(
        ...config.hosts.map((host) => resolveMs(host) + (host.count - 1) * PING_INTERVAL_MS + host.timeout),
      );
    case 'TCP':
      return Math.max(...config.hosts.map((host) => resolveMs(host) + host.timeout));
    case 'DNS':
      return DNS_DEADLINE_MS;
  }
}

function resolveMs(host: { type: string }): number {
  return host.type === 'DOMAIN' ? RESOLVE_DEADLINE_MS : 0;
}

function checkDuration<K extends 'PING' | 'TCP'>(kind: K) {
  return (config: ConfigOf<K>, context: z.RefinementCtx): void => {
    // The pair is the union's member by construction; TypeScript cannot follow K through it.
    const worst = worstCaseMs({ kind, config } as ProbeConfig);
    if (worst <= MAX_CHECK_MS) return;
    const message = `a check may take at most ${MAX_CHECK_MS} ms, this one could take ${worst} ms: lower timeout or count`;
    context.addIssue({ code: 'custom', path: ['hosts'], message });
  };
}

/** trim, one trailing dot, lowercase, trim again (specification 2.8, reference §12). */
export function normaliseDnsValue(value: string): string {
  return value.trim().replace(/\.$/, '').toLowerCase().trim();
}

/** DNS names allow any label; what is refused is what no resolver could be asked (RFC 1035 2.3.4). */
function isQueryName(host: string): boolean {
  const name = host.replace(/\.$/, '');
  return (
    host === '.' ||
    (name.length <= 253 &&
      name.split('.').every((label) => label.length >= 1 && Buffer.byteLength(label) <= 63) &&
      !/\s/.test(name))
  );
}

/** A resolver override: `IP`, `IP:port`, `[IPv6]:port` or a host name with an optional port; null if it is none. */
export function parseNameServer(text: string): { host: string; port: number } | null {
  if (isIP(text) !== 0) return { host: text, port: 53 };
  const [, bracketed, digits] = /^(\[[^\]]+\]|[^:[\]]+)(?::(\d{1,5}))?$/.exec(text) ?? [];
  if (bracketed === undefined) return null;
  const port = Number(digits ?? 53);
  const host = bracketed.replace(/^\[|\]$/g, '');
  const fits = host === bracketed ? isIP(host) === 4 || isHostName(host) : isIP(host) === 6;
  return fits && port >= 1 && port <= 65_535 ? { host, port } : null;
}
