import rrule from 'rrule';
import { RRuleTemporal } from 'rrule-temporal';
import { describe, expect, it } from 'vitest';
import { expandRecurrence } from '../../../core/recurrence.ts';
import { parseRecurrenceRule, type RecurrenceRule } from '../../../core/recurrence-rule.ts';
import { drawRule } from '../../support/recurrence-draw.ts';
import { walk } from '../../support/recurrence-walker.ts';
import { pickBelow, pickOne, seededRandom } from '../../support/seeded-random.ts';
import { readZoneTable, type ZoneTable } from '../../support/zone-table.ts';

/** RECURRENCE_SEED=... draws other rules. */
const SEED = Number(process.env.RECURRENCE_SEED ?? 20_261_120);
const RULES = 10_000;
const DAY = 86_400;
const at = (text: string): number => Date.parse(`${text}Z`) / 1000;
const text = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 16);

interface Question {
  rrule: string;
  start: string;
  from?: string;
  to: string;
  timezone?: string;
}

const starts = ({ rrule, start, from = start, to, timezone = 'UTC' }: Question): string[] | undefined =>
  expandRecurrence({ rrule, start: at(start), from: at(from), to: at(to), timezone })?.within.map(text);

/** How far to look from the start so that most rules name something. */
const REACH = { YEARLY: 2500, MONTHLY: 500, WEEKLY: 120, DAILY: 60, HOURLY: 20 };

function drawQuestion(random: () => number): {
  rrule: string;
  rule: RecurrenceRule;
  start: number;
  from: number;
  to: number;
} {
  const text = drawRule(random);
  const rule = parseRecurrenceRule(text);
  if (!rule) throw new Error(`not valid: ${text}`);
  const start = at('2024-01-01') + pickBelow(random, 2 * 365 * 24 * 60) * 60;
  const from = start + pickOne(random, [0, pickBelow(random, 400 * DAY)]);
  return { rrule: text, rule, start, from, to: from + REACH[rule.FREQ] * DAY };
}

