import { describe, expect, it } from 'vitest';
import { depart } from '../../../agent/departure.ts';
import { createLogger } from '../../../runtime/logger.ts';

const logger = createLogger('agent', 'silent');
const never = new AbortController().signal;

interface Leaver {
  untilMs: number | null;
  isDone: boolean;
  nowMs: number;
}

/** Departs in a time that is only counted; returns when it ended. */
async function departed(leaver: Leaver, signal = never): Promise<number> {
  const ended = depart(
    {
      members: { leave: () => leaver.untilMs },
      schedule: { isDoneUntil: () => leaver.isDone },
      // Each look at the clock is a second later.
      nowMs: () => (leaver.nowMs += 1000),
      logger,
    },
    signal,
  );
  await ended;
  return leaver.nowMs;
}

describe('an agent that leaves', () => {
  it('goes at once where nobody takes over', async () => {
    expect(await departed({ untilMs: null, isDone: false, nowMs: 0 })).toBe(0);
  });

  it('stays until the moment it has named, though there is nothing to do', async () => {
    expect(await departed({ untilMs: 5000, isDone: true, nowMs: 0 })).toBeGreaterThanOrEqual(5000);
  });

  it('stays until its last check has ended, and no longer than a minute', async () => {
    const leaver = { untilMs: 5000, isDone: false, nowMs: 0 };
    setTimeout(() => (leaver.isDone = true), 300);
    expect(await departed(leaver)).toBeLessThan(30_000);
    const end = await departed({ untilMs: 5000, isDone: false, nowMs: 0 });
    expect(end).toBeGreaterThanOrEqual(63_000);
    expect(end).toBeLessThan(66_000);
  });

  it('goes when nothing is measured any more', async () => {
    const measured = new AbortController();
    setTimeout(() => measured.abort(), 50);
    expect(await departed({ untilMs: 5000, isDone: false, nowMs: 0 }, measured.signal)).toBeLessThan(10_000);
  });
});
