import { Worker } from 'node:worker_threads';
import { siblingWorker } from '../../runtime/entry.ts';
import type { Sandbox, SandboxAnswer } from './answer.ts';
import type { WorkerJob, WorkerMessage } from './eval-worker.ts';
import { createQuarantine } from './quarantine.ts';
import { watchJob, type WatchdogLimits } from '../../runtime/watchdog.ts';

/** A worker that is not ready after this long is not coming. */
const START_LIMIT_MS = 20_000;
/** The heap of the worker's own JavaScript; the engine's memory is limited by the engine. */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export interface SandboxOptions {
  monotonicMs: () => number;
  /** When a worker is killed. */
  watchdog?: WatchdogLimits;
}

interface Job extends WorkerJob {
  answer: (answer: SandboxAnswer) => void;
}

/**
 * Runs user functions in a WebAssembly engine inside a worker thread, one at a time. The engine ends what uses too
 * much CPU time (not wall time: a process that was stopped must not blame the function), memory or stack; the host
 * kills a worker that does not answer, and starts another for those who wait. A source that killed three workers is
 * not run again for ten minutes.
 */
export function createSandbox({ monotonicMs, watchdog }: SandboxOptions): Sandbox {
  const quarantine = createQuarantine(monotonicMs);
  const waiting: Job[] = [];
  let running: Job | undefined;
  let worker: WorkerHandle | undefined;
  let isClosed = false;

  const next = (): void => {
    if (running || isClosed) return;
    running = waiting.shift();
    if (!running) return;
    worker ??= startWorker(
      (answer) => settle(answer, false),
      (answer) => settle(answer, true),
      watchdog,
    );
    worker.run(running);
  };
  const settle = (answer: SandboxAnswer, isKilled: boolean): void => {
    const job = running;
    running = undefined;
    if (isKilled) worker = undefined;
    if (isKilled && job) quarantine.noteKill(job.source, answer);
    job?.answer(answer);
    next();
  };
  return {
    evaluate: (source, results, signal) =>
      new Promise((resolve) => {
        const known = isClosed || signal.aborted ? ended : quarantine.answerFor(source);
        if (known) return resolve(known);
        const job: Job = { source, results: JSON.stringify(results), answer: (answer) => finish(answer) };
        const finish = (answer: SandboxAnswer): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(answer);
        };
        const onAbort = (): void => {
          const place = waiting.indexOf(job);
          if (place >= 0) waiting.splice(place, 1);
          finish(ended);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiting.push(job);
        next();
      }),
    async close() {
      isClosed = true;
      for (const job of waiting.splice(0)) job.answer(ended);
      running?.answer(ended);
      running = undefined;
      await worker?.close();
    },
  };
}

const ended: SandboxAnswer = { kind: 'failed', message: 'ended before the function had an answer' };

interface WorkerHandle {
  /** Runs one job as soon as the worker is ready; the one before it must have been answered. */
  run(job: WorkerJob): void;
  close(): Promise<unknown>;
}

/** `onAnswer`: the worker answered its job. `onKilled`: it died or had to be killed, and answers no more. */
function startWorker(
  onAnswer: (answer: SandboxAnswer) => void,
  onKilled: (answer: SandboxAnswer) => void,
  watchdog: WatchdogLimits | undefined,
): WorkerHandle {
  const entry = siblingWorker(import.meta.url, 'eval-worker');
  // The worker sees nothing of the agent's environment.
  const worker = new Worker(entry, { execArgv: [], env: {}, resourceLimits: RESOURCE_LIMITS });
  let thread: string | null | undefined;
  let job: WorkerJob | undefined;
  let isOver = false;
  const kill = (answer: SandboxAnswer): void => {
    if (isOver) return;
    isOver = true;
    stopWatch();
    void worker.terminate();
    onKilled(answer);
  };
  let stopWatch = watchStart(() => kill({ kind: 'failed', message: 'the sandbox did not start' }));
  const send = (): void => {
    if (!job || thread === undefined) return;
    stopWatch = watchJob(thread, (end) => kill(end === 'limit' ? tookTooLong : starved), watchdog);
    worker.postMessage({ source: job.source, results: job.results } satisfies WorkerJob);
    job = undefined;
  };
  worker.on('message', (message: WorkerMessage) => {
    if (isOver) return;
    stopWatch();
    if (message.kind === 'answer') return onAnswer(message.answer);
    thread = message.thread;
    send();
  });
  worker.on('error', (error) => kill({ kind: 'failed', message: `the sandbox died: ${error.message}` }));
  worker.on('exit', (code) => kill({ kind: 'failed', message: `the sandbox ended with code ${code}` }));
  return {
    run(next) {
      job = next;
      send();
    },
    close() {
      isOver = true;
      stopWatch();
      return worker.terminate();
    },
  };
}

const tookTooLong: SandboxAnswer = { kind: 'limit', message: 'took too long' };
const starved: SandboxAnswer = { kind: 'failed', message: 'the sandbox was not let run' };

function watchStart(onLate: () => void): () => void {
  const timer = setTimeout(onLate, START_LIMIT_MS);
  return () => clearTimeout(timer);
}
