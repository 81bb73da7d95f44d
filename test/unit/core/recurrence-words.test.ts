import { expect, it } from 'vitest';
import { describeRecurrence } from '../../../core/recurrence-words.ts';

it.each([
  ['FREQ=DAILY;COUNT=1', 'every day, once'],
  ['FREQ=DAILY', 'every day'],
  ['freq=hourly;interval=6;count=3', 'every 6 hours, 3 times'],
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR', 'every 2 weeks on Monday, Wednesday and Friday'],
  ['FREQ=MONTHLY;BYDAY=1MO,-1FR', 'every month on the 1st Monday and the last Friday'],
  [
    'FREQ=MONTHLY;BYMONTHDAY=1,-1,-2',
    'every month on day 1 of the month, the last day of the month and the 2nd last day of the month',
  ],
  ['FREQ=YEARLY;BYMONTH=1,7;BYDAY=SU', 'every year on Sunday in January and July'],
  ['FREQ=YEARLY;BYYEARDAY=100,-3', 'every year on day 100 of the year and the 3rd last day of the year'],
  ['FREQ=YEARLY;BYWEEKNO=20', 'every year in week 20'],
  ['FREQ=DAILY;BYHOUR=2,14;BYMINUTE=5', 'every day at 02:05 and 14:05'],
  ['FREQ=DAILY;BYHOUR=2', 'every day in hour 2'],
  ['FREQ=HOURLY;BYMINUTE=0,30', 'every hour at minute 0 and 30'],
  ['FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=2,-1', 'every month on Monday and Tuesday (only the 2nd and the last of these)'],
  [
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=11,12,13,21',
    'every month on Monday (only the 11th, the 12th, the 13th and the 21st of these)',
  ],
  ['FREQ=DAILY;UNTIL=20261231T235959Z', 'every day, until 31 December 2026'],
  ['FREQ=DAILY;UNTIL=20261231', 'every day, until 31 December 2026'],
])('%s is %s', (rrule, words) => {
  expect(describeRecurrence(rrule)).toBe(words);
});

it('says nothing of what is no rule', () => {
  expect(describeRecurrence('FREQ=SECONDLY')).toBeNull();
});
