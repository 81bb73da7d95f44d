import { afterEach, describe, expect, it } from 'vitest';
import { parseCron } from '../../../core/cron.ts';
import { MINUTE_SECONDS } from '../../../core/minute.ts';

const day = Date.UTC(2026, 1, 28) / 1000;

function dueMinutes(expression: string, from: number, minutes: number): number[] {
  const due = parseCron(expression);
  if (!due) throw new Error(`not a cron expression: ${expression}`);
  return Array.from({ length: minutes }, (_, i) => i).filter((i) => due(from + i * MINUTE_SECONDS));
}

const zone = process.env.TZ;
afterEach(() => {
  if (zone === undefined) delete process.env.TZ;
  else process.env.TZ = zone;
});

describe('parseCron', () => {
  it('reads its fields in UTC wherever the process runs', () => {
    process.env.TZ = 'Asia/Kathmandu';
    expect(dueMinutes('0 0 * * *', day, 1440)).toEqual([0]);
  });

  it('reads null as every minute', () => {
    const due = parseCron(null);
    expect(due?.(day)).toBe(true);
    expect(due?.(day + 60)).toBe(true);
  });

  it.each([
    ['* * * * *', 4, [0, 1, 2, 3]],
    ['  *  * * *  * ', 3, [0, 1, 2]],
    ['*/5 * * * *', 11, [0, 5, 10]],
    ['3,7-8 0 * * *', 80, [3, 7, 8]],
    ['0 0 * * 6', 1, [0]],
    ['0 0 * * 0', 1, []],
    ['0 0 1 3 *', 1441, [1440]],
  ])('%s is due in the right minutes, in UTC', (expression, minutes, expected) => {
    expect(dueMinutes(expression, day, minutes)).toEqual(expected);
  });

  it.each([
    '',
    '@daily',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '*/0 * * * *',
    'a b c d e',
    '* * 0 * *',
  ])('refuses %j', (expression) => {
    expect(parseCron(expression)).toBeNull();
  });
});
