import { spawn, type ChildProcess } from 'node:child_process';
import type { FromProcess, ToProcess } from './protocol.ts';

const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A process that lived this long has earned the short wait again. */
const SOUND_MS = 10_000;

export interface ProcessExit {
  /** Exit code, signal, or why it could not be started. */
  reason: string;
  restartInMs: number;
}

export interface KeptProcessOptions {
  /** The program and its arguments; it talks over the channel that Node gives its children. */
  command: readonly string[];
  message: (message: FromProcess) => void;
  exit: (exit: ProcessExit) => void;
}

/** A child process that is started again when it ends, later each time that it ends soon. */
export class KeptProcess {
  readonly #options: KeptProcessOptions;
  #child: ChildProcess | undefined;
  #timer: NodeJS.Timeout | undefined;
  #startedAt = 0;
  #backoffMs = FIRST_BACKOFF_MS;
  #closed = false;

  constructor(options: KeptProcessOptions) {
    this.#options = options;
    this.#start();
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** False where there is no process to send to. What is sent to one that dies is lost: `exit` says so. */
  send(message: ToProcess): boolean {
    if (this.#child?.connected !== true) return false;
    this.#child.send(message, () => undefined);
    return true;
  }

  /** Ends one that hangs; another is started. */
  kill(): void {
    this.#child?.kill('SIGKILL');
  }

  /** Ends it for good. It keeps nothing that would have to be saved, and may be stopped: it is not asked. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    const child = this.#child;
    if (child?.pid === undefined) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill('SIGKILL');
    await ended;
  }

  #start(): void {
    const [file, ...args] = this.#options.command;
    if (file === undefined) throw new Error('a command names a program');
    this.#startedAt = performance.now();
    const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    this.#child = child;
    // The channel carries what serve.ts says, and nobody else speaks there.
    child.on('message', (message) => this.#options.message(message as unknown as FromProcess));
    child.once('exit', (code, signal) => this.#ended(child, signal ?? `exit code ${code}`));
    // Without its channel it is of no use, even where it lives on.
    child.once('disconnect', () => child.kill('SIGKILL'));
    child.on('error', (error) => {
      if (child.pid === undefined) this.#ended(child, error.message);
    });
  }

  #ended(child: ChildProcess, reason: string): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    if (this.#closed) return;
    if (performance.now() - this.#startedAt > SOUND_MS) this.#backoffMs = FIRST_BACKOFF_MS;
    const restartInMs = this.#backoffMs;
    this.#backoffMs = Math.min(2 * restartInMs, MAX_BACKOFF_MS);
    this.#timer = setTimeout(() => this.#start(), restartInMs);
    this.#options.exit({ reason, restartInMs });
  }
}
