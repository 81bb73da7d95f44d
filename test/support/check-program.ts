import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Outcome } from '../../core/outcome.ts';
import { TYPE_DATA, type ProbeConfig } from '../../core/type-data.ts';
import type { CheckProgramOptions, CheckProgramRequest } from './fixtures/check-program.ts';

export interface CheckProgram {
  pid: number;
  check(probe: ProbeConfig, more?: { exhaust?: boolean }): Promise<Outcome>;
  close(): Promise<void>;
}

const ENTRY = fileURLToPath(new URL('fixtures/check-program.ts', import.meta.url));

/** Starts a process that runs checks as an agent does; `wrap` puts a command line inside another (a namespace, say). */
export async function startCheckProgram(
  options: CheckProgramOptions = {},
  wrap: (...command: string[]) => string[] = (...command) => command,
): Promise<CheckProgram> {
  const [file = '', ...rest] = wrap(process.execPath, '--import', 'tsx', ENTRY, JSON.stringify(options));
  const child = spawn(file, rest, { stdio: ['pipe', 'pipe', 'inherit'] });
  const waiting = new Map<number, (outcome: Outcome) => void>();
  let lastId = 0;
  const ready = new Promise<void>((resolve, reject) => {
    child.once('exit', () => reject(new Error('the check program ended before it was ready')));
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = JSON.parse(line) as { ready?: true; id: number; outcome: Outcome };
      if (message.ready) return resolve();
      waiting.get(message.id)?.(message.outcome);
      waiting.delete(message.id);
    });
  });
  await ready;
  return {
    pid: child.pid ?? 0,
    check(probe, more = {}) {
      const request: CheckProgramRequest = { id: (lastId += 1), probe, ...more };
      child.stdin.write(`${JSON.stringify(request)}\n`);
      return new Promise((resolve) => waiting.set(request.id, resolve));
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

const DECIDE_LIMIT_MS = 20_000;

/** An outcome that is no stall: on a machine that is too busy the agent rightly says so, and is asked again. */
export async function decided(agent: CheckProgram, probe: ProbeConfig): Promise<Outcome> {
  const startedMs = performance.now();
  for (;;) {
    const outcome = await agent.check(probe);
    const isStall = outcome.error?.startsWith('stalled: ') ?? false;
    if (!isStall || performance.now() - startedMs > DECIDE_LIMIT_MS) return outcome;
  }
}

export function tcpProbe(hosts: { host: string; port: number; timeout?: number }[], tcpEval?: string): ProbeConfig {
  const typed = hosts.map((host) => ({ type: typeOf(host.host), ...host }));
  return { kind: 'TCP', config: TYPE_DATA.TCP.parse({ hosts: typed, tcpEval }) };
}

export function pingProbe(hosts: { host: string; count?: number; timeout?: number }[], pingEval?: string): ProbeConfig {
  const typed = hosts.map((host) => ({ type: typeOf(host.host), ...host }));
  return { kind: 'PING', config: TYPE_DATA.PING.parse({ hosts: typed, pingEval }) };
}

export function dnsProbe(config: Record<string, unknown>): ProbeConfig {
  return { kind: 'DNS', config: TYPE_DATA.DNS.parse({ values: ['192.0.2.1'], ...config }) };
}

function typeOf(host: string): 'IP4' | 'IP6' | 'DOMAIN' {
  if (host.includes(':')) return 'IP6';
  return /^[\d.]+$/.test(host) ? 'IP4' : 'DOMAIN';
}
