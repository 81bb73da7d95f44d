import type { RecurrenceRule } from '../../core/recurrence-rule.ts';

/**
 * A second implementation of RFC 5545 3.3.10, as plain as can be: it walks every local day from the start, asks of each
 * what the rule says of it, and knows nothing of how the first implementation skips and expands.
 */

const DAY_S = 86_400;
const NAMES = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** A period that the start is inside of begins so many days earlier at most, and counts for BYSETPOS as a whole. */
const PERIOD_DAYS = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7, DAILY: 1, HOURLY: 1 };

/** The occurrences of a rule up to `last`, ascending. All are local times: unix seconds of the same digits in UTC. */
export function walk(rule: RecurrenceRule, start: number, last: number): number[] {
  const startDay = localDay(Math.floor(start / DAY_S));
  const times = timesOf(rule, start);
  const margin = PERIOD_DAYS[rule.FREQ];
  const periods = new Map<number, number[]>();
  for (let number = startDay.number - margin; number <= last / DAY_S + margin; number += 1) {
    if (!isDayIn(rule, localDay(number), startDay)) continue;
    for (const time of times) {
      const local = number * DAY_S + time;
      const period = periodOf(rule, local) - periodOf(rule, start);
      if (period < 0 || period % rule.INTERVAL !== 0) continue;
      periods.set(period, periods.get(period) ?? []);
      periods.get(period)?.push(local);
    }
  }
  const all = [...periods.values()].flatMap((list) => positioned(rule.BYSETPOS, list));
  const counted = all.filter((local) => local >= start).slice(0, rule.COUNT ?? all.length);
  return counted.filter((local) => local <= last);
}

interface LocalDay {
  number: number;
  year: number;
  month: number;
  day: number;
  /** 0: Monday. */
  weekday: number;
  yearDay: number;
  monthLength: number;
  yearLength: number;
}

const days = new Map<number, LocalDay>();

function localDay(number: number): LocalDay {
  const day = days.get(number) ?? readDay(number);
  days.set(number, day);
  return day;
}

function readDay(number: number): LocalDay {
  const date = new Date(number * DAY_S * 1000);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth() + 1];
  const dayOf = (y: number, m: number, d: number): number => Date.UTC(y, m - 1, d) / DAY_S / 1000;
  return {
    number,
    year,
    month,
    day: date.getUTCDate(),
    weekday: (date.getUTCDay() + 6) % 7,
    yearDay: number - dayOf(year, 1, 1) + 1,
    monthLength: dayOf(year, month + 1, 1) - dayOf(year, month, 1),
    yearLength: dayOf(year + 1, 1, 1) - dayOf(year, 1, 1),
  };
}

function isDayIn(rule: RecurrenceRule, day: LocalDay, start: LocalDay): boolean {
  const among = (list: number[], length: number, value: number): boolean =>
    list.length === 0 || list.includes(value) || list.includes(value - length - 1);
  return (
    (rule.BYMONTH.length === 0 || rule.BYMONTH.includes(day.month)) &&
    among(rule.BYMONTHDAY, day.monthLength, day.day) &&
    among(rule.BYYEARDAY, day.yearLength, day.yearDay) &&
    (rule.BYWEEKNO.length === 0 || isWeekIn(rule, day)) &&
    (rule.BYDAY.length === 0
      ? isLikeStart(rule, day, start)
      : rule.BYDAY.some(({ weekday, nth }) => NAMES[day.weekday] === weekday && isNth(rule, day, nth)))
  );
}

/** What the rule leaves open is the start's own. */
function isLikeStart(
  { FREQ, BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO }: RecurrenceRule,
  day: LocalDay,
  start: LocalDay,
) {
  if (BYMONTHDAY.length + BYYEARDAY.length > 0) return true;
  if (FREQ === 'WEEKLY' || BYWEEKNO.length > 0) return day.weekday === start.weekday;
  if (FREQ === 'MONTHLY') return day.day === start.day;
  return FREQ !== 'YEARLY' || (day.day === start.day && (BYMONTH.length > 0 || day.month === start.month));
}

function isNth({ FREQ, BYMONTH }: RecurrenceRule, day: LocalDay, nth: number): boolean {
  const inMonth = FREQ === 'MONTHLY' || BYMONTH.length > 0;
  const isSamePeriod = (other: LocalDay): boolean => other.year === day.year && (!inMonth || other.month === day.month);
  // Counts the weekdays of that name from one end of the period to this day.
  let count = 1;
  for (let n = day.number - 7 * Math.sign(nth); nth !== 0 && isSamePeriod(localDay(n)); n -= 7 * Math.sign(nth))
    count += 1;
  return nth === 0 || count === Math.abs(nth);
}

/** Weeks over the turn of the year belong, day by day, to the calendar year of the day. */
function isWeekIn({ BYWEEKNO, WKST }: RecurrenceRule, day: LocalDay): boolean {
  const into = (day.weekday - NAMES.indexOf(WKST) + 7) % 7;
  // A week is of the year that has four of its days, so of its fourth day's.
  const fourth = localDay(day.number - into + 3);
  const fourths = Array.from({ length: 54 }, (_, week) => localDay(fourth.number + (week - 53) * 7).year);
  const later = Array.from({ length: 54 }, (_, week) => localDay(fourth.number + week * 7).year);
  const week = fourths.filter((year) => year === fourth.year).length;
  const fromEnd = later.filter((year) => year === fourth.year).length;
  return BYWEEKNO.includes(week) || BYWEEKNO.includes(-fromEnd);
}

/** Seconds of a day, ascending. */
function timesOf(rule: RecurrenceRule, start: number): number[] {
  const range = (length: number): number[] => Array.from({ length }, (_, index) => index);
  const ownHours = rule.FREQ === 'HOURLY' ? range(24) : [Math.floor(start / 3600) % 24];
  const hours = rule.BYHOUR.length > 0 ? rule.BYHOUR : ownHours;
  const minutes = rule.BYMINUTE.length > 0 ? rule.BYMINUTE : [Math.floor(start / 60) % 60];
  return hours.flatMap((hour) => minutes.map((minute) => hour * 3600 + minute * 60)).sort((a, b) => a - b);
}

function periodOf({ FREQ, WKST }: RecurrenceRule, local: number): number {
  const day = localDay(Math.floor(local / DAY_S));
  if (FREQ === 'HOURLY') return Math.floor(local / 3600);
  if (FREQ === 'DAILY') return day.number;
  // Day 4 was a Monday.
  if (FREQ === 'WEEKLY') return Math.floor((day.number - 4 - NAMES.indexOf(WKST)) / 7);
  return FREQ === 'MONTHLY' ? day.year * 12 + day.month : day.year;
}

function positioned(positions: number[], times: number[]): number[] {
  if (positions.length === 0) return times;
  return times.filter((_, index) => positions.includes(index + 1) || positions.includes(index - times.length));
}
