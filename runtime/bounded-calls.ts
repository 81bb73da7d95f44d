import { Worker, type ResourceLimits } from 'node:worker_threads';
import { siblingWorker } from './entry.ts';
import type { FunctionPlace, WorkerMessage } from './function-worker.ts';
import { watchJob, type WatchdogEnd, type WatchdogLimits } from './watchdog.ts';

/**
 * How a call ended. `late`: it used up its time. `failed`: it threw, or took its worker with it. `unrun`: there was no
 * worker that ran it to its end, which says nothing of the call.
 */
export type CallEnd<T> =
  | { kind: 'value'; value: T }
  | { kind: 'late' }
  | { kind: 'failed'; message: string }
  | { kind: 'unrun'; message: string };

/** Calls of one function, in a worker thread that is killed where a call takes too long. */
export interface BoundedCalls<A, T> {
  /** Never rejects. A call that still waits when the signal aborts is not begun. */
  call(argument: A, signal?: AbortSignal): Promise<CallEnd<T>>;
  /** Ends the worker; calls that wait are not run. */
  close(): Promise<void>;
}

export interface BoundedCallsOptions {
  /** When a worker is killed. */
  watchdog?: WatchdogLimits;
  /** Of the worker. */
  resources?: ResourceLimits;
}

interface Call {
  argument: unknown;
  /** With a type of its own where it is called. */
  end: (end: CallEnd<unknown>) => void;
}

/** A worker that is not ready after this long is not coming. */
const START_LIMIT_MS = 20_000;

/**
 * Prepares calls of `name`, which `module` exports: a function of one value that can be cloned, or its promise. They run
 * one at a time; a worker starts with the first, and anew after one that was killed. Time is what the worker has been on
 * the CPU, a second unless told otherwise, so that a busy machine refuses nothing.
 */
export function createBoundedCalls<A, T>(
  module: URL,
  name: string,
  options: BoundedCallsOptions = {},
): BoundedCalls<A, T> {
  const waiting: Call[] = [];
  let running: Call | undefined;
  let worker: RunningWorker | undefined;
  let isClosed = false;
  const next = (): void => {
    if (running || isClosed) return;
    running = waiting.shift();
    if (!running) return;
    worker ??= startWorker({ module: module.href, name }, options, settle);
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
    call: (argument, signal) =>
      new Promise((resolve) => {
        if (isClosed || signal?.aborted) return resolve(ended);
        const drop = (): void => {
          const place = waiting.indexOf(call);
          if (place >= 0) waiting.splice(place, 1)[0]?.end(ended);
        };
        const call: Call = {
          argument,
          end(end) {
            signal?.removeEventListener('abort', drop);
            // What the function returns, by the caller's word.
            resolve(end as CallEnd<T>);
          },
        };
        signal?.addEventListener('abort', drop, { once: true });
        waiting.push(call);
        next();
      }),
    async close() {
      isClosed = true;
      for (const { end } of waiting.splice(0)) end(ended);
      running?.end(ended);
      running = undefined;
      await worker?.end();
    },
  };
}

const ended = unrun('ended before the call had');

interface RunningWorker {
  /** Runs one call as soon as the worker is ready; the one before it must have ended. */
  run(argument: unknown): void;
  end(): Promise<unknown>;
}

/** `settle` is told how a call ended, and whether the worker lives on; never before `run` has returned. */
type Settle = (end: CallEnd<unknown>, isAlive: boolean) => void;

function startWorker(
  workerData: FunctionPlace,
  { watchdog, resources }: BoundedCallsOptions,
  settle: Settle,
): RunningWorker {
  const entry = siblingWorker(import.meta.url, 'function-worker');
  try {
    // The worker needs nothing of the program's environment.
    const worker = new Worker(entry, { workerData, execArgv: [], env: {}, resourceLimits: resources });
    return superviseWorker(worker, watchdog, settle);
  } catch (error) {
    // A host that has no thread to give now may have one for the next call.
    const message = `no worker can be started: ${error instanceof Error ? error.message : String(error)}`;
    return {
      run: () => void setImmediate(() => settle(unrun(message), false)),
      end: () => Promise.resolve(),
    };
  }
}

function superviseWorker(worker: Worker, watchdog: WatchdogLimits | undefined, settle: Settle): RunningWorker {
  /** Null where the kernel does not tell; undefined until the worker is ready. */
  let thread: string | null | undefined;
  let due: { argument: unknown } | undefined;
  let isOver = false;
  const over = (end: CallEnd<unknown>): void => {
    stopWatch();
    if (isOver) return;
    isOver = true;
    void worker.terminate();
    settle(end, false);
  };
  // Who died before it was ready died of nothing that it was called with.
  const died = (message: string): void => over(thread === undefined ? unrun(message) : { kind: 'failed', message });
  const starting = setTimeout(() => over(unrun('the worker did not start')), START_LIMIT_MS);
  let stopWatch = (): void => clearTimeout(starting);
  const send = (): void => {
    if (!due || thread === undefined) return;
    const kill = (end: WatchdogEnd): void =>
      over(end === 'limit' ? { kind: 'late' } : unrun('the worker was not let run'));
    stopWatch = watchJob(thread, kill, watchdog);
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
  worker.on('error', (error: Error) => died(error.message));
  worker.on('exit', (code) => died(`the worker ended with code ${code}`));
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

function unrun(message: string): CallEnd<never> {
  return { kind: 'unrun', message };
}
