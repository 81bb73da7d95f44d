import { setMaxListeners } from 'node:events';
import type { Logger } from './logger.ts';
import { untilAborted } from './time.ts';

/** Longest a program takes to end after the first signal before it is ended the hard way, where it names no other. */
const SHUTDOWN_LIMIT_MS = 15_000;

/** How a program lives: one signal ends all loops, loops are awaited, closers run in reverse order of opening. */
export interface Lifecycle {
  /** Aborts on the first SIGTERM or SIGINT, or when a loop fails. */
  readonly signal: AbortSignal;
  /**
   * Runs a loop, which is to return once the signal aborts. One that rejects, or returns before that, ends the program
   * with exit code 1: its supervisor restarts it.
   */
  run(name: string, loop: (signal: AbortSignal) => Promise<void>): void;
  /** Registers what must be closed at the end; whoever opens closes. */
  onClose(name: string, close: () => Promise<unknown> | void): void;
  /** Ends the program as SIGTERM would. */
  end(): void;
}

/**
 * Runs a program: `start` opens its parts, then this waits for the end, closes everything and exits. The composition
 * root's last call; the process exits with 0 after a signal and with 1 after a failure.
 */
export async function runProgram(
  logger: Logger,
  start: (life: Lifecycle) => Promise<void>,
  shutdownLimitMs = SHUTDOWN_LIMIT_MS,
): Promise<never> {
  const controller = new AbortController();
  // Every loop of the program listens while it waits: many listeners are no leak here.
  setMaxListeners(0, controller.signal);
  const loops: Promise<void>[] = [];
  const closers: { name: string; close: () => Promise<unknown> | void }[] = [];
  let exitCode = 0;
  const fail = (part: string, error: unknown): void => {
    exitCode = 1;
    logger.fatal({ err: error, part }, 'part failed');
    controller.abort();
  };
  const end = (): void => controller.abort();
  for (const name of ['SIGTERM', 'SIGINT'] as const) process.on(name, end);
  controller.signal.addEventListener('abort', () => {
    setTimeout(() => {
      logger.fatal('shutdown took too long');
      process.exit(1);
    }, shutdownLimitMs).unref();
  });
  try {
    await start({
      signal: controller.signal,
      end,
      run: (name, loop) =>
        void loops.push(runToEnd(loop, controller.signal).catch((error: unknown) => fail(name, error))),
      onClose: (name, close) => void closers.push({ name, close }),
    });
    await untilAborted(controller.signal);
  } catch (error) {
    fail('start', error);
  }
  await Promise.all(loops);
  for (const { name, close } of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      fail(name, error);
    }
  }
  process.exit(exitCode);
}

/** A loop has nothing to come back for before the end: one that does leaves a program that only looks alive. */
async function runToEnd(loop: (signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
  await loop(signal);
  if (!signal.aborted) throw new Error('it ended before the program did');
}
