import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { connect } from 'node:net';
import { join } from 'node:path';
import { monotonicMs, sleep } from '../../runtime/time.ts';
import { projectRoot } from './project-root.ts';

const READY_LIMIT_MS = 60_000;

type Program = 'agent' | 'api' | 'cli' | 'collector';

/** The Node command line of one of the project's programs, as compiled into dist/. */
function programCommand(program: Program): string[] {
  return ['--enable-source-maps', join(projectRoot(), 'dist', program, 'main.js')];
}

/**
 * Starts a program as leader of a process group of its own, in this environment plus `env`; `inside` is a command line
 * that becomes the one it is given, somewhere else (`nsenter`, say).
 */
export function spawnProgram(
  program: Program,
  env: Record<string, string>,
  stdio: StdioOptions,
  inside: (...command: string[]) => string[] = (...command) => command,
): ChildProcess {
  const [file = '', ...parameters] = inside(process.execPath, ...programCommand(program));
  return spawn(file, parameters, { stdio, detached: true, env: { ...inherited(), ...env } });
}

/** Runs the `farwatch` command and parses the JSON that it prints. */
export function runFarwatch<T>(args: string[], databaseUrl = ''): Promise<T> {
  const child = spawn(process.execPath, [...programCommand('cli'), ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...inherited(), DATABASE_URL: databaseUrl },
  });
  let output = '';
  let problem = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (problem += chunk.toString()));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      // What the command prints is agreed with this launcher.
      if (code === 0) resolve(JSON.parse(output) as T);
      else reject(new Error(`farwatch ${args.slice(0, 2).join(' ')} failed (code ${code}): ${problem.trim()}`));
    });
  });
}

/** Resolves when somebody listens on the port of loopback; rejects when the child ends or time runs out before. */
export async function listening(child: ChildProcess, port: number): Promise<void> {
  const ended = new AbortController();
  child.once('error', () => ended.abort());
  child.once('exit', () => ended.abort());
  if (child.exitCode !== null || child.signalCode !== null) ended.abort();
  const deadline = monotonicMs() + READY_LIMIT_MS;
  while (!ended.signal.aborted && monotonicMs() < deadline) {
    if (await accepts(port)) return;
    await sleep(50, ended.signal);
  }
  throw new Error(ended.signal.aborted ? 'ended while starting' : 'does not listen');
}

/** True when somebody accepts a connection on this port of loopback. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The launcher's environment without what would steer the programs behind its back. */
function inherited(): NodeJS.ProcessEnv {
  const own = ['DATABASE_URL', 'NATS_URL', 'LISTEN', 'FARWATCH', 'COLLECTOR_', 'HEALTH_', 'API_', 'PG', 'npm_'];
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !own.some((prefix) => name.startsWith(prefix))),
  );
}
