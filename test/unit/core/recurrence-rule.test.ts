import { describe, expect, it } from 'vitest';
import { parseRecurrenceRule } from '../../../core/recurrence-rule.ts';
import { drawRule } from '../../support/recurrence-draw.ts';
import { seededRandom } from '../../support/seeded-random.ts';

describe('parseRecurrenceRule', () => {
  it('reads every part', () => {
    const text = 'FREQ=YEARLY;INTERVAL=2;COUNT=3;BYMONTH=1,+2'.replace('+', '');
    expect(parseRecurrenceRule(`${text};BYDAY=MO,-1SU,+20TU;BYMONTHDAY=1,-31;BYHOUR=0,23;BYMINUTE=59;WKST=SU`)).toEqual(
      {
        FREQ: 'YEARLY',
        INTERVAL: 2,
        COUNT: 3,
        UNTIL: undefined,
        BYMINUTE: [59],
        BYHOUR: [0, 23],
        BYDAY: [
          { weekday: 'MO', nth: 0 },
          { weekday: 'SU', nth: -1 },
          { weekday: 'TU', nth: 20 },
        ],
        BYMONTHDAY: [1, -31],
        BYYEARDAY: [],
        BYWEEKNO: [],
        BYMONTH: [1, 2],
        BYSETPOS: [],
        WKST: 'SU',
      },
    );
  });

  it.each([
    ['20261231', { seconds: Date.UTC(2026, 11, 31, 23, 59, 59) / 1000, isLocal: true }],
    ['20261231T101112', { seconds: Date.UTC(2026, 11, 31, 10, 11, 12) / 1000, isLocal: true }],
    ['20280229T000000Z', { seconds: Date.UTC(2028, 1, 29) / 1000, isLocal: false }],
  ])('reads UNTIL=%s', (text, until) => {
    expect(parseRecurrenceRule(`FREQ=DAILY;UNTIL=${text}`)?.UNTIL).toEqual(until);
  });

  it('takes names in any case, parts in any order and several lists', () => {
    expect(parseRecurrenceRule('byday=mo,We;Freq=weekly')).toEqual(parseRecurrenceRule('FREQ=WEEKLY;BYDAY=MO,WE'));
    expect(parseRecurrenceRule('BYMONTH=1,2;BYMONTHDAY=1;BYDAY=MO;BYHOUR=1,2;BYMINUTE=3;FREQ=DAILY')).not.toBeNull();
  });

  it('takes every rule that is drawn for the comparison', () => {
    const random = seededRandom(1);
    const drawn = Array.from({ length: 2000 }, () => drawRule(random));
    expect(drawn.filter((text) => !parseRecurrenceRule(text))).toEqual([]);
  });

  it.each([
    // What feasibility found to hang a library or to be read as something else.
    'INTERVAL=-1;FREQ=DAILY',
    'INTERVAL=1',
    'COUNT=1',
    'FREQ=MINUTELY',
    'FREQ=SECONDLY',
    'FREQ=MINUTELY;INTERVAL=60;BYMINUTE=0',
    'FREQ=MINUTELY;COUNT=1000000000',
    'FREQ=DAILY;BYHOUR=25',
    'FREQ=DAILY;COUNT=abc',
    'FREQ=DAILY;BOGUS=1',
    'FREQ=WEEKLY;BYDAY=XX',
    'FREQ=DAILY;BYSECOND=0',
    'FREQ=YEARLY;BYHOUR=0;BYMINUTE=0;BYSECOND=0,1',
    // What is no RRULE value at all.
    '',
    ' ',
    ';',
    'daily',
    'every day',
    'RRULE:FREQ=DAILY',
    'DTSTART=20260101T000000Z;FREQ=DAILY',
    'DTSTART:20260101T000000Z\nRRULE:FREQ=DAILY',
    'FREQ=DAILY\nEXDATE:20260101T000000Z',
    'FREQ=DAILY;',
    ';FREQ=DAILY',
    'FREQ=DAILY;;COUNT=1',
    'FREQ =DAILY',
    'FREQ=DAILY; COUNT=1',
    'FREQ=',
    'FREQ',
    'FREQ=DAILY=WEEKLY',
    'FREQ=FORTNIGHTLY',
    'FREQ=DAILY;FREQ=DAILY',
    'FREQ=DAILY;COUNT=1;count=1',
    'FREQ=DAILY;X-OWN=1',
    'RSCALE=GREGORIAN;FREQ=DAILY',
    'FREQ=DAILY;TZID=UTC',
    '__proto__=1;FREQ=DAILY',
    'FREQ=DAILY;CONSTRUCTOR=1',
    // Out of range.
    'FREQ=DAILY;INTERVAL=0',
    'FREQ=DAILY;INTERVAL=abc',
    'FREQ=DAILY;INTERVAL=1.5',
    'FREQ=DAILY;INTERVAL=1e3',
    'FREQ=DAILY;INTERVAL=+1',
    'FREQ=DAILY;INTERVAL=99999999999999999999',
    'FREQ=DAILY;COUNT=0',
    'FREQ=DAILY;COUNT=-1',
    'FREQ=DAILY;COUNT=1,2',
    'FREQ=DAILY;BYMINUTE=60',
    'FREQ=DAILY;BYMINUTE=-1',
    'FREQ=DAILY;BYHOUR=24',
    'FREQ=DAILY;BYHOUR=',
    'FREQ=DAILY;BYHOUR=1,',
    'FREQ=DAILY;BYHOUR=,1',
    'FREQ=DAILY;BYHOUR=0x1',
    'FREQ=DAILY;BYHOUR=٣',
    'FREQ=MONTHLY;BYMONTHDAY=0',
    'FREQ=MONTHLY;BYMONTHDAY=32',
    'FREQ=MONTHLY;BYMONTHDAY=-32',
    'FREQ=YEARLY;BYYEARDAY=0',
    'FREQ=YEARLY;BYYEARDAY=367',
    'FREQ=YEARLY;BYWEEKNO=54',
    'FREQ=YEARLY;BYMONTH=13',
    'FREQ=YEARLY;BYMONTH=0',
    'FREQ=YEARLY;BYMONTH=-1',
    'FREQ=YEARLY;BYMONTH=5L',
    'FREQ=MONTHLY;BYDAY=0MO',
    'FREQ=MONTHLY;BYDAY=54MO',
    'FREQ=MONTHLY;BYDAY=-MO',
    'FREQ=MONTHLY;BYDAY=1',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0',
    'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367',
    'FREQ=DAILY;WKST=XX',
    'FREQ=DAILY;WKST=1MO',
    'FREQ=DAILY;UNTIL=20261301',
    'FREQ=DAILY;UNTIL=20260230',
    'FREQ=DAILY;UNTIL=20260101T250000Z',
    'FREQ=DAILY;UNTIL=20260101T006000Z',
    'FREQ=DAILY;UNTIL=2026-01-01',
    'FREQ=DAILY;UNTIL=20260101Z',
    'FREQ=DAILY;UNTIL=never',
    // What RFC 5545 forbids together.
    'FREQ=DAILY;COUNT=1;UNTIL=20260101',
    'FREQ=WEEKLY;BYDAY=1MO',
    'FREQ=DAILY;BYDAY=-1MO',
    'FREQ=YEARLY;BYWEEKNO=1;BYDAY=1MO',
    'FREQ=WEEKLY;BYMONTHDAY=1',
    'FREQ=DAILY;BYYEARDAY=1',
    'FREQ=MONTHLY;BYYEARDAY=1',
    'FREQ=MONTHLY;BYWEEKNO=1',
    'FREQ=DAILY;BYSETPOS=1',
    `FREQ=DAILY;BYHOUR=${Array.from({ length: 6000 }, () => 1).join(',')}`,
  ])('refuses %j', (text) => {
    expect(parseRecurrenceRule(text)).toBeNull();
  });
});