describe('expandRecurrence', () => {
  it(`agrees with a walk over every day on ${RULES} rules, half in a zone (seed ${SEED})`, () => {
    const random = seededRandom(SEED);
    const zones = new Map<string, ZoneTable>(
      ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'Pacific/Chatham', 'Africa/Casablanca'].map(
        (name) => [name, readZoneTable(name, 2023, 2036)],
      ),
    );
    let occurrences = 0;
    for (let count = 0; count < RULES; count += 1) {
      const { rrule, rule, start, from, to } = drawQuestion(random);
      const timezone = count % 2 === 0 ? 'UTC' : pickOne(random, [...zones.keys()]);
      const zone = zones.get(timezone);
      const startLocal = zone?.toLocal(start) ?? start;
      const walked = walk(rule, startLocal, (zone?.toLocal(to) ?? to) + DAY)
        .map((local) => (local === startLocal ? start : (zone?.toInstant(local) ?? local)))
        .filter((instant) => instant >= from && instant >= start && instant <= to);
      const expected = [...new Set(walked)].sort((a, b) => a - b);
      const given = expandRecurrence({ rrule, start, from, to, timezone })?.within;
      expect(given?.map(text), `${rrule} from ${text(start)} in ${timezone}`).toEqual(expected.map(text));
      occurrences += expected.length;
    }
    // Rules that name nothing would prove nothing.
    expect(occurrences).toBeGreaterThan(20 * RULES);
  }, 300_000);

  it('agrees with two libraries on rules that both can do', () => {
    const random = seededRandom(SEED);
    const stamp = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
    for (let count = 0; count < 300; count += 1) {
      const { rrule: rule, rule: read, start, from, to } = drawQuestion(random);
      // Yearly lists that meet are united by the one, hourly rules can hang the other.
      if (read.FREQ === 'YEARLY' || read.FREQ === 'HOURLY') continue;
      const upper = rule.toUpperCase();
      const given = expandRecurrence({ rrule: rule, start, from, to, timezone: 'UTC' })?.within.map(text);
      const range = [new Date(from * 1000), new Date(to * 1000), true] as const;
      const temporal = new RRuleTemporal({ rruleString: `DTSTART:${stamp(start)}\nRRULE:${upper}` });
      expect(
        temporal.between(...range).map(({ epochMilliseconds: ms }) => text(ms / 1000)),
        rule,
      ).toEqual(given);
      // It drops the plain days of a list that numbers others, doubles where positions meet, and takes times as they stand.
      const isMixed = new Set(read.BYDAY.map(({ nth }) => nth === 0)).size === 2;
      if (isMixed || read.BYSETPOS.length > 0) continue;
      const ordered = (list: number[]): number[] => [...new Set(list)].sort((a, b) => a - b);
      const other = new rrule.RRule({
        ...rrule.RRule.parseString(upper),
        dtstart: new Date(start * 1000),
        byhour: read.BYHOUR.length > 0 ? ordered(read.BYHOUR) : null,
        byminute: read.BYMINUTE.length > 0 ? ordered(read.BYMINUTE) : null,
      });
      const otherStarts = other.between(...range).map((date) => text(date.getTime() / 1000));
      expect(otherStarts, rule).toEqual(given);
    }
  });

  it('tells the two that follow the range, fewer where the rule ends', () => {
    const ask = (rrule: string) =>
      expandRecurrence({
        rrule,
        start: at('2026-01-01'),
        from: at('2026-01-02'),
        to: at('2026-01-03'),
        timezone: 'UTC',
      });
    const days = (...numbers: number[]): number[] => numbers.map((day) => at('2026-01-01') + (day - 1) * DAY);
    expect(ask('FREQ=DAILY')).toEqual({ within: days(2, 3), following: days(4, 5) });
    expect(ask('FREQ=DAILY;COUNT=4')).toEqual({ within: days(2, 3), following: days(4) });
    expect(ask('FREQ=DAILY;UNTIL=20260103T000000Z')).toEqual({ within: days(2, 3), following: [] });
    expect(ask('FREQ=DAILY;COUNT=1')).toEqual({ within: [], following: [] });
    expect(ask('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29')?.following.map(text)).toEqual([
      '2028-02-29T00:00',
      '2032-02-29T00:00',
    ]);
  });

  it('begins with the start only if the rule says so', () => {
    const rule = { rrule: 'FREQ=WEEKLY;BYDAY=MO', start: '2026-01-01T10:00', to: '2026-01-13T00:00' };
    expect(starts(rule)).toEqual(['2026-01-05T10:00', '2026-01-12T10:00']);
  });

  it('returns at most 50,000, and goes on from there', () => {
    const rrule = `FREQ=HOURLY;BYMINUTE=${Array.from({ length: 60 }, (_, minute) => minute).join(',')}`;
    const start = at('2026-01-01');
    const given = expandRecurrence({ rrule, start, from: start, to: start + 365 * DAY, timezone: 'UTC' });
    expect(given?.within).toHaveLength(50_000);
    expect(given?.following).toEqual([start + 50_000 * 60, start + 50_001 * 60]);
  });

  it('returns null for what is no rule', () => {
    expect(expandRecurrence({ rrule: 'COUNT=1', start: 0, from: 0, to: 1, timezone: 'UTC' })).toBeNull();
  });
});

