import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentTls } from '../../proto/agent-client.ts';
import { testAgentIdentity } from './test-identity.ts';

/** An agent as a process of its own, run from the sources. */
export interface AgentProcess {
  pid: number;
  /** Lines of its log, parsed. */
  log: Record<string, unknown>[];
  stderr(): string;
  kill(signal: NodeJS.Signals): void;
  /** Resolves with the exit code, or the signal that ended it. */
  exited: Promise<number | NodeJS.Signals>;
}

export interface AgentEnvironment {
  collector: string;
  natsUrl: string;
  stateDir: string;
  region?: string;
  agentId?: number;
  /** What it shows to collectors; by default what all agents show that are not told apart. */
  tls?: AgentTls;
  /** A command that starts it, for instance with fewer rights; by default nothing stands before Node. */
  by?: readonly string[];
  /** Further variables, NODE_OPTIONS for instance. */
  more?: Record<string, string>;
}

export function startAgentProcess({
  collector,
  natsUrl,
  stateDir,
  region = 'eu',
  agentId,
  tls,
  by = [],
  more = {},
}: AgentEnvironment): AgentProcess {
  const main = fileURLToPath(new URL('../../agent/main.ts', import.meta.url));
  mkdirSync(stateDir, { recursive: true });
  const identity = testAgentIdentity({ agentId, region, collector, natsUrl, tls });
  writeFileSync(join(stateDir, 'identity.json'), JSON.stringify(identity), { mode: 0o600 });
  const [program = '', ...parameters] = [...by, process.execPath, '--import', 'tsx', main];
  const child = spawn(program, parameters, {
    env: {
      PATH: process.env.PATH,
      COLLECTOR_ADDRESS: collector,
      NATS_URL: natsUrl,
      FARWATCH_STATE_DIR: stateDir,
      FARWATCH_ALLOW: 'loopback,private',
      LOG_LEVEL: 'debug',
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log: Record<string, unknown>[] = [];
  let stderr = '';
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    // The logger writes objects.
    for (const line of lines) log.push(JSON.parse(line) as Record<string, unknown>);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  return {
    pid: child.pid ?? 0,
    log,
    stderr: () => stderr,
    kill: (signal) => void child.kill(signal),
    exited: exitOf(child),
  };
}

async function exitOf(child: ChildProcess): Promise<number | NodeJS.Signals> {
  // What `exit` passes: one of the two is null.
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
  return code ?? signal ?? 'SIGKILL';
}
