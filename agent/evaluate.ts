import {
  MAX_ERROR_LENGTH,
  MAX_LATENCY_US,
  POINT_STATUSES,
  microsecondsOf,
  unknownOutcome,
  type Cause,
  type Outcome,
  type PacketStats,
  type PointStatus,
} from '../core/outcome.ts';
import { normaliseDnsValue, type DnsConfig } from '../core/type-data.ts';
import type { DnsAttempt } from './probes/dns.ts';
import type { PingAttempt, PingMeasurement } from './probes/ping.ts';
import type { Problem } from './probes/target.ts';
import type { TcpAttempt } from './probes/tcp.ts';
import type { SandboxAnswer } from './sandbox/answer.ts';

/** Turns what was measured into an outcome: the built-in rules, and what a user's function answered. Pure. */

type EvalName = 'pingEval' | 'tcpEval';

/**
 * The UNKNOWN outcome of a check in which the agent could not measure a host; null where all were measured. One such
 * host makes the whole check UNKNOWN, also beside a host that is certainly dead: what was not measured is not judged,
 * and a function sees no attempt that was not made.
 */
export function judgeProblems(attempts: readonly { host: string; problem: Problem | null }[]): Outcome | null {
  const found = attempts.find(({ problem }) => problem !== null);
  if (!found?.problem) return null;
  const { reason, detail, cause } = found.problem;
  return unknownOutcome(reason, detail.includes(found.host) ? detail : `${detail}, host ${found.host}`, cause);
}

/** PING's built-in rule: UP if every host is alive; latency is the mean over the hosts that answered, 0 if none. */
export function judgePing({ attempts, packets }: PingMeasurement): Outcome {
  const latencies = attempts.filter(({ alive }) => alive).map(({ latency }) => latency ?? 0);
  const status = attempts.every(({ alive }) => alive) ? 'UP' : 'DOWN';
  return outcome(status, mean(latencies), pingFailure(attempts), packets);
}

/** TCP's built-in rule: UP if every host is open; latency is the mean over all hosts. */
export function judgeTcp(attempts: readonly TcpAttempt[]): Outcome {
  const status = attempts.every(({ code }) => code === 'open') ? 'UP' : 'DOWN';
  return outcome(status, mean(attempts.map(({ latency }) => latency)), tcpFailure(attempts), null);
}

/**
 * DNS's rule (specification 2.8): ANY is UP when one expected value is in the answer, ALL when every one is, compared
 * after normalisation, values that are empty after it left out. No records, or an error, is DOWN.
 */
export function judgeDns(config: DnsConfig, attempt: DnsAttempt): Outcome {
  if (attempt.code !== 'answer') {
    return { ...outcome('DOWN', attempt.latency, dnsFailure(attempt), null), cause: dnsCause(attempt) };
  }
  const answered = normalised(attempt.values);
  const expected = normalised(config.values);
  const missing = expected.filter((value) => !answered.includes(value));
  const matches = config.matchType === 'ALL' ? missing.length === 0 : missing.length < expected.length;
  const error = matches ? null : `Expected ${missing.join(', ')}; the answer was ${answered.join(', ') || 'empty'}`;
  return outcome(matches ? 'UP' : 'DOWN', attempt.latency, error, null);
}

/** What a user's function answered, as the outcome (reference §3 and §12): a fault of its own is DOWN, type ERROR. */
export function judgeEval(
  name: EvalName,
  answer: SandboxAnswer,
  failure: string | null,
  packets: PacketStats | null,
): Outcome {
  switch (answer.kind) {
    case 'failed':
      return unknownOutcome('sandbox', answer.message);
    case 'threw':
    case 'limit':
      return evalFault(`Error in ${name}: ${answer.message}`, packets);
    case 'none':
      return evalFault(`${name} did not return a valid response.`, packets);
    case 'value':
      return judgeValue(name, answer.value, failure, packets);
  }
}

