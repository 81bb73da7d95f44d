import { expect, it } from 'vitest';
import { localDays } from '../../../core/local-days.ts';
import { createTimeZone } from '../../../core/time-zone.ts';

const at = (text: string): number => Date.parse(text) / 1000;
const lengths = (starts: readonly number[]): number[] =>
  starts.slice(1).map((start, index) => (start - (starts[index] ?? 0)) / 3600);

it.each([
  ['UTC', '2026-11-20T12:00:00Z', '2026-11-18T00:00:00Z', [24, 24, 24]],
  ['Asia/Kolkata', '2026-11-20T18:29:59Z', '2026-11-17T18:30:00Z', [24, 24, 24]],
  ['Asia/Kolkata', '2026-11-20T18:30:00Z', '2026-11-18T18:30:00Z', [24, 24, 24]],
  ['Europe/Berlin', '2026-10-25T23:30:00Z', '2026-10-23T22:00:00Z', [24, 25, 24]],
  ['Europe/Berlin', '2026-03-29T12:00:00Z', '2026-03-26T23:00:00Z', [24, 24, 23]],
  ['Australia/Lord_Howe', '2026-10-04T06:00:00Z', '2026-10-01T13:30:00Z', [24, 24, 23.5]],
  // Midnight itself is skipped, or comes twice.
  ['Asia/Beirut', '2026-03-29T12:00:00Z', '2026-03-26T22:00:00Z', [24, 24, 23]],
  ['Asia/Beirut', '2026-10-25T12:00:00Z', '2026-10-22T21:00:00Z', [24, 25, 24]],
])('in %s at %s three days begin at %s', (zone, instant, first, hours) => {
  const starts = localDays(createTimeZone(zone), at(instant), 3);
  expect(new Date((starts[0] ?? 0) * 1000).toISOString()).toBe(new Date(first).toISOString());
  expect(lengths(starts)).toEqual(hours);
});

it('gives every zone days that begin with their date and hold the moment', () => {
  const instant = at('2026-11-20T10:17:00Z');
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const starts = localDays(createTimeZone(name), instant, 100);
    const date = new Intl.DateTimeFormat('en-CA', { timeZone: name, dateStyle: 'short' });
    const days = starts.map((start) => date.format(start * 1000));
    expect(new Set(days).size, name).toBe(101);
    expect(days.at(-2), name).toBe(date.format(instant * 1000));
    for (const [index, start] of starts.entries())
      if (index > 0) expect(date.format(start * 1000 - 1), name).toBe(days[index - 1]);
  }
}, 120_000);
