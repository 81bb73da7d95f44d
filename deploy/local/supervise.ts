import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createBackoff, sleep } from '../../runtime/time.ts';
import { signalGroup, type ProcessList } from './process-list.ts';

const EXIT_CONFIG = 78;
/** A part that never came up ends the launcher after this many tries. */
const FIRST_TRIES = 3;
const SETTLED_MS = 30_000;
const POLITE_MS = 12_000;
const LOG_LIMIT_BYTES = 32 * 1024 * 1024;

/** Parts end layer by layer: agents while they can still deliver, programs while their stores still stand. */
export const LAYERS = ['agent', 'program', 'store'] as const;
export type Layer = (typeof LAYERS)[number];

/** A program that the launcher keeps running. */
export interface Part {
  name: string;
  /** Starts it as leader of a process group of its own. */
  spawn(stdio: StdioOptions): ChildProcess;
  /** Resolves when it does its work; rejects when it cannot. */
  ready(child: ChildProcess): Promise<void>;
  /** How it is asked to end. */
  stopSignal: NodeJS.Signals;
  layer: Layer;
}

export interface Supervised {
  readonly layer: Layer;
  /** Resolves when the part is up for the first time; rejects when it does not come up. */
  readonly up: Promise<void>;
  /** Asks the part to end and waits; ends it the hard way if it takes too long. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface Surroundings {
  dir: string;
  processes: ProcessList;
  say: (line: string) => void;
}

/** Keeps a part running until it is stopped: what ends is started again, later each time it fails soon. */
export function supervise(part: Part, { dir, processes, say }: Surroundings): Supervised {
  const stopping = new AbortController();
  const logFile = join(dir, 'logs', `${part.name}.log`);
  let current: ChildProcess | null = null;
  let cameUp = false;
  const first = openPromise();

  const runOnce = async (): Promise<string> => {
    const child = startLogged(part, logFile);
    current = child;
    const ended = endOf(child);
    if (child.pid !== undefined) processes.add(part.name, child.pid);
    const up = part.ready(child).then(
      () => {
        cameUp = true;
        first.resolve();
      },
      () => undefined,
    );
    const how = await ended;
    await up;
    if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
    processes.remove(part.name);
    current = null;
    return how;
  };

  const run = async (): Promise<void> => {
    const backoff = createBackoff(500, 15_000);
    for (let tries = 1; !stopping.signal.aborted; tries += 1) {
      const began = Date.now();
      const how = await runOnce();
      if (stopping.signal.aborted) return;
      const log = `${part.name} ended (${how}); the end of ${logFile}:\n${lastLines(logFile)}`;
      if (!cameUp && (tries >= FIRST_TRIES || how === `code ${EXIT_CONFIG}`)) return first.reject(new Error(log));
      if (Date.now() - began > SETTLED_MS) backoff.reset();
      say(`${log}\nstarting ${part.name} again`);
      await sleep(backoff.next(), stopping.signal);
    }
  };
  const finished = run();

  return {
    layer: part.layer,
    up: first.promise,
    async stop() {
      stopping.abort();
      current?.kill(part.stopSignal);
      const late = setTimeout(() => current?.pid !== undefined && signalGroup(current.pid, 'SIGKILL'), POLITE_MS);
      await finished;
      clearTimeout(late);
    },
    kill() {
      stopping.abort();
      if (current?.pid !== undefined) signalGroup(current.pid, 'SIGKILL');
    },
  };
}

/** The child writes to its file directly: it neither blocks nor dies when the launcher is gone. */
function startLogged(part: Part, logFile: string): ChildProcess {
  mkdirSync(join(logFile, '..'), { recursive: true, mode: 0o700 });
  if (existsSync(logFile) && statSync(logFile).size > LOG_LIMIT_BYTES) renameSync(logFile, `${logFile}.1`);
  const log = openSync(logFile, 'a', 0o600);
  try {
    return part.spawn(['ignore', log, log]);
  } finally {
    closeSync(log);
  }
}

function endOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, signal) => resolve(signal === null ? `code ${code}` : signal));
  });
}

function openPromise(): { promise: Promise<void>; resolve: () => void; reject: (error: Error) => void } {
  let resolve: () => void = () => undefined;
  let reject: (error: Error) => void = () => undefined;
  const promise = new Promise<void>((accept, refuse) => {
    resolve = accept;
    reject = refuse;
  });
  // Whoever waits hears of the failure; when nobody does yet, it must not end the process.
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}

function lastLines(file: string): string {
  const lines = readFileSync(file, 'utf8').slice(-4000).trimEnd().split('\n');
  return lines
    .slice(-6)
    .map((line) => `  ${line}`)
    .join('\n');
}
