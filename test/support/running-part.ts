import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { signalGroup } from '../../deploy/local/process-list.ts';
import type { Part } from '../../deploy/local/supervise.ts';

const RESTART_MS = 500;

/**
 * A program of the system under test. What ends by itself is started again, as every supervisor does; what the test
 * killed stays dead until the test brings it back.
 */
export interface RunningPart {
  readonly name: string;
  readonly pid: number;
  /** How often it ended by itself. */
  readonly crashes: number;
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
  let wanted = false;
  let crashes = 0;
  const spawn = (): ChildProcess => {
    const log = openSync(logFile, 'a');
    const started = part.spawn(['ignore', log, log]);
    closeSync(log);
    child = started;
    started.once('exit', () => void restart(started));
    return started;
  };
  const restart = async (ended: ChildProcess): Promise<void> => {
    if (!wanted) return;
    crashes += 1;
    await wait(RESTART_MS);
    // The test may have stopped or started it in between.
    const still = (): boolean => wanted && child === ended;
    if (still()) spawn();
  };
  const log = (): string => readFileSync(logFile, 'utf8');
  return {
    name: part.name,
    get pid() {
      return child?.pid ?? 0;
    },
    get crashes() {
      return crashes;
    },
    async start() {
      wanted = true;
      await part.ready(spawn()).catch((cause: unknown) => {
        throw new Error(`${part.name} did not start: ${log().slice(-3000)}`, { cause });
      });
    },
    async kill9() {
      wanted = false;
      if (child?.pid === undefined) return;
      signalGroup(child.pid, 'SIGKILL');
      await endOf(child);
    },
    async stop() {
      wanted = false;
      if (child?.pid === undefined) return null;
      child.kill(part.stopSignal);
      const result = await endOf(child);
      signalGroup(child.pid, 'SIGKILL');
      return result;
    },
    signal(signal) {
      child?.kill(signal);
    },
    log,
  };
}

function endOf(process: ChildProcess): Promise<number | NodeJS.Signals | null> {
  if (process.exitCode !== null || process.signalCode !== null)
    return Promise.resolve(process.exitCode ?? process.signalCode);
  return new Promise((resolve) => process.once('exit', (code, signal) => resolve(code ?? signal)));
}
