import { Worker } from 'node:worker_threads';
import { siblingWorker } from './entry.ts';
import type { FunctionPlace, WorkerMessage } from './function-worker.ts';
import { watchJob, type WatchdogLimits } from './watchdog.ts';

/** How a call ended. `late`: it used up its time. `failed`: it threw, or its worker was not let run. */
export type CallEnd<T> = { kind: 'value'; value: T } | { kind: 'late' } | { kind: 'failed'; message: string };

/** Calls of one pure function, in a worker thread that is killed where a call takes too long. */
export interface BoundedCalls<A, T> {
  call(argument: A): Promise<CallEnd<T>>;
  /** Ends the worker; calls that wait fail. */
  close(): Promise<void>;
}

interface Call {
  argument: unknown;
  /** With a type of its own where it is called. */
  end: (end: CallEnd<unknown>) => void;
}

/**
 * Prepares calls of `name`, which `module` exports: a function of one value that can be cloned, without state. They run one
 * at a time; a worker starts with the first, and anew after one that was killed. Time is what the worker has been on the
 * CPU, a second without `limits`, so that a busy machine refuses nothing.
 */
export function createBoundedCalls<A, T>(module: URL, name: string, limits?: WatchdogLimits): BoundedCalls<A, T> {
  const waiting: Call[] = [];
  let running: Call | undefined;
  let worker: RunningWorker | undefined;
  let isClosed = false;
  const next = (): void => {
    if (running) return;
    running = waiting.shift();
    if (!running) return;
    worker ??= startWorker({ module: module.href, name }, limits, settle);
    worker.run(running.argument);
  };
  const settle = (end: CallEnd<unknown>, isAlive: boolean): void => {
    const call = running;
    running = undefined;
    if (!isAlive) worker = undefined;
    call?.end(end);
    next();
  };
  return {
    call: (argument) =>
      new Promise((resolve) => {
        if (isClosed) return resolve(closed);
        // What the function returns, by the caller's word.
        waiting.push({ argument, end: (end) => resolve(end as CallEnd<T>) });
        next();
      }),
    async close() {
      isClosed = true;
      for (const { end } of waiting.splice(0)) end(closed);
      await worker?.end();
      running?.end(closed);
    },
  };
}

const closed = { kind: 'failed', message: 'ended before the call had' } as const;

interface RunningWorker {
  /** Runs one call as soon as the worker is ready; the one before it must have ended. */
  run(argument: unknown): void;
  end(): Promise<unknown>;
}

function startWorker(
  workerData: FunctionPlace,
  limits: WatchdogLimits | undefined,
  settle: (end: CallEnd<unknown>, isAlive: boolean) => void,
): RunningWorker {
  const entry = siblingWorker(import.meta.url, 'function-worker');
  // The worker needs nothing of the program's environment.
  const worker = new Worker(entry, { workerData, execArgv: [], env: {} });
  let thread: string | null | undefined;
  let due: { argument: unknown } | undefined;
  let stopWatch = (): void => undefined;
  let isOver = false;
  const over = (end: CallEnd<unknown>): void => {
    stopWatch();
    if (isOver) return;
    isOver = true;
    void worker.terminate();
    settle(end, false);
  };
  const send = (): void => {
    if (!due || thread === undefined) return;
    const late: CallEnd<unknown> = { kind: 'late' };
    stopWatch = watchJob(thread, (end) => over(end === 'limit' ? late : failed('the worker was not let run')), limits);
    worker.postMessage(due.argument);
    due = undefined;
  };
  worker.on('message', (message: WorkerMessage) => {
    stopWatch();
    if (isOver) return;
    if (message.kind === 'value') return settle(message, true);
    thread = message.thread;
    send();
  });
  worker.on('error', (error: Error) => over(failed(error.message)));
  worker.on('exit', (code) => over(failed(`the worker ended with code ${code}`)));
  return {
    run(argument) {
      due = { argument };
      send();
    },
    end() {
      isOver = true;
      stopWatch();
      return worker.terminate();
    },
  };
}

function failed(message: string): CallEnd<never> {
  return { kind: 'failed', message };
}