function judgeValue(name: EvalName, value: unknown, failure: string | null, packets: PacketStats | null): Outcome {
  if (typeof value !== 'object' || value === null) {
    return evalFault(`${name} did not return a valid response.`, packets);
  }
  const { status, latency } = value as { status?: unknown; latency?: unknown }; // any member of an object may be read
  if (status === undefined || latency === undefined) {
    return evalFault(`${name} did not return status or latency.`, packets);
  }
  if (!isPointStatus(status)) {
    return evalFault(`${name} returned status ${show(status)}, which is none of UP, DOWN, DEGRADED.`, packets);
  }
  if (!isLatency(latency)) {
    const range = `a number from 0 to ${MAX_LATENCY_US / 1000}`;
    return evalFault(`${name} returned latency ${show(latency)}, which is not ${range}.`, packets);
  }
  const error = status === 'UP' ? null : (failure ?? `${name} returned ${status}.`);
  return outcome(status, latency, error, packets);
}

function isLatency(latency: unknown): latency is number {
  return typeof latency === 'number' && latency >= 0 && microsecondsOf(latency) <= MAX_LATENCY_US;
}

function isPointStatus(status: unknown): status is PointStatus {
  return (POINT_STATUSES as readonly unknown[]).includes(status);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 60);
}

/** The fields of a PING result that a function sees (reference §3). */
export function pingEvalInput(attempts: readonly PingAttempt[]): unknown[] {
  return attempts.map(({ alive, min, max, avg, latencies, latency, host, type }) => {
    return { alive, min, max, avg, latencies, latency, host, type };
  });
}

/** The fields of a TCP result that a function sees (reference §3 and §12: the three statuses, and an extra `code`). */
export function tcpEvalInput(attempts: readonly TcpAttempt[]): unknown[] {
  return attempts.map(({ status, latency, host, port, type, code }) => ({ status, latency, host, port, type, code }));
}

/** What stands beside a PING that is not UP: a sentence for each host that did not answer; null if all did. */
export function pingFailure(attempts: readonly PingAttempt[]): string | null {
  const dead = attempts.filter(({ alive }) => !alive);
  const sentences = dead.map(({ host, error }) => `Host ${host} is unreachable.${error === null ? '' : ` (${error})`}`);
  return sentences.join(' ') || null;
}

/** What stands beside a TCP check that is not UP: each host that is not open; null if all are. */
export function tcpFailure(attempts: readonly TcpAttempt[]): string | null {
  const failed = attempts.filter(({ code }) => code !== 'open');
  return failed.map(tcpSentence).join('; ') || null;
}

function tcpSentence({ host, port, status, code, detail }: TcpAttempt): string {
  const more = code === 'error' || code === 'unresolved' ? (detail ?? code) : code;
  return `Host ${host}:${port} is ${status}${status === 'error' ? ` (${more})` : ''}`;
}

const DNS_FAILURES: Record<DnsAttempt['code'], string> = {
  answer: 'answered',
  nxdomain: 'the name does not exist (NXDOMAIN)',
  nodata: 'the name has no such record',
  servfail: 'the name server failed (SERVFAIL)',
  refused: 'the name server refused (REFUSED)',
  formerr: 'the name server did not understand (FORMERR)',
  notimp: 'the name server cannot answer this (NOTIMP)',
  badname: 'the name cannot be asked',
  badresp: 'the answer was malformed',
  unreachable: 'the name server does not take questions',
  timeout: 'the name server did not answer in time',
  unresolved: 'the name server was not found',
  unmeasured: 'not measured',
};

function dnsFailure({ code, host, type, detail }: DnsAttempt): string {
  return `${type} of ${host}: ${DNS_FAILURES[code]}${detail === null ? '' : `: ${detail}`}`;
}

/** What a name server said of the name is the target's word; what it could not say is its own. */
function dnsCause({ code }: DnsAttempt): Cause {
  return code === 'nxdomain' || code === 'nodata' || code === 'badname' ? 'TARGET' : 'RESOLVER';
}

function normalised(values: readonly string[]): string[] {
  return [...new Set(values.map(normaliseDnsValue))].filter((value) => value !== '');
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function evalFault(error: string, packets: PacketStats | null): Outcome {
  return { ...outcome('DOWN', 0, error, packets), origin: 'ERROR' };
}

function outcome(status: PointStatus, latencyMs: number, error: string | null, packets: PacketStats | null): Outcome {
  return {
    status,
    cause: status === 'UP' ? 'NONE' : 'TARGET',
    origin: 'REALTIME',
    latencyUs: Math.min(microsecondsOf(latencyMs), MAX_LATENCY_US),
    error: error === null ? null : error.slice(0, MAX_ERROR_LENGTH),
    packets,
  };
}
