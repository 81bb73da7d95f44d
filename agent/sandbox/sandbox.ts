import { createBoundedCalls, type BoundedCalls, type CallEnd } from '../../runtime/bounded-calls.ts';
import { siblingModule } from '../../runtime/entry.ts';
import type { WatchdogLimits } from '../../runtime/watchdog.ts';
import type { Sandbox, SandboxAnswer } from './answer.ts';
import type { EvalJob } from './eval-worker.ts';
import { createQuarantine } from './quarantine.ts';

/** The heap of the worker's own JavaScript; the engine's memory is limited by the engine. */
const RESOURCES = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 };

export interface SandboxOptions {
  monotonicMs: () => number;
  /** When a worker is killed. */
  watchdog?: WatchdogLimits;
}

/**
 * Runs user functions in a WebAssembly engine inside a worker thread, one at a time. The engine ends what uses too
 * much CPU time (not wall time: a process that was stopped must not blame the function), memory or stack; the host
 * kills a worker that does not answer, and starts another for those who wait. A source that killed three workers is
 * not run again for ten minutes.
 */
export function createSandbox({ monotonicMs, watchdog }: SandboxOptions): Sandbox {
  const quarantine = createQuarantine(monotonicMs);
  const module = siblingModule(import.meta.url, 'eval-worker');
  const calls: BoundedCalls<EvalJob, SandboxAnswer> = createBoundedCalls(module, 'evaluate', {
    watchdog,
    resources: RESOURCES,
  });
  return {
    evaluate: (source, results, signal) =>
      new Promise((resolve) => {
        const known = quarantine.answerFor(source);
        if (known) return resolve(known);
        const onAbort = (): void => resolve(ended);
        signal.addEventListener('abort', onAbort, { once: true });
        void calls.call({ source, results: JSON.stringify(results) }, signal).then((end) => {
          signal.removeEventListener('abort', onAbort);
          const answer = answerOf(end);
          // A host that has no time for its workers says nothing of the function.
          if (end.kind === 'late' || end.kind === 'failed') quarantine.noteKill(source, answer);
          resolve(answer);
        });
      }),
    close: () => calls.close(),
  };
}

const ended: SandboxAnswer = { kind: 'failed', message: 'ended before the function had an answer' };

function answerOf(end: CallEnd<SandboxAnswer>): SandboxAnswer {
  switch (end.kind) {
    case 'value':
      return end.value;
    case 'late':
      return { kind: 'limit', message: 'took too long' };
    case 'failed':
      return { kind: 'failed', message: `the sandbox died: ${end.message}` };
    case 'unrun':
      return { kind: 'failed', message: end.message };
  }
}
