import type { Logger } from '../runtime/logger.ts';
import { monotonicMs } from '../runtime/time.ts';
import { createGate, type Gate } from './gate.ts';

/** Work that is due again and again. Each collector does it; the database sees to it that two do no harm. */
export interface Job {
  name: string;
  everyMs: number;
  /** Opens where it is due at once. */
  due?: Gate;
  run: () => Promise<unknown>;
}

/** What jobs run with. */
export interface JobRunner {
  nowMs: () => number;
  /** Told of each round. */
  ended: (job: string, failed: boolean, seconds: number) => void;
  logger: Logger;
}

/**
 * Runs a job at the start, in every slot of `everyMs` by `nowMs` (absolute: a slow run moves no later one, a missed slot
 * is not made up for), and whenever it is due at once. A failure is logged and the next slot is the next attempt: the
 * job finds again what it left.
 */
export async function runJob(job: Job, { nowMs, ended, logger }: JobRunner, signal: AbortSignal): Promise<void> {
  const due = job.due ?? createGate();
  while (!signal.aborted) {
    const begun = monotonicMs();
    let failed = false;
    try {
      await job.run();
    } catch (error) {
      failed = true;
      logger.warn({ err: error, job: job.name }, 'job failed');
    }
    ended(job.name, failed, (monotonicMs() - begun) / 1000);
    await due.opened(job.everyMs - (nowMs() % job.everyMs), signal);
  }
}
