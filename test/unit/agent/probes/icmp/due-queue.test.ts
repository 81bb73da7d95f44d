import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DueQueue } from '../../../../../agent/probes/icmp/due-queue.ts';

test('gives back the earliest first, whatever the order of pushing and popping', () => {
  const actions = fc.array(fc.option(fc.integer({ min: 0, max: 50 }), { nil: null }), { maxLength: 200 });
  fc.assert(
    fc.property(actions, (steps) => {
      const queue = new DueQueue<{ dueUs: number }>();
      const model: number[] = [];
      for (const step of steps) {
        if (step === null) {
          expect(queue.pop()?.dueUs).toBe(model.shift());
        } else {
          queue.push({ dueUs: step });
          model.push(step);
          model.sort((a, b) => a - b);
        }
        expect(queue.first()?.dueUs).toBe(model[0]);
      }
    }),
  );
});

test('is empty after clear', () => {
  const queue = new DueQueue<{ dueUs: number }>();
  queue.push({ dueUs: 1 });
  queue.clear();
  expect(queue.pop()).toBeUndefined();
});
