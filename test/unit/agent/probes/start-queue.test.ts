import { describe, expect, it } from 'vitest';
import { createStartQueue } from '../../../../agent/probes/start-queue.ts';

/** Counts the turns of the event loop from now on: the immediate of one turn runs once in each. */
function countTurns(): { turn: () => number; stop: () => void } {
  let turn = 0;
  let running = true;
  const count = (): void => {
    turn += 1;
    if (running) setImmediate(count);
  };
  setImmediate(count);
  return { turn: () => turn, stop: () => (running = false) };
}

describe('the start queue', () => {
  it('gives no more than its number of turns in one turn of the event loop, in order', async () => {
    const queue = createStartQueue(10);
    const { turn, stop } = countTurns();
    const startedIn: { index: number; turn: number }[] = [];
    const all = Array.from({ length: 35 }, (_, index) => {
      return queue.turn().then(() => startedIn.push({ index, turn: turn() }));
    });
    await Promise.all(all);
    stop();
    expect(startedIn.map(({ index }) => index)).toEqual(Array.from({ length: 35 }, (_, index) => index));
    const counts = new Map<number, number>();
    for (const start of startedIn) counts.set(start.turn, (counts.get(start.turn) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBeLessThanOrEqual(10);
    expect(counts.size).toBeGreaterThanOrEqual(4);
  });

  it('serves those who come while it is at work, and those who come later', async () => {
    const queue = createStartQueue(2);
    const order: string[] = [];
    const first = queue.turn().then(() => {
      order.push('first');
      return queue.turn().then(() => order.push('inner'));
    });
    await Promise.all([first, queue.turn().then(() => order.push('second'))]);
    expect(order).toEqual(['first', 'second', 'inner']);
    await queue.turn();
  });
});
