import { expect, it } from 'vitest';
import { createKeptValues } from '../../../../api/services/kept-values.ts';

/** Values by number, made when they are let. */
function scene() {
  const clock = { now: 0 };
  const kept = createKeptValues<number>({ freshMs: 5, staleMs: 15, capacity: 2, now: () => clock.now });
  const open: PromiseWithResolvers[] = [];
  const make = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const number = open.length + 1;
      open.push({ resolve: () => resolve(number), reject: () => reject(new Error(`no ${number}`)) });
    });
  return { clock, open, get: (key = 'a') => kept.get(key, make) };
}

interface PromiseWithResolvers {
  resolve(): void;
  reject(): void;
}

it('makes a value once for all who ask meanwhile, and keeps it while it is fresh', async () => {
  const { clock, open, get } = scene();
  const asked = [get(), get()];
  expect(open).toHaveLength(1);
  open[0]?.resolve();
  expect(await Promise.all(asked)).toEqual([1, 1]);
  clock.now = 5;
  expect(await get()).toBe(1);
  expect(open).toHaveLength(1);
});

it('gives a stale value while it makes one new one, and waits for one that is too old', async () => {
  const { clock, open, get } = scene();
  const first = get();
  open[0]?.resolve();
  await first;
  clock.now = 6;
  expect(await get()).toBe(1);
  expect(await get()).toBe(1);
  expect(open).toHaveLength(2);
  open[1]?.resolve();
  await Promise.resolve();
  await new Promise(setImmediate);
  expect(await get()).toBe(2);
  clock.now = 6 + 16;
  const late = get();
  expect(open).toHaveLength(3);
  open[2]?.resolve();
  expect(await late).toBe(3);
});

it('keeps no failure, and gives away what is stale rather than it', async () => {
  const { clock, open, get } = scene();
  const failed = get();
  open[0]?.reject();
  await expect(failed).rejects.toThrow('no 1');
  const first = get();
  open[1]?.resolve();
  expect(await first).toBe(2);
  clock.now = 6;
  expect(await get()).toBe(2);
  open[2]?.reject();
  await new Promise(setImmediate);
  clock.now = 16;
  const late = get();
  open[3]?.reject();
  await expect(late).rejects.toThrow('no 4');
});

it('keeps nothing of what is not there, nor what was there before', async () => {
  const clock = { now: 0 };
  const kept = createKeptValues<number | undefined>({ freshMs: 5, staleMs: 15, capacity: 2, now: () => clock.now });
  let made = 0;
  const get = (value: number | undefined) =>
    kept.get('a', async () => {
      made += 1;
      return value;
    });
  expect(await Promise.all([get(undefined), get(2)]), 'who asks meanwhile hears the same').toEqual([
    undefined,
    undefined,
  ]);
  expect([await get(undefined), await get(3), await get(4), made]).toEqual([undefined, 3, 3, 3]);
  clock.now = 6;
  expect(await get(undefined), 'while it is looked at again').toBe(3);
  await new Promise(setImmediate);
  expect(await get(5)).toBe(5);
});

it('forgets what nobody asked for longest', async () => {
  const { open, get } = scene();
  for (const [at, key] of ['a', 'b'].entries()) {
    const value = get(key);
    open[at]?.resolve();
    await value;
  }
  await get('a');
  const third = get('c');
  open[2]?.resolve();
  await third;
  expect(await get('a')).toBe(1);
  void get('b');
  expect(open).toHaveLength(4);
});

it('counts what a value weighs against what it may keep', async () => {
  const kept = createKeptValues<number>({ freshMs: 5, staleMs: 15, capacity: 10, now: () => 0 }, (value) => value);
  const made: number[] = [];
  const get = (key: string, value: number) =>
    kept.get(key, () => {
      made.push(value);
      return Promise.resolve(value);
    });
  for (const value of [6, 3, 2]) await get(`of ${value}`, value);
  await get('of 3', 3);
  await get('of 6', 6);
  expect(made).toEqual([6, 3, 2, 6]);
  await get('too heavy', 11);
  await get('too heavy', 11);
  expect(made.slice(4)).toEqual([11, 11]);
});

it('counts what the key weighs', async () => {
  const keeping = { freshMs: 5, staleMs: 15, capacity: 10, now: () => 0 };
  const kept = createKeptValues<number>(keeping, (value, key) => value + key.length);
  let made = 0;
  const get = (key: string) => kept.get(key, async () => (made += 1) * 0);
  for (const key of ['a', 'a', 'x'.repeat(10), 'a']) await get(key);
  expect(made).toBe(3);
});

it('forgets what is being made as well', async () => {
  const kept = createKeptValues<number>({ freshMs: 5, staleMs: 15, capacity: 2, now: () => 0 });
  let answer = (_value: number): void => undefined;
  const first = kept.get('a', () => new Promise<number>((resolve) => (answer = resolve)));
  kept.forget();
  const second = kept.get('a', () => Promise.resolve(2));
  answer(1);
  expect(await Promise.all([first, second])).toEqual([1, 2]);
  expect(await kept.get('a', () => Promise.resolve(3))).toBe(2);
});
