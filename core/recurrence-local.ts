import { calendarDay, dayNumber, modulo, type CalendarDay } from './calendar.ts';
import { dayFilter, type DayFilter } from './recurrence-days.ts';
import { WEEKDAYS, type Frequency, type RecurrenceRule } from './recurrence-rule.ts';

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** No date of JavaScript is later; intervals of a million years would leave the whole numbers. */
const LAST_SECOND = 8_640_000_000_000;

/**
 * How many periods of each frequency the Gregorian calendar takes to repeat (400 years are 146,097 days, whole weeks). A
 * rule sees nothing but the calendar, so one that names nothing in that many of its periods, or in the part of them that
 * its interval reaches, never will.
 */
const CYCLE: Record<Frequency, number> = {
  YEARLY: 400,
  MONTHLY: 4800,
  WEEKLY: 20_871,
  DAILY: 146_097,
  HOURLY: 146_097 * 24,
};

/**
 * The occurrences of a rule in local time, ascending, from `from` on; it ends where the rule does. Local times are unix
 * seconds of the same digits in UTC; `start` (DTSTART) is one of a whole minute, and no occurrence comes before it. It is
 * itself one only if the rule says so. UNTIL is left to the caller. Source: RFC 5545 3.3.10, BYWEEKNO by the calendar year
 * of the day.
 */
export function* localOccurrences(rule: RecurrenceRule, start: number, from: number): Generator<number> {
  let left = rule.COUNT ?? Infinity;
  // Only what is counted must be walked from the start.
  for (const local of fromPeriodOf(rule, start, rule.COUNT === undefined ? from : start)) {
    if (local < start) continue;
    if (local >= from) yield local;
    left -= 1;
    if (left === 0) return;
  }
}

/** All that the rule names in the period of `from` and later ones. */
function* fromPeriodOf(rule: RecurrenceRule, start: number, from: number): Generator<number> {
  const shape = shapeOf(rule, start);
  const isDayIn = dayFilter(rule, calendarDay(Math.floor(start / DAY)));
  const emptyAt = rule.FREQ === 'HOURLY' ? emptyHours(rule, isDayIn) : () => 0;
  const cycle = CYCLE[rule.FREQ] / greatestCommonDivisor(CYCLE[rule.FREQ], rule.INTERVAL);
  let step = Math.max(0, Math.floor((shape.periodOf(from) - shape.first) / rule.INTERVAL));
  // No period has so many times, or not one position could be reached.
  const isReachable = rule.BYSETPOS.length === 0 || rule.BYSETPOS.some((position) => Math.abs(position) <= shape.most);
  let empty = isReachable ? 0 : cycle;
  while (empty < cycle) {
    const period = shape.first + step * rule.INTERVAL;
    const skipped = emptyAt(period);
    const days = shape.daysOf(period);
    if (days.first * DAY > LAST_SECOND) return;
    let isEmpty = true;
    for (const local of skipped > 0 ? [] : positioned(rule.BYSETPOS, timesIn(days, isDayIn))) {
      isEmpty = false;
      yield local;
    }
    const taken = Math.max(1, skipped);
    empty = isEmpty ? empty + taken : 0;
    step += taken;
  }
}

/** How many steps from an hour on are surely empty, found without a look at what the others may hold. */
function emptyHours({ BYHOUR, INTERVAL }: RecurrenceRule, isDayIn: DayFilter): (hour: number) => number {
  const hours = new Set(BYHOUR);
  let last = { day: NaN, isIn: false };
  return (hour) => {
    if (hours.size > 0 && !hours.has(modulo(hour, 24))) return 1;
    const day = Math.floor(hour / 24);
    if (day !== last.day) last = { day, isIn: isDayIn(calendarDay(day)) };
    return last.isIn ? 0 : Math.ceil(((day + 1) * 24 - hour) / INTERVAL);
  };
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** The days of one period, with the times of each. */
interface PeriodDays {
  first: number;
  last: number;
  /** Seconds of a day, ascending. */
  times: readonly number[];
}

/** How time falls into periods; each has a number, the start's is `first`. */
interface Shape {
  first: number;
  /** How many times a period can have. */
  most: number;
  periodOf(local: number): number;
  daysOf(period: number): PeriodDays;
}

function shapeOf(rule: RecurrenceRule, start: number): Shape {
  const minutes = ascending(rule.BYMINUTE.length > 0 ? rule.BYMINUTE : [modulo(Math.floor(start / MINUTE), 60)]);
  const hours = ascending(rule.BYHOUR.length > 0 ? rule.BYHOUR : [modulo(Math.floor(start / HOUR), 24)]);
  const at = (hour: number): number[] => minutes.map((minute) => hour * HOUR + minute * MINUTE);
  const times = hours.flatMap(at);
  const shape = (most: number, periodOf: Shape['periodOf'], daysOf: Shape['daysOf']): Shape => ({
    first: periodOf(start),
    most,
    periodOf,
    daysOf,
  });
  const dayOf = (local: number): number => Math.floor(local / DAY);
  switch (rule.FREQ) {
    case 'HOURLY': {
      const byHour = Array.from({ length: 24 }, (_, hour) =>
        rule.BYHOUR.length === 0 || rule.BYHOUR.includes(hour) ? at(hour) : [],
      );
      return shape(
        minutes.length,
        (local) => Math.floor(local / HOUR),
        (period) => oneDay(Math.floor(period / 24), byHour[modulo(period, 24)] ?? []),
      );
    }
    case 'DAILY':
      return shape(times.length, dayOf, (period) => oneDay(period, times));
    case 'WEEKLY': {
      // Day 0 was a Thursday.
      const shift = 3 - WEEKDAYS.indexOf(rule.WKST);
      const daysOf = (week: number): PeriodDays => ({ first: week * 7 - shift, last: week * 7 - shift + 6, times });
      return shape(7 * times.length, (local) => Math.floor((dayOf(local) + shift) / 7), daysOf);
    }
    case 'MONTHLY':
      return shape(
        31 * times.length,
        (local) => monthOf(calendarDay(dayOf(local))),
        (month) => ({ first: dayNumber(0, month + 1, 1), last: dayNumber(0, month + 2, 1) - 1, times }),
      );
    case 'YEARLY':
      return shape(
        366 * times.length,
        (local) => calendarDay(dayOf(local)).year,
        (year) => ({ first: dayNumber(year, 1, 1), last: dayNumber(year + 1, 1, 1) - 1, times }),
      );
  }
}

function oneDay(number: number, times: readonly number[]): PeriodDays {
  return { first: number, last: number, times };
}

function monthOf({ year, month }: CalendarDay): number {
  return year * 12 + month - 1;
}

function* timesIn({ first, last, times }: PeriodDays, isDayIn: DayFilter): Generator<number> {
  if (times.length === 0) return;
  for (let number = first; number <= last; number += 1) {
    if (!isDayIn(calendarDay(number))) continue;
    for (const time of times) yield number * DAY + time;
  }
}

/** BYSETPOS: the nth of a period's times, from the end where negative. */
function positioned(positions: readonly number[], times: Iterable<number>): Iterable<number> {
  if (positions.length === 0) return times;
  const all = [...times];
  const chosen = positions.map((position) => all.at(position > 0 ? position - 1 : position));
  return ascending([...new Set(chosen.filter((time) => time !== undefined))]);
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
