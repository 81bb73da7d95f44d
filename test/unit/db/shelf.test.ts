import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createShelf, isShelvable } from '../../../db/shelf.ts';

const HOUR = 3600;
const T = 1_800_000_000 - (1_800_000_000 % HOUR);
const slice = (monitorId: number, from: number, to: number) => ({ monitorId, from: T + from, to: T + to });

it('finds a value by its monitor and both of its ends', () => {
  const shelf = createShelf<string>(10);
  shelf.put(slice(1, 0, 60), 'a');
  shelf.put(slice(1, 0, 120), 'b');
  shelf.put(slice(2, 0, 60), 'c');
  expect([slice(1, 0, 60), slice(1, 0, 120), slice(2, 0, 60), slice(1, 60, 120)].map((one) => shelf.get(one))).toEqual([
    ...['a', 'b', 'c', undefined],
  ]);
});

it('forgets what touches an hour, and nothing else', () => {
  const minutes = fc.integer({ min: 0, max: 600 }).map((minute) => minute * 60);
  const drawn = fc
    .record({ monitorId: fc.constantFrom(1, 2), ends: fc.uniqueArray(minutes, { minLength: 2, maxLength: 2 }) })
    .map(({ monitorId, ends: [a = 0, b = 0] }) => slice(monitorId, Math.min(a, b), Math.max(a, b)));
  fc.assert(
    fc.property(fc.array(drawn), fc.integer({ min: 0, max: 9 }), (slices, hour) => {
      const shelf = createShelf<string>(1000);
      for (const one of slices) shelf.put(one, `${one.monitorId} ${one.from} ${one.to}`);
      const begin = T + hour * HOUR;
      shelf.forget(1, begin);
      for (const one of slices) {
        const touches = one.monitorId === 1 && one.from < begin + HOUR && one.to > begin;
        expect(shelf.get(one)).toBe(touches ? undefined : `${one.monitorId} ${one.from} ${one.to}`);
      }
    }),
  );
});

it('is cleared rather than to hold more than it may', () => {
  const shelf = createShelf<number>(3);
  for (const at of [0, 1, 2]) shelf.put(slice(at, 0, 60), at);
  shelf.forget(0, T);
  shelf.put(slice(3, 0, 60), 3);
  expect(shelf.get(slice(1, 0, 60))).toBe(1);
  shelf.put(slice(4, 0, 60), 4);
  expect([1, 2, 3, 4].map((id) => shelf.get(slice(id, 0, 60)))).toEqual([undefined, undefined, undefined, 4]);
});

it('holds slices of less than two years from 1970 on', () => {
  expect(isShelvable(slice(1, 0, 728 * 86_400))).toBe(true);
  expect(isShelvable(slice(1, 0, 729 * 86_400))).toBe(false);
  expect(isShelvable({ monitorId: 1, from: -60, to: 60 })).toBe(false);
});
