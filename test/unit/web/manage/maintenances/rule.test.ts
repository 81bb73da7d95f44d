import { describe, expect, it } from 'vitest';
import { parseRecurrenceRule } from '../../../../../core/recurrence-rule.ts';
import { ONCE, recurrenceOf, ruleOf, type Recurrence } from '../../../../../web/manage/maintenances/rule.ts';

const weekly: Recurrence = { ...ONCE, freq: 'WEEKLY' };
const monthly: Recurrence = { ...ONCE, freq: 'MONTHLY' };

const CASES: readonly (readonly [rule: string, Recurrence])[] = [
  ['FREQ=DAILY;COUNT=1', ONCE],
  ['FREQ=DAILY', { ...ONCE, freq: 'DAILY' }],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU', { ...weekly, interval: 2, days: ['MO', 'SU'] }],
  ['FREQ=WEEKLY;COUNT=10', { ...weekly, end: { kind: 'count', count: 10 } }],
  ['FREQ=MONTHLY;BYDAY=-1FR', { ...monthly, nth: -1, weekday: 'FR' }],
  ['FREQ=MONTHLY;UNTIL=20271231T235959', { ...monthly, end: { kind: 'until', date: '2027-12-31' } }],
];

describe('ruleOf and recurrenceOf', () => {
  it.each(CASES)('write and read %s', (rule, recurrence) => {
    expect(ruleOf(recurrence)).toBe(rule);
    expect(recurrenceOf(rule)).toEqual(recurrence);
  });

  it.each(CASES)('write %s as the server reads it', (rule) => {
    expect(parseRecurrenceRule(rule)).not.toBeNull();
  });

  it.each([
    ...['FREQ=YEARLY', 'FREQ=MONTHLY;BYDAY=1MO,3MO', 'FREQ=DAILY;BYHOUR=3', 'FREQ=WEEKLY;WKST=SU', 'nonsense'],
    ...['FREQ=MONTHLY;UNTIL=20271231T120000Z', 'INTERVAL=2;FREQ=DAILY'],
  ])('leave %s to whoever wrote it', (rule) => {
    expect(recurrenceOf(rule)).toBeNull();
  });
});
