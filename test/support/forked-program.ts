import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** A program of the tests' own in a process of its own, which answers each order with one message. */
export interface ForkedProgram<Order, Report> {
  pid: number;
  /** One order at a time. Rejects where the program ends instead of answering. */
  tell(order: Order): Promise<Report>;
  /** Resident memory now and the most there ever was, MiB. */
  memoryMib(): { now: number; most: number };
  kill(signal: NodeJS.Signals): void;
  /** Ends it the hard way. */
  end(): Promise<void>;
}

/** Forks `<name>-process.ts` of this folder. */
export function forkProgram<Order, Report>(
  name: string,
  env: Record<string, string> = {},
): ForkedProgram<Order, Report> {
  const child = fork(fileURLToPath(new URL(`${name}-process.ts`, import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const pid = child.pid ?? 0;
  const status = (): string => readFileSync(`/proc/${pid}/status`, 'utf8');
  const mib = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status())?.[1]) / 1024;
  return {
    pid,
    async tell(order) {
      // Orders and reports are plain objects.
      child.send(order as object);
      const ended = exited.then(() => {
        throw new Error(`${name} ended instead of answering`);
      });
      const [report] = (await Promise.race([once(child, 'message'), ended])) as [Report];
      return report;
    },
    memoryMib: () => ({ now: mib('VmRSS'), most: mib('VmHWM') }),
    kill: (signal) => void child.kill(signal),
    async end() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
      await exited;
    },
  };
}
