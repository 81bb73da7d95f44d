import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startDeadline, type DeadlineEnd } from '../../../../agent/probes/deadline.ts';

/** Keeps this process from running, as a stop or a busy machine does. */
function holdUp(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

function endOf(ms: number): Promise<DeadlineEnd> {
  return new Promise((resolve) => startDeadline(ms, resolve));
}

describe('a deadline', () => {
  it('that is judged in time is a timeout', async () => {
    expect(await endOf(20)).toBe('timeout');
  });

  it('that is judged more than 250 ms late is stalled', async () => {
    const end = endOf(20);
    holdUp(320);
    expect(await end).toBe('stalled');
  });

  it('that is judged a little late is still a timeout', async () => {
    const end = endOf(20);
    holdUp(120);
    expect(await end).toBe('timeout');
  });

  it('lets what lies ready in a socket be seen first, even when it is late', async () => {
    const seen: string[] = [];
    await new Promise<void>((resolve) => {
      startDeadline(20, () => {
        seen.push('deadline');
        resolve();
      });
      // Like an answer that came while nobody looked: it is dispatched in the same turn, after the timers.
      setTimeout(() => setImmediate(() => seen.push('answer')), 20);
      holdUp(400);
    });
    expect(seen).toEqual(['answer', 'deadline']);
  });

  it('that was cleared ends no more, also between its timer and its judgement', async () => {
    let ended = false;
    const deadline = startDeadline(5, () => (ended = true));
    setTimeout(() => setImmediate(() => deadline.clear()), 5);
    await wait(60);
    expect(ended).toBe(false);
  });
});
