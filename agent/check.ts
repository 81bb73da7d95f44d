import { setMaxListeners } from 'node:events';
import type { CheckReport } from '../core/check-answer.ts';
import { unknownOutcome, type Outcome } from '../core/outcome.ts';
import type { ConfigOf, ProbeConfig } from '../core/type-data.ts';
import type { ConnectionEvidence, Reach } from './connection-evidence.ts';
import {
  judgeDns,
  judgeEval,
  judgePing,
  judgeProblems,
  judgeTcp,
  pingEvalInput,
  pingFailure,
  tcpEvalInput,
  tcpFailure,
} from './evaluate.ts';
import { guardResolve, type AddressClass } from './policy.ts';
import { measureDns, type DnsAttempt } from './probes/dns.ts';
import type { OwnResolver } from './probes/own-resolver.ts';
import { measurePing, type PingAttempt, type PingTools } from './probes/ping.ts';
import { createResolve } from './probes/resolve.ts';
import { createStartQueue, type StartQueue } from './probes/start-queue.ts';
import type { Resolve } from './probes/target.ts';
import { measureTcp, type TcpAttempt } from './probes/tcp.ts';
import type { Sandbox } from './sandbox/answer.ts';

export interface CheckTools {
  icmp: PingTools['icmp'];
  sandbox: Sandbox;
  resolver: OwnResolver;
  /** The address classes that the owner of the agent allows. */
  allow: readonly AddressClass[];
  evidence: ConnectionEvidence;
  monotonicMs: () => number;
}

/** An outcome, and each host's measurement that it was made of. */
export interface Examination {
  outcome: Outcome;
  results: CheckReport['results'];
}

/** Runs one check: resolve, policy, measure, whose fault, evaluate. Rejects only when a probe is broken. */
export type Examine = (probe: ProbeConfig, signal: AbortSignal) => Promise<Examination>;

export function createExaminer(tools: CheckTools): Examine {
  const resolve = guardResolve(createResolve({ resolver: tools.resolver }), tools.allow);
  const ready = { ...tools, resolve, starts: createStartQueue() };
  return (probe, signal) => {
    // Every host of a check listens to its signal; a hundred listeners are no leak.
    setMaxListeners(0, signal);
    return runCheck(probe, ready, signal);
  };
}

interface ReadyTools extends CheckTools {
  resolve: Resolve;
  starts: StartQueue;
}

/** What a measurement says of the network, whatever its kind, and how it is judged. */
interface Measured {
  attempts: (PingAttempt | TcpAttempt | DnsAttempt)[];
  /** Addresses that answered, and the milliseconds after which they did, at least. */
  answered: { address: string; afterMs: number }[];
  /** Addresses that were silent; null is one somewhere in the public network, behind the agent's own resolver. */
  silent: (string | null)[];
  judge: () => Outcome | Promise<Outcome>;
}

async function runCheck(probe: ProbeConfig, tools: ReadyTools, signal: AbortSignal): Promise<Examination> {
  const startedMs = tools.monotonicMs();
  const measured = await measure(probe, tools, signal);
  return { outcome: await conclude(probe, measured, startedMs, tools, signal), results: measured.attempts };
}

async function conclude(
  probe: ProbeConfig,
  { attempts, answered, silent, judge }: Measured,
  startedMs: number,
  { evidence, monotonicMs }: ReadyTools,
  signal: AbortSignal,
): Promise<Outcome> {
  const endedMs = monotonicMs();
  for (const { address, afterMs } of answered) evidence.noteAnswer(address, startedMs, startedMs + afterMs);
  const unmeasured = judgeProblems(attempts);
  if (unmeasured) return unmeasured;
  const reach = farthest(silent.map((address) => (address === null ? 'public' : evidence.reachOf(address))));
  if (await evidence.confirm(startedMs, endedMs, reach, signal)) return judge();
  if (signal.aborted) return unknownOutcome('cut', 'ended before it was clear that the agent was connected');
  return unknownOutcome('offline', `no evidence that the agent was connected while ${targetOf(probe)} was silent`);
}

function farthest(reaches: Reach[]): Reach {
  if (reaches.includes('public')) return 'public';
  return reaches.includes('private') ? 'private' : 'local';
}

function targetOf({ kind, config }: ProbeConfig): string {
  return kind === 'DNS' ? config.nameServer || 'its resolver' : config.hosts.map(({ host }) => host).join(', ');
}

function measure(probe: ProbeConfig, tools: ReadyTools, signal: AbortSignal): Promise<Measured> {
  switch (probe.kind) {
    case 'PING':
      return checkPing(probe.config, tools, signal);
    case 'TCP':
      return checkTcp(probe.config, tools, signal);
    case 'DNS':
      return checkDns(probe.config, tools, signal);
  }
}

async function checkPing(config: ConfigOf<'PING'>, tools: ReadyTools, signal: AbortSignal): Promise<Measured> {
  const measurement = await measurePing(config, tools, signal);
  const { attempts, packets } = measurement;
  const source = config.pingEval?.trim();
  return {
    attempts,
    answered: attempts.flatMap(({ alive, address, latencies: [afterMs = 0] }) => {
      return alive && address !== null ? { address, afterMs } : [];
    }),
    silent: attempts.filter(isSilentPing).map(({ address }) => address),
    judge: async () => {
      if (!source) return judgePing(measurement);
      const answer = await tools.sandbox.evaluate(source, pingEvalInput(attempts), signal);
      return judgeEval('pingEval', answer, pingFailure(attempts), packets);
    },
  };
}

async function checkTcp(config: ConfigOf<'TCP'>, tools: ReadyTools, signal: AbortSignal): Promise<Measured> {
  const attempts = await measureTcp(config, tools, signal);
  const source = config.tcpEval?.trim();
  return {
    attempts,
    answered: attempts.flatMap((attempt) => {
      const { address, latency: afterMs } = attempt;
      return isAnsweredTcp(attempt) && address !== null ? { address, afterMs } : [];
    }),
    silent: attempts.filter(isSilentTcp).map(({ address }) => address),
    judge: async () => {
      if (!source) return judgeTcp(attempts);
      const answer = await tools.sandbox.evaluate(source, tcpEvalInput(attempts), signal);
      return judgeEval('tcpEval', answer, tcpFailure(attempts), null);
    },
  };
}

async function checkDns(config: ConfigOf<'DNS'>, tools: ReadyTools, signal: AbortSignal): Promise<Measured> {
  const attempt = await measureDns(config, tools, signal);
  const { address, latency: afterMs } = attempt;
  const silent = isSilentDns(attempt);
  return {
    attempts: [attempt],
    answered: !silent && address !== null && attempt.problem === null ? [{ address, afterMs }] : [],
    silent: silent ? [address] : [],
    judge: () => judgeDns(config, attempt),
  };
}

/** A name that does not exist (no address) is an answer, not silence. */
function isSilentPing({ alive, address, problem }: PingAttempt): boolean {
  return !alive && address !== null && problem === null;
}

/** A RST came from the target; that nothing is reachable may have been said by the agent's own gateway. */
function isAnsweredTcp({ code }: TcpAttempt): boolean {
  return code === 'open' || code === 'refused' || code === 'reset';
}

function isSilentTcp(attempt: TcpAttempt): boolean {
  return attempt.problem === null && attempt.code !== 'unresolved' && !isAnsweredTcp(attempt);
}

/** SERVFAIL and REFUSED of the agent's own resolver are what a stub says when the network behind it is gone. */
function isSilentDns({ code, own }: DnsAttempt): boolean {
  return code === 'timeout' || code === 'unreachable' || (own && (code === 'servfail' || code === 'refused'));
}
