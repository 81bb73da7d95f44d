import { calendarDay, modulo, type CalendarDay } from './calendar.ts';
import { WEEKDAYS, type RecurrenceRule } from './recurrence-rule.ts';

export type DayFilter = (day: CalendarDay) => boolean;

/**
 * Whether a day is one of the rule's: each of its lists must name it, and what no list says is the start's own. So far as
 * days go, "expand" and "limit" in RFC 5545 3.3.10 come to the same: a period's days, less those that a list leaves out.
 */
export function dayFilter(rule: RecurrenceRule, start: CalendarDay): DayFilter {
  const { BYMONTH, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYDAY } = rule;
  const filters: DayFilter[] = [];
  if (BYMONTH.length > 0) filters.push(({ month }) => BYMONTH.includes(month));
  if (BYYEARDAY.length > 0) filters.push(namedBy(BYYEARDAY, (day) => [day.yearDay, day.yearLength]));
  if (BYMONTHDAY.length > 0) filters.push(namedBy(BYMONTHDAY, (day) => [day.day, day.monthLength]));
  if (BYWEEKNO.length > 0) filters.push(namedBy(BYWEEKNO, weekOf(WEEKDAYS.indexOf(rule.WKST))));
  if (BYDAY.length > 0) filters.push(weekdayFilter(rule));
  else if (BYMONTHDAY.length === 0 && BYYEARDAY.length === 0) filters.push(likeStart(rule, start));
  return (day) => filters.every((filter) => filter(day));
}

type Place = (day: CalendarDay) => [place: number, length: number];

/** `list` holds places from 1, and from -1 backwards. */
function namedBy(list: readonly number[], placeOf: Place): DayFilter {
  const named = new Set(list);
  return (day) => {
    const [place, length] = placeOf(day);
    return named.has(place) || named.has(place - length - 1);
  };
}

/** The number of a day's week and how many the week's year has; a week is of the year that has its fourth day. */
function weekOf(weekStart: number): Place {
  return ({ number, weekday }) => {
    const { yearDay, yearLength } = calendarDay(number - modulo(weekday - weekStart, 7) + 3);
    const lastFourth = yearDay + 7 * Math.floor((yearLength - yearDay) / 7);
    return [Math.ceil(yearDay / 7), Math.ceil(lastFourth / 7)];
  };
}

/** BYDAY; its numbers count within the month, or within the year of a yearly rule that names no months. */
function weekdayFilter({ BYDAY, BYMONTH, FREQ }: RecurrenceRule): DayFilter {
  const places = WEEKDAYS.map((name) => BYDAY.filter(({ weekday }) => weekday === name).map(({ nth }) => nth));
  const inMonth = FREQ === 'MONTHLY' || BYMONTH.length > 0;
  return (day) => {
    const nths = places[day.weekday] ?? [];
    if (nths.length === 0 || nths.includes(0)) return nths.length > 0;
    const [place, length] = inMonth ? [day.day, day.monthLength] : [day.yearDay, day.yearLength];
    return nths.includes(Math.ceil(place / 7)) || nths.includes(-Math.ceil((length - place + 1) / 7));
  };
}

function likeStart({ FREQ, BYWEEKNO, BYMONTH }: RecurrenceRule, start: CalendarDay): DayFilter {
  if (FREQ === 'WEEKLY' || BYWEEKNO.length > 0) return ({ weekday }) => weekday === start.weekday;
  if (FREQ === 'MONTHLY') return ({ day }) => day === start.day;
  if (FREQ === 'YEARLY') return ({ day, month }) => day === start.day && (BYMONTH.length > 0 || month === start.month);
  return () => true;
}
