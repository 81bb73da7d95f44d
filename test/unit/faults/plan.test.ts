import { expect, test } from 'vitest';
import { drawPlan } from '../../faults/plan.ts';

const OPTIONS = { minutes: 5, faults: 28, monitors: 54 };

test('a seed has one plan, and another seed another', () => {
  expect(drawPlan(7, OPTIONS)).toEqual(drawPlan(7, OPTIONS));
  expect(drawPlan(8, OPTIONS)).not.toEqual(drawPlan(7, OPTIONS));
});

test('every plan has ten faults of five kinds or more that need no library, all over when the last minute is', () => {
  for (let seed = 0; seed < 500; seed += 1) {
    const { faults } = drawPlan(seed, OPTIONS);
    const everywhere = faults.filter(({ kind }) => kind !== 'clock step' && kind !== 'offline');
    expect(everywhere.length).toBeGreaterThanOrEqual(10);
    expect(new Set(everywhere.map(({ kind }) => kind)).size).toBeGreaterThanOrEqual(5);
    expect(Math.max(...faults.map(({ atMs, lastsMs }) => atMs + lastsMs))).toBeLessThanOrEqual(300_000);
  }
});

test('no agent is offline for so short that it may not notice', () => {
  const all = Array.from({ length: 200 }, (_, seed) => drawPlan(seed, OPTIONS).faults).flat();
  const offline = all.filter(({ kind }) => kind === 'offline').map(({ lastsMs }) => lastsMs);
  expect(offline.length).toBeGreaterThan(200);
  expect(Math.min(...offline)).toBeGreaterThanOrEqual(8000);
});

test('no program is taken twice at the same time', () => {
  for (let seed = 0; seed < 200; seed += 1) {
    const { faults } = drawPlan(seed, OPTIONS);
    const taken = faults.filter((one) => one.kind === 'kill' || one.kind === 'stop' || one.kind === 'leave');
    for (const one of taken) {
      const others = taken.filter((other) => other !== one && other.victim === one.victim);
      for (const other of others)
        expect(one.atMs < other.atMs + other.lastsMs && other.atMs < one.atMs + one.lastsMs).toBe(false);
    }
  }
});
