import { describe, expect, it } from 'vitest';
import { countMinutes, floorHour, floorMinute, isMinute, minuteRange, minutesOf } from '../../../core/minute.ts';

describe('floorMinute', () => {
  it.each([
    [0, 0],
    [59.999, 0],
    [60, 60],
    [1_795_159_559, 1_795_159_500],
    [-1, -60],
    [-60, -60],
  ])('puts %d seconds into the minute %d', (seconds, minute) => {
    expect(floorMinute(seconds)).toBe(minute);
  });
});

describe('floorHour', () => {
  it.each([
    [3599, 0],
    [3600, 3600],
    [-1, -3600],
  ])('puts %d seconds into the hour %d', (seconds, hour) => {
    expect(floorHour(seconds)).toBe(hour);
  });
});

describe('isMinute', () => {
  it.each([
    [120, true],
    [0, true],
    [-60, true],
    [61, false],
    [60.5, false],
    [Number.NaN, false],
    [2 ** 60, false],
  ])('answers for %d: %s', (value, expected) => {
    expect(isMinute(value)).toBe(expected);
  });
});

describe('minuteRange', () => {
  it.each([
    ['aligned pair', 600, 900, 600, 900],
    ['unaligned pair', 601, 959, 600, 900],
    ['pair inside one minute', 601, 659, 600, 660],
    ['pair across one boundary', 659, 660, 600, 660],
    ['pair that ends a second into the next minute', 659, 661, 600, 660],
  ])('of an %s is half-open', (_name, start, end, from, to) => {
    expect(minuteRange(start, end)).toEqual({ from, to });
  });

  it('counts and lists the same minutes', () => {
    const range = minuteRange(600, 900);
    expect([...minutesOf(range)]).toEqual([600, 660, 720, 780, 840]);
    expect(countMinutes(range)).toBe(5);
  });
});
