import { expect, test } from 'vitest';
import { judgeCrashes, judgeLife } from '../../faults/processes.ts';

const MIB = 1024 * 1024;
const SECONDS = 600;

/** What is wrong with a program that takes so many MiB at each of its seconds; it is looked at every five. */
function wrongWith(mibAt: (second: number) => number, seconds = SECONDS): string[] {
  const samples = Array.from({ length: seconds / 5 }, (_, index) => ({
    ms: 1_800_000_000_000 + index * 5000,
    bytes: mibAt(index * 5) * MIB,
  }));
  return judgeLife({ name: 'api', samples }).map(({ kind, text }) => `${kind}: ${text}`);
}

test('a program that takes what it takes and breathes is well', () => {
  expect(wrongWith((second) => 150 + 60 * Math.sin(second))).toEqual([]);
});

test('a program that takes its memory in its first minute and keeps it is well', () => {
  expect(wrongWith((second) => Math.min(390, 90 + 5 * second))).toEqual([]);
});

test('a single sample of too much is too much, in a life of seconds too', () => {
  expect(wrongWith((second) => (second === 300 ? 401 : 150))).toEqual(['memory: api took 401 MiB']);
  expect(wrongWith(() => 500, 10)).toEqual(['memory: api took 500 MiB']);
});

test('what a program takes more and more of is growth, long before it is too much', () => {
  expect(wrongWith((second) => 100 + second / 4)).toEqual(['memory: api grew by 90 MiB']);
  expect(wrongWith((second) => 100 + second / 6)).toEqual([]);
});

test('a program that ends by itself is called crashed, but for an agent whose disk fails', () => {
  const parts = [
    { name: 'api', crashes: 0 },
    { name: 'collector-a', crashes: 2 },
    { name: 'eu-1', crashes: 3 },
  ];
  const crashed = { kind: 'crashed', text: 'collector-a ended by itself 2 times' };
  expect(judgeCrashes(parts, ['eu-1'])).toEqual([crashed]);
});
