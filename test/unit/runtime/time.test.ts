import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { createBackoff, createDialPace, sleep, untilAborted } from '../../../runtime/time.ts';

describe('sleep', () => {
  it('ends early when its signal aborts, and leaves no listener', async () => {
    const controller = new AbortController();
    const slept = sleep(3_600_000, controller.signal);
    controller.abort();
    await slept;
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  it('leaves no listener on a signal that lives on', async () => {
    vi.useFakeTimers();
    const { signal } = new AbortController();
    const slept = sleep(1000, signal);
    await vi.advanceTimersByTimeAsync(1000);
    await slept;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    vi.useRealTimers();
  });
});

describe('untilAborted', () => {
  it('waits for its signal for longer than any timer lasts', async () => {
    vi.useFakeTimers();
    const controller = new AbortController();
    let isOver = false;
    const waited = untilAborted(controller.signal).then(() => (isOver = true));
    await vi.advanceTimersByTimeAsync(2 ** 31);
    expect(isOver).toBe(false);
    controller.abort();
    await waited;
    await untilAborted(controller.signal);
    vi.useRealTimers();
  });
});

describe('createBackoff', () => {
  it('doubles to its limit with jitter over the upper half, and begins anew after a success', () => {
    const low = createBackoff(100, 500, () => 0);
    expect([low.next(), low.next(), low.next(), low.next(), low.next()]).toEqual([50, 100, 200, 250, 250]);
    low.reset();
    expect(low.next()).toBe(50);
    const high = createBackoff(100, 500, () => 0.5);
    expect([high.next(), high.next()]).toEqual([75, 150]);
  });
});

describe('createDialPace', () => {
  it('lets dial at once, then again only when its wait has passed', () => {
    let nowMs = 1000;
    const pace = createDialPace(250, () => nowMs);
    expect(pace()).toBe(-Infinity);
    expect(pace()).toBe(250);
    nowMs += 200;
    expect(pace()).toBe(50);
    nowMs += 50;
    expect([pace(), pace()]).toEqual([-Infinity, 250]);
  });
});