describe('in a zone', () => {
  it('keeps the wall-clock time, moves forward out of a gap and takes the first of two', () => {
    const daily = { rrule: 'FREQ=DAILY', timezone: 'America/New_York' };
    expect(starts({ ...daily, start: '2026-03-07T07:30', to: '2026-03-10T00:00' })).toEqual([
      '2026-03-07T07:30', // 02:30 EST
      '2026-03-08T07:30', // 02:30 is missing: 03:30 EDT
      '2026-03-09T06:30', // 02:30 EDT
    ]);
    expect(starts({ ...daily, start: '2026-10-31T05:30', to: '2026-11-03T00:00' })).toEqual([
      '2026-10-31T05:30', // 01:30 EDT
      '2026-11-01T05:30', // 01:30 EDT, not EST an hour later
      '2026-11-02T06:30', // 01:30 EST
    ]);
  });

  it('names a moment once where a gap moves one hour onto the next, and in order', () => {
    const hourly = { rrule: 'FREQ=HOURLY;BYMINUTE=0,30', timezone: 'Europe/Berlin' };
    expect(starts({ ...hourly, start: '2026-03-29T00:00', to: '2026-03-29T02:00' })).toEqual([
      '2026-03-29T00:00',
      '2026-03-29T00:30',
      '2026-03-29T01:00', // both 02:00, which is missing, and 03:00
      '2026-03-29T01:30',
      '2026-03-29T02:00',
    ]);
  });

  it('starts at the start, be it the second of two', () => {
    const once = { rrule: 'FREQ=DAILY;COUNT=1', timezone: 'America/New_York', to: '2026-12-01' };
    expect(starts({ ...once, start: '2026-11-01T06:30' })).toEqual(['2026-11-01T06:30']);
  });

  it('reads a local UNTIL by the zone, one with a Z in UTC', () => {
    const daily = { start: '2026-01-01T04:30', to: '2026-02-01', timezone: 'America/New_York' };
    // 23:30 of the day before.
    expect(starts({ ...daily, rrule: 'FREQ=DAILY;UNTIL=20260101' })).toEqual(['2026-01-01T04:30', '2026-01-02T04:30']);
    expect(starts({ ...daily, rrule: 'FREQ=DAILY;UNTIL=20260101T235959Z' })).toEqual(['2026-01-01T04:30']);
  });

  it('keeps to the clock where a whole day was left out', () => {
    const apia = { rrule: 'FREQ=DAILY', timezone: 'Pacific/Apia', start: '2011-12-28T20:00', to: '2012-01-01T00:00' };
    // 10:00 on the 28th to the 31st; the 30th was left out, and moves by the day that is missing.
    expect(starts(apia)).toEqual(['2011-12-28T20:00', '2011-12-29T20:00', '2011-12-30T20:00', '2011-12-31T20:00']);
  });
});

describe('rules that a library does not survive', () => {
  const all = (first: number, last: number): string =>
    Array.from({ length: last - first + 1 }, (_, i) => first + i).join();
  it.each([
    ['FREQ=HOURLY;INTERVAL=24;BYHOUR=0', '2026-01-01T01:00', 0],
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2000-01-01T00:00', 0],
    ['FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', '2000-01-01T00:00', 0],
    ['FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30', '2000-01-01T00:00', 0],
    ['FREQ=HOURLY;INTERVAL=1001;BYMONTH=2;BYMONTHDAY=30', '2000-01-01T00:00', 0],
    ['FREQ=YEARLY;INTERVAL=999999999;BYMONTH=2;BYMONTHDAY=30', '2000-01-01T00:00', 0],
    ['FREQ=HOURLY;BYMINUTE=1,2;BYSETPOS=300', '2000-01-01T00:00', 0],
    ['FREQ=DAILY', '2000-01-01T00:00', 31],
    ['FREQ=DAILY;COUNT=10000', '2000-01-01T00:00', 31],
    ['FREQ=HOURLY', '2000-01-01T00:00', 721],
    ['FREQ=HOURLY;COUNT=999999999', '2000-01-01T00:00', 721],
    [`FREQ=YEARLY;BYYEARDAY=${all(1, 366)};BYHOUR=${all(0, 23)};BYMINUTE=${all(0, 59)}`, '2000-01-01T00:00', 43_201],
    ['FREQ=DAILY;UNTIL=20010101', '2000-01-01T00:00', 0],
  ])('%s ends', (rrule, start, count) => {
    const began = process.cpuUsage();
    const given = starts({ rrule, start, from: '2026-11-01T00:00', to: '2026-12-01T00:00' });
    const { user, system } = process.cpuUsage(began);
    expect(given).toHaveLength(count);
    expect((user + system) / 1000).toBeLessThan(2000);
  });
});
