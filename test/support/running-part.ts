import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { signalGroup } from '../../deploy/local/process-list.ts';
import type { Part } from '../../deploy/local/supervise.ts';

/** A program of the system under test, which the test may kill and bring back. */
export interface RunningPart {
  readonly name: string;
  readonly pid: number;
  /** Starts it and waits until it is ready. */
  start(): Promise<void>;
  /** SIGKILL to it and all it started; its files stay. */
  kill9(): Promise<void>;
  /** The polite way; resolves with the exit code, or the signal that ended it. */
  stop(): Promise<number | NodeJS.Signals | null>;
  signal(signal: NodeJS.Signals): void;
  log(): string;
}

export function runningPart(part: Part, logDir: string): RunningPart {
  const logFile = join(logDir, `${part.name}.log`);
  let child: ChildProcess | null = null;
  const ended = (process: ChildProcess): Promise<number | NodeJS.Signals | null> => {
    if (process.exitCode !== null || process.signalCode !== null)
      return Promise.resolve(process.exitCode ?? process.signalCode);
    return new Promise((resolve) => process.once('exit', (code, signal) => resolve(code ?? signal)));
  };
  return {
    name: part.name,
    get pid() {
      return child?.pid ?? 0;
    },
    async start() {
      const log = openSync(logFile, 'a');
      child = part.spawn(['ignore', log, log]);
      closeSync(log);
      await part.ready(child).catch((cause: unknown) => {
        throw new Error(`${part.name} did not start: ${readFileSync(logFile, 'utf8').slice(-3000)}`, { cause });
      });
    },
    async kill9() {
      if (child?.pid === undefined) return;
      signalGroup(child.pid, 'SIGKILL');
      await ended(child);
    },
    async stop() {
      if (child?.pid === undefined) return null;
      child.kill(part.stopSignal);
      const result = await ended(child);
      signalGroup(child.pid, 'SIGKILL');
      return result;
    },
    signal(signal) {
      child?.kill(signal);
    },
    log: () => readFileSync(logFile, 'utf8'),
  };
}
