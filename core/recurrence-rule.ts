import { z } from 'zod';
import { calendarDay, dayNumber } from './calendar.ts';

/**
 * The strict reader of RRULE values (RFC 5545 3.3.10; reference §12 "Incidents, maintenances, overlays"). Libraries ignore
 * or misread what is wrong in a rule, and never end on some, so nothing reaches a library unread.
 */

const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'] as const;
/** As in ISO 8601, Monday is the first. */
export const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;

export type Frequency = (typeof FREQUENCIES)[number];
export type Weekday = (typeof WEEKDAYS)[number];

/** `nth` is 0 for each such day of a period, else it counts them, from the end where negative. */
export interface ByDay {
  weekday: Weekday;
  nth: number;
}

/** Unix seconds; where `isLocal`, those of a local time's digits read as UTC. */
export interface Until {
  seconds: number;
  isLocal: boolean;
}

/** A rule as it was read; a list is empty where its part is absent. */
export interface RecurrenceRule {
  FREQ: Frequency;
  INTERVAL: number;
  COUNT?: number | undefined;
  UNTIL?: Until | undefined;
  BYMINUTE: number[];
  BYHOUR: number[];
  BYDAY: ByDay[];
  BYMONTHDAY: number[];
  BYYEARDAY: number[];
  BYWEEKNO: number[];
  BYMONTH: number[];
  BYSETPOS: number[];
  WKST: Weekday;
}

/** Everything there is to list takes 3.6 kB: each day of a year, counted from either end. */
const MAX_LENGTH = 10_000;
const MAX_NUMBER = 999_999_999;

const ruleParts = z.strictObject({
  FREQ: z.enum(FREQUENCIES),
  INTERVAL: positive().default(1),
  COUNT: positive().optional(),
  UNTIL: z.string().transform(readUntil).optional(),
  BYMINUTE: listOf(unsigned(0, 59)),
  BYHOUR: listOf(unsigned(0, 23)),
  BYDAY: listOf(z.string().transform(readByDay)),
  BYMONTHDAY: listOf(signed(31)),
  BYYEARDAY: listOf(signed(366)),
  BYWEEKNO: listOf(signed(53)),
  BYMONTH: listOf(unsigned(1, 12)),
  BYSETPOS: listOf(signed(366)),
  WKST: z.enum(WEEKDAYS).default('MO'),
});

/**
 * Reads an RRULE value, names in any case. Returns null for what is not one: no FREQ, one below HOURLY, BYSECOND, values
 * out of range, unknown or duplicate parts, parts that RFC 5545 forbids together, a prefix, a DTSTART, any blank.
 */
export function parseRecurrenceRule(text: string): RecurrenceRule | null {
  if (text.length > MAX_LENGTH) return null;
  const entries = text
    .toUpperCase()
    .split(';')
    .map((part): [string, string] => {
      const place = part.indexOf('=');
      return [part.slice(0, place), part.slice(place + 1)];
    });
  if (new Set(entries.map(([name]) => name)).size < entries.length) return null;
  const rule = ruleParts.safeParse(Object.fromEntries(entries)).data;
  return rule && !hasForbiddenPair(rule) ? rule : null;
}

/** What RFC 5545 3.3.10 says MUST NOT stand together. */
function hasForbiddenPair(rule: RecurrenceRule): boolean {
  const { FREQ, COUNT, UNTIL, BYDAY, BYMONTHDAY, BYYEARDAY, BYWEEKNO, BYSETPOS } = rule;
  const isNthAllowed = FREQ === 'MONTHLY' || (FREQ === 'YEARLY' && BYWEEKNO.length === 0);
  return [
    COUNT !== undefined && UNTIL !== undefined,
    !isNthAllowed && BYDAY.some(({ nth }) => nth !== 0),
    FREQ === 'WEEKLY' && BYMONTHDAY.length > 0,
    ['DAILY', 'WEEKLY', 'MONTHLY'].includes(FREQ) && BYYEARDAY.length > 0,
    FREQ !== 'YEARLY' && BYWEEKNO.length > 0,
    BYSETPOS.length > 0 && !hasOtherList(rule),
  ].includes(true);
}

function hasOtherList(rule: RecurrenceRule): boolean {
  return Object.entries(rule).some(([name, value]) => name !== 'BYSETPOS' && Array.isArray(value) && value.length > 0);
}

function positive() {
  return z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(MAX_NUMBER));
}

function unsigned(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,2}$/)
    .transform(Number)
    .pipe(z.int().min(min).max(max));
}

function signed(max: number) {
  return z
    .string()
    .regex(/^[+-]?\d{1,3}$/)
    .transform(Number)
    .pipe(
      z
        .int()
        .min(-max)
        .max(max)
        .refine((value) => value !== 0),
    );
}

/** A list without duplicates; empty where the part is absent. */
function listOf<T>(value: z.ZodType<T, string>) {
  return z
    .string()
    .transform((text) => [...new Set(text.split(','))])
    .pipe(z.array(value))
    .default([]);
}

function readByDay(text: string, context: z.RefinementCtx): ByDay {
  const [, number = '', name = ''] = /^([+-]?\d{1,2})?([A-Z]{2})$/.exec(text) ?? [];
  const weekday = WEEKDAYS.find((day) => day === name);
  const nth = Number(number);
  if (weekday && (number === '' || isNumberOfWeekday(nth))) return { weekday, nth };
  context.addIssue('BYDAY');
  return z.NEVER;
}

function isNumberOfWeekday(nth: number): boolean {
  return nth !== 0 && Math.abs(nth) <= 53;
}

/** `20261231`: to the end of that local day. `20261231T235959`: a local time. With a Z: UTC. */
function readUntil(text: string, context: z.RefinementCtx): Until {
  const [, date = '', time = '235959', zone = ''] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(text) ?? [];
  const day = readDate(date);
  const second = readTime(time);
  if (day !== null && second !== null) return { seconds: day + second, isLocal: zone === '' };
  context.addIssue('UNTIL');
  return z.NEVER;
}

function readDate(digits: string): number | null {
  const month = Number(digits.slice(4, 6));
  const number = dayNumber(Number(digits.slice(0, 4)), month, Number(digits.slice(6)));
  const read = calendarDay(number);
  // What is beyond a month counts on into the next.
  const isReal = digits !== '' && read.month === month && read.day === Number(digits.slice(6));
  return isReal ? number * 86_400 : null;
}

/** Sixty seconds are a leap second. */
function readTime(digits: string): number | null {
  const [hours = 0, minutes = 0, seconds = 0] = (digits.match(/\d\d/g) ?? []).map(Number);
  return hours < 24 && minutes < 60 && seconds <= 60 ? (hours * 60 + minutes) * 60 + seconds : null;
}
