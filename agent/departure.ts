import type { Logger } from '../runtime/logger.ts';
import { sleep } from '../runtime/time.ts';
import type { Members } from './membership/members.ts';
import type { Schedule } from './schedule.ts';

/** Every check has ended by the 58th second of the minute it belongs to, and so within this time. */
const LONGEST_MS = 58_000;
const LOOK_MS = 100;

export interface Leaving {
  members: Pick<Members, 'leave'>;
  schedule: Pick<Schedule, 'isDoneUntil'>;
  /** The service clock, unix milliseconds. */
  nowMs: () => number;
  logger: Logger;
}

/**
 * Hands this agent's share over: names the moment from which on its slots are the others', and goes on until everything
 * before that is done. Resolves at once where there is nobody to take over, or when the signal aborts: nothing is measured
 * any more.
 */
export async function depart({ members, schedule, nowMs, logger }: Leaving, signal: AbortSignal): Promise<void> {
  const untilMs = members.leave();
  if (untilMs === null) return;
  logger.info({ untilMs }, 'leaving, the other agents of the region take over');
  const isDone = (): boolean => nowMs() >= untilMs && schedule.isDoneUntil(untilMs);
  const limitMs = untilMs + LONGEST_MS;
  while (!signal.aborted && nowMs() < limitMs && !isDone()) await sleep(LOOK_MS, signal);
}
