import { millisecondsOf, type PacketStats } from '../../core/outcome.ts';
import type { PingConfig, PingHost } from '../../core/type-data.ts';
import type { IcmpClient } from './icmp/client.ts';
import { summariseRoundTrips, type HostEcho } from './icmp/host-echo.ts';
import type { Problem, Resolve } from './target.ts';

/** One host's result, in the fields that a `pingEval` sees (reference section 3) and those that judging needs. */
export interface PingAttempt {
  host: string;
  type: PingHost['type'];
  /** What was pinged; null where there was nothing to ping. */
  address: string | null;
  /** At least one reply (reference section 12). Says nothing where `problem` is set. */
  alive: boolean;
  /** Milliseconds with three decimals; null without a reply. */
  min: string | null;
  max: string | null;
  avg: string | null;
  /** Milliseconds, one a reply. */
  latencies: number[];
  /** Mean of the replies, milliseconds; null without one. */
  latency: number | null;
  sent: number;
  received: number;
  /** Why nothing is known of this host: the check is UNKNOWN. */
  problem: Problem | null;
  /** What the network said about the target, for a person: an ICMP error, a name that does not exist. */
  error: string | null;
}

export interface PingMeasurement {
  /** In the order of the hosts. */
  attempts: PingAttempt[];
  /** Over all packets of all hosts. */
  packets: PacketStats;
}

export interface PingTools {
  icmp: Pick<IcmpClient, 'ping'>;
  resolve: Resolve;
}

/**
 * Measures a PING check (specification 2.8): its hosts side by side, one address each, no retries. A host that does
 * not answer is a value, nothing is thrown. When `signal` aborts, what is unfinished has problem `cut`.
 */
export async function measurePing(config: PingConfig, tools: PingTools, signal: AbortSignal): Promise<PingMeasurement> {
  const results = await Promise.all(config.hosts.map((host) => pingHost(host, tools, signal)));
  return {
    attempts: results.map(({ attempt }) => attempt),
    packets: totalPackets(results.flatMap(({ echo }) => echo ?? [])),
  };
}

interface HostResult {
  attempt: PingAttempt;
  echo: HostEcho | null;
}

async function pingHost(host: PingHost, { icmp, resolve }: PingTools, signal: AbortSignal): Promise<HostResult> {
  const target = await resolve(host, signal);
  switch (target.kind) {
    case 'problem': {
      const { reason, detail, cause } = target;
      return { attempt: { ...silentAttempt(host), problem: { reason, detail, cause } }, echo: null };
    }
    case 'definite':
      return { attempt: { ...silentAttempt(host), error: target.error }, echo: null };
    case 'address': {
      const echo = await icmp.ping(target.address, target.family, host.count, host.timeout, signal);
      return { attempt: attemptOf(host, target.address, echo), echo };
    }
  }
}

function silentAttempt({ host, type }: PingHost): PingAttempt {
  const times = { min: null, max: null, avg: null, latencies: [], latency: null };
  return { host, type, address: null, alive: false, ...times, sent: 0, received: 0, problem: null, error: null };
}

function attemptOf({ host, type }: PingHost, address: string, echo: HostEcho): PingAttempt {
  return {
    host,
    type,
    address,
    alive: echo.problem === null && echo.received > 0,
    min: fixedMs(echo.minUs),
    max: fixedMs(echo.maxUs),
    avg: fixedMs(echo.avgUs),
    latencies: echo.roundTripsUs.map(millisecondsOf),
    latency: echo.avgUs === null ? null : millisecondsOf(echo.avgUs),
    sent: echo.sent,
    received: echo.received,
    problem: echo.problem && { ...echo.problem, cause: 'AGENT' },
    error: echo.error,
  };
}

function fixedMs(timeUs: number | null): string | null {
  return timeUs === null ? null : millisecondsOf(timeUs).toFixed(3);
}

/** Packet statistics over all hosts: means and deviation over the replies, not over the hosts. */
export function totalPackets(echoes: readonly HostEcho[]): PacketStats {
  return {
    sent: echoes.reduce((sum, { sent }) => sum + sent, 0),
    received: echoes.reduce((sum, { received }) => sum + received, 0),
    ...summariseRoundTrips(echoes.flatMap(({ roundTripsUs }) => roundTripsUs)),
  };
}
