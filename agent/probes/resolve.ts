import { isIP } from 'node:net';
import { RESOLVE_DEADLINE_MS } from '../../core/type-data.ts';
import { startStopwatch } from './deadline.ts';
import type { OwnResolver } from './own-resolver.ts';
import { candidateNames, cachedFile, parseHosts, parseSearch } from './resolve-files.ts';
import type { Asked } from './resolver-query.ts';
import type { Resolve, ResolvedTarget } from './target.ts';

export interface ResolveOptions {
  resolver: OwnResolver;
  hostsFile?: string;
  resolvConf?: string;
  deadlineMs?: number;
}

/**
 * Finds the one address of a host: a literal as it stands, else the hosts file, `localhost` (RFC 6761 6.3), and the
 * host's own resolvers with its search list, IPv4 first. It does not call getaddrinfo: that blocks one of four threads
 * for as long as a dead resolver takes, and calls a silent resolver and a missing name by the same error.
 *
 * A name that no resolver knows, or that has no address, is a definite answer. Silence and SERVFAIL or REFUSED of the
 * host's own resolvers are a problem of this agent (`resolver`), never the target's.
 */
export function createResolve(options: ResolveOptions): Resolve {
  const { resolver, deadlineMs = RESOLVE_DEADLINE_MS } = options;
  const hosts = cachedFile(options.hostsFile ?? '/etc/hosts', parseHosts);
  const search = cachedFile(options.resolvConf ?? '/etc/resolv.conf', parseSearch);
  return async ({ type, host }, signal) => {
    if (type !== 'DOMAIN') return addressTarget([host], host);
    const left = startLeft(deadlineMs);
    const files = await Promise.all([hosts(), search()]).catch((error: NodeJS.ErrnoException) => error);
    if (files instanceof Error) {
      return problem('descriptors', `cannot read the hosts file (${files.code ?? files.message})`, 'AGENT');
    }
    const [table, rule] = files;
    const known = table.get(host.toLowerCase().replace(/\.$/, '')) ?? localhost(host);
    if (known) return addressTarget(known, host);
    return resolveByDns(host, candidateNames(host, rule), resolver, left, signal);
  };
}

function startLeft(deadlineMs: number): () => number {
  const elapsed = startStopwatch();
  return () => Math.max(1, deadlineMs - elapsed());
}

/** RFC 6761 6.3: such names never leave the host. */
function localhost(host: string): string[] | undefined {
  return /(^|\.)localhost\.?$/i.test(host) ? ['127.0.0.1', '::1'] : undefined;
}

function addressTarget(addresses: readonly string[], host: string): ResolvedTarget {
  const address = addresses.find((one) => isIP(one) === 4) ?? addresses[0];
  const family = isIP(address ?? '');
  if (address === undefined || (family !== 4 && family !== 6)) {
    return { kind: 'definite', error: `${host} has no address` };
  }
  return { kind: 'address', address, family };
}

async function resolveByDns(
  host: string,
  names: string[],
  resolver: OwnResolver,
  left: () => number,
  signal: AbortSignal,
): Promise<ResolvedTarget> {
  let exists = false;
  for (const name of names) {
    const asked = await askAddresses(name, resolver, left, signal);
    if (asked.kind === 'answer') return addressTarget(asked.value, host);
    if (asked.kind === 'silence') return silenceProblem(host, asked.end);
    if (asked.code !== 'nxdomain' && asked.code !== 'nodata' && asked.code !== 'badname') {
      return problem('resolver', `the agent's own resolver answers ${asked.code} for ${host}`, 'RESOLVER');
    }
    exists ||= asked.code === 'nodata';
  }
  return { kind: 'definite', error: exists ? `${host} has no address` : `${host} does not exist` };
}

/** IPv4 first; IPv6 is asked only where there is no IPv4 address. */
async function askAddresses(
  name: string,
  resolver: OwnResolver,
  left: () => number,
  signal: AbortSignal,
): Promise<Asked<string[]>> {
  const asked = await resolver.ask((one) => one.resolve4(name), left(), signal);
  if (asked.kind !== 'refusal' || asked.code !== 'nodata') return asked;
  return resolver.ask((one) => one.resolve6(name), left(), signal);
}

function silenceProblem(host: string, end: 'timeout' | 'stalled' | 'cut'): ResolvedTarget {
  if (end === 'stalled') return problem('stalled', `this process did not run while ${host} was resolved`, 'AGENT');
  if (end === 'cut') return problem('cut', `ended while ${host} was resolved`, 'AGENT');
  return problem('resolver', `the agent's own resolver does not answer for ${host}`, 'RESOLVER');
}

function problem(
  reason: 'resolver' | 'stalled' | 'cut' | 'descriptors',
  detail: string,
  cause: 'AGENT' | 'RESOLVER',
): ResolvedTarget {
  return { kind: 'problem', reason, detail, cause };
}
