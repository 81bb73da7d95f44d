import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

/** A program as a process of its own, run from its source. */
export interface SourceProgram {
  pid: number;
  /** Lines of its log, parsed. */
  log: readonly Record<string, unknown>[];
  /** What its log first says under this name. */
  logged(field: string): Promise<string>;
  /** As a supervisor ends it; resolves when it has. */
  stop(): Promise<void>;
}

const START_MS = 60_000;

/** Starts agent, collector or api with just this environment, a collector's or api's figures at a port of loopback. */
export function startSourceProgram(program: 'agent' | 'collector' | 'api', env: Record<string, string>): SourceProgram {
  const main = fileURLToPath(new URL(`../../${program}/main.ts`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', main], {
    env: { PATH: process.env.PATH, HEALTH_LISTEN: '127.0.0.1:0', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  const lines: Record<string, unknown>[] = [];
  let rest = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() ?? '';
    // The logger writes objects.
    for (const line of parts) lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  return {
    pid: child.pid ?? 0,
    log: lines,
    logged: (field) =>
      eventually(`${program} to log ${field}`, START_MS, () => {
        const line = lines.find((line) => field in line);
        if (line === undefined && child.exitCode !== null) throw new Error(JSON.stringify(lines.at(-1)));
        return line && String(line[field]);
      }),
    async stop() {
      child.kill('SIGTERM');
      // One that was stopped takes the signal only when it goes on.
      child.kill('SIGCONT');
      await ended;
    },
  };
}
