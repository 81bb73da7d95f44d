import { parseRecurrenceRule, type ByDay, type RecurrenceRule, type Weekday } from './recurrence-rule.ts';

/**
 * A recurrence rule in English, such as `every 2 weeks on Monday and Friday, 10 times`; null where it is none. Where the
 * rule names no hour or minute it is that of the first occurrence, which is not said.
 */
export function describeRecurrence(rrule: string): string | null {
  const rule = parseRecurrenceRule(rrule);
  if (!rule) return null;
  const words = [frequencyOf(rule), daysOf(rule), monthsOf(rule), timesOf(rule), positionsOf(rule)];
  return [words.filter((word) => word !== '').join(' '), endOf(rule)].filter((part) => part !== '').join(', ');
}

const PERIOD = { YEARLY: 'year', MONTHLY: 'month', WEEKLY: 'week', DAILY: 'day', HOURLY: 'hour' } as const;
const DAY: Record<Weekday, string> = {
  MO: 'Monday',
  TU: 'Tuesday',
  WE: 'Wednesday',
  TH: 'Thursday',
  FR: 'Friday',
  SA: 'Saturday',
  SU: 'Sunday',
};
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

function frequencyOf({ FREQ, INTERVAL }: RecurrenceRule): string {
  return INTERVAL === 1 ? `every ${PERIOD[FREQ]}` : `every ${INTERVAL} ${PERIOD[FREQ]}s`;
}

function daysOf({ BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO }: RecurrenceRule): string {
  return [
    list('on', BYDAY.map(weekdayOf)),
    list(
      'on',
      BYMONTHDAY.map((day) => (day < 0 ? `the ${fromEnd(day)} day of the month` : `day ${day} of the month`)),
    ),
    list(
      'on',
      BYYEARDAY.map((day) => (day < 0 ? `the ${fromEnd(day)} day of the year` : `day ${day} of the year`)),
    ),
    list(
      'in',
      BYWEEKNO.map((week) => (week < 0 ? `the ${fromEnd(week)} week` : `week ${week}`)),
    ),
  ]
    .filter((words) => words !== '')
    .join(' ');
}

function weekdayOf({ weekday, nth }: ByDay): string {
  if (nth === 0) return DAY[weekday];
  return `the ${nth < 0 ? fromEnd(nth) : ordinal(nth)} ${DAY[weekday]}`;
}

function monthsOf({ BYMONTH }: RecurrenceRule): string {
  return list(
    'in',
    BYMONTH.map((month) => MONTHS[month - 1] ?? ''),
  );
}

function timesOf({ BYHOUR, BYMINUTE }: RecurrenceRule): string {
  if (BYHOUR.length === 0) return list('at minute', BYMINUTE.map(String));
  if (BYMINUTE.length === 0) return list('in hour', BYHOUR.map(String));
  const times = BYHOUR.flatMap((hour) => BYMINUTE.map((minute) => `${twoDigits(hour)}:${twoDigits(minute)}`));
  return list('at', times);
}

function positionsOf({ BYSETPOS }: RecurrenceRule): string {
  const places = BYSETPOS.map((place) => (place < 0 ? `the ${fromEnd(place)}` : `the ${ordinal(place)}`));
  return places.length === 0 ? '' : `(only ${joined(places)} of these)`;
}

function endOf({ COUNT, UNTIL }: RecurrenceRule): string {
  if (COUNT !== undefined) return COUNT === 1 ? 'once' : `${COUNT} times`;
  if (UNTIL === undefined) return '';
  const date = new Date(UNTIL.seconds * 1000);
  return `until ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()] ?? ''} ${date.getUTCFullYear()}`;
}

function list(word: string, items: readonly string[]): string {
  return items.length === 0 ? '' : `${word} ${joined(items)}`;
}

function joined(items: readonly string[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

function fromEnd(place: number): string {
  return place === -1 ? 'last' : `${ordinal(-place)} last`;
}

function ordinal(number: number): string {
  const suffix = new Map([
    [1, 'st'],
    [2, 'nd'],
    [3, 'rd'],
  ]).get(number % 10);
  const isTeen = Math.floor(number / 10) % 10 === 1;
  return `${number}${isTeen ? 'th' : (suffix ?? 'th')}`;
}

function twoDigits(number: number): string {
  return String(number).padStart(2, '0');
}
