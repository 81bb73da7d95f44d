import { afterEach, describe, expect, it } from 'vitest';
import { lastButOneDue, parseCron } from '../../../core/cron.ts';
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

describe('lastButOneDue', () => {
  it.each([
    [null, 0, -1],
    ['* * * * *', 0, -1],
    ['*/5 * * * *', 0, -5],
    ['*/5 * * * *', 4, -5],
    ['*/5 * * * *', 5, 0],
    ['59 23 * * *', 0, -1441],
    ['0 0 29 2 *', 0, -6 * 365 * 1440 - 1440],
    ['0 0 30 2 *', 0, null],
    ['nonsense', 0, null],
  ])('of %j, %i minutes after midnight, was %j minutes after it', (expression, minute, expected) => {
    const at = lastButOneDue(expression, day + minute * MINUTE_SECONDS);
    expect(at).toBe(expected === null ? null : day + expected * MINUTE_SECONDS);
  });

  it.each(['*/7 * * * *', '3,7-8 */2 * * *', '0 4 28 2 *', '*/20 0-3 * * 5', '1-59/2 * * * 6'])(
    'of %j is what the minutes say one by one',
    (expression) => {
      const minutes = dueMinutes(expression, day - 30 * 86_400, 31 * 1440);
      for (let minute = 30 * 1440; minute < 31 * 1440; minute += 13) {
        const due = minutes.filter((candidate) => candidate <= minute).at(-2);
        const found = lastButOneDue(expression, day - 30 * 86_400 + minute * MINUTE_SECONDS);
        if (due !== undefined) expect(found).toBe(day - 30 * 86_400 + due * MINUTE_SECONDS);
      }
    },
  );
});
