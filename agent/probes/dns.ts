import { isIP } from 'node:net';
import { DNS_DEADLINE_MS, parseNameServer, type DnsConfig, type RecordType } from '../../core/type-data.ts';
import { startStopwatch, type BootClock } from './deadline.ts';
import { askRecords } from './dns-records.ts';
import type { OwnResolver } from './own-resolver.ts';
import { askServer, serverText, type Asked, type DnsRefusal } from './resolver-query.ts';
import type { Problem, Resolve } from './target.ts';
import { findUdpProblem } from './udp-route.ts';

/**
 * `answer`: records came. `timeout`: a given name server was silent. `unresolved`: the given name server's own name
 * does not exist. `unmeasured`: this agent could not measure. The others: what the name server said instead.
 */
export type DnsCode = 'answer' | DnsRefusal | 'timeout' | 'unresolved' | 'unmeasured';

/** What one question came to. */
export interface DnsAttempt {
  code: DnsCode;
  /** The answer's records, each as the text that is compared; empty unless `code` is `answer`. */
  values: string[];
  /** Milliseconds with fractions, always set: from the question to the answer, the refusal or the deadline. */
  latency: number;
  host: string;
  type: RecordType;
  /** The address of the given name server; null where the agent's own resolvers were asked, or it was not found. */
  address: string | null;
  /** True where the agent's own resolvers were asked. */
  own: boolean;
  /** Set where the agent itself could not measure; the other fields then say nothing of the target. */
  problem: Problem | null;
  /** What went wrong, where that is more than `code` says. */
  detail: string | null;
}

export interface DnsTools {
  resolve: Resolve;
  resolver: OwnResolver;
  clock?: BootClock;
}

/**
 * Asks a DNS check's question (specification 2.8), at most `DNS_DEADLINE_MS` milliseconds from the question on; finding
 * a name server that is given by name comes before. A blank name server means the resolvers of the agent's host: their silence is the agent's problem
 * (`resolver`), a given one's is the target's. Never rejects.
 */
export async function measureDns(config: DnsConfig, tools: DnsTools, signal: AbortSignal): Promise<DnsAttempt> {
  const elapsed = startStopwatch();
  const found = await (config.nameServer === '' ? askOwn(config, tools, signal) : askGiven(config, tools, signal));
  const blank = { values: [], address: null, own: config.nameServer === '', problem: null, detail: null };
  return { ...blank, latency: elapsed(), host: config.host, type: config.lookupRecord, ...found };
}

type Found = Pick<DnsAttempt, 'code'> & Partial<DnsAttempt>;

async function askOwn({ host, lookupRecord }: DnsConfig, { resolver }: DnsTools, signal: AbortSignal): Promise<Found> {
  const asked = await resolver.ask((one) => askRecords(one, host, lookupRecord), DNS_DEADLINE_MS, signal);
  const silent = asked.kind === 'silence' && asked.end === 'timeout';
  if (!silent && !(asked.kind === 'refusal' && asked.code === 'unreachable')) return foundOf(asked);
  return unmeasured({ reason: 'resolver', detail: "the agent's own resolver does not answer", cause: 'RESOLVER' });
}

async function askGiven(config: DnsConfig, tools: DnsTools, signal: AbortSignal): Promise<Found> {
  const server = parseNameServer(config.nameServer);
  if (!server) throw new Error(`definition with a name server that is none: ${config.nameServer}`);
  const target = await tools.resolve({ type: hostType(server.host), host: server.host }, signal);
  if (target.kind === 'problem') return unmeasured(target);
  if (target.kind === 'definite') return { code: 'unresolved', detail: target.error };
  const { address, family } = target;
  const before = await findUdpProblem(address, family, server.port);
  if (before) return { ...unmeasured(before), address };
  const { host, lookupRecord } = config;
  // The whole deadline, however long it took to get here: silence in what was left of it would prove nothing.
  const asking = startStopwatch();
  const asked = await askServer(
    serverText(address, server.port),
    (one) => askRecords(one, host, lookupRecord),
    DNS_DEADLINE_MS,
    signal,
    tools.clock,
  );
  const latency = asking();
  if (asked.kind !== 'refusal' || asked.code !== 'unreachable') return { ...foundOf(asked), address, latency };
  // Between the look before and c-ares' own socket the last descriptor can have gone.
  const after = await findUdpProblem(address, family, server.port);
  return { ...(after ? unmeasured(after) : foundOf(asked)), address, latency };
}

function hostType(host: string): 'IP4' | 'IP6' | 'DOMAIN' {
  const family = isIP(host);
  return family === 4 ? 'IP4' : family === 6 ? 'IP6' : 'DOMAIN';
}

function foundOf(asked: Asked<string[]>): Found {
  switch (asked.kind) {
    case 'answer':
      return { code: 'answer', values: asked.value };
    case 'refusal':
      return { code: asked.code };
    case 'silence':
      if (asked.end === 'timeout') return { code: 'timeout' };
      return unmeasured(
        asked.end === 'stalled'
          ? { reason: 'stalled', detail: 'this process did not run while it waited for the answer', cause: 'AGENT' }
          : { reason: 'cut', detail: 'ended before its own timeout', cause: 'AGENT' },
      );
  }
}

function unmeasured({ reason, detail, cause }: Problem): Found {
  return { code: 'unmeasured', problem: { reason, detail, cause } };
}
