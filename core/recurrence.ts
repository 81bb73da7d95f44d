import { localOccurrences } from './recurrence-local.ts';
import { parseRecurrenceRule, type RecurrenceRule } from './recurrence-rule.ts';
import { createTimeZone, type TimeZone } from './time-zone.ts';

/** More than a window every minute for a month. */
const MAX_STARTS = 50_000;
/** No gap of a time zone is wider: two were a whole day, at the date line. */
const GAP_SECONDS = 2 * 86_400;

export interface ExpansionRequest {
  /** An RRULE value. */
  rrule: string;
  /** DTSTART, unix seconds of a whole minute. */
  start: number;
  /** IANA name. The wall clock of a rule is this zone's. */
  timezone: string;
  /** Unix seconds, both inclusive. */
  from: number;
  to: number;
}

/** Where this module is, for what runs it elsewhere. */
export const RECURRENCE_MODULE = new URL(import.meta.url);

/** The starts inside a range, and the two after the last of them: fewer where the rule ends. Unix seconds, ascending. */
export interface Expansion {
  within: number[];
  following: number[];
}

/**
 * When the windows of a maintenance start, without duplicates. Of more than 50,000 within the range the rest follow.
 * Returns null where the rule is not one. The wall-clock time is kept over a change of the clock: in a gap it moves
 * forward, in an overlap the first counts (RFC 5545 3.3.5; reference §12).
 */
export function expandRecurrence(request: ExpansionRequest): Expansion | null {
  const rule = parseRecurrenceRule(request.rrule);
  if (!rule) return null;
  const starts = collectStarts(rule, request).sort((a, b) => a - b);
  const count = Math.min(MAX_STARTS, starts.findLastIndex((instant) => instant <= request.to) + 1);
  return { within: starts.slice(0, count), following: starts.slice(count, count + 2) };
}

/** Not in order where a gap moved one behind those that follow it. */
function collectStarts(rule: RecurrenceRule, { start, timezone, from, to }: ExpansionRequest): number[] {
  const zone = createTimeZone(timezone);
  const disorder = zone.isFixed ? 0 : GAP_SECONDS;
  const range = { from: Math.max(from, start), to: endOf(rule, zone) };
  const starts = new Set<number>();
  let following = 0;
  let lastLocal = Infinity;
  for (const [local, instant] of occurrences(rule, start, range.from - disorder, zone)) {
    if (local > lastLocal || instant > range.to + disorder) break;
    if (!isInside(instant, range) || starts.has(instant)) continue;
    starts.add(instant);
    if (instant > to) following += 1;
    if (following >= 2 || starts.size >= MAX_STARTS + 2) lastLocal = Math.min(lastLocal, local + disorder);
  }
  return [...starts];
}

function isInside(instant: number, { from, to }: { from: number; to: number }): boolean {
  return instant >= from && instant <= to;
}

function* occurrences(rule: RecurrenceRule, start: number, from: number, zone: TimeZone): Generator<[number, number]> {
  const startLocal = zone.toLocal(start);
  for (const local of localOccurrences(rule, startLocal, zone.toLocal(from)))
    // The start is a moment itself; its wall-clock time may be the second of two.
    yield [local, local === startLocal ? start : zone.toInstant(local)];
}

/** The last moment that UNTIL leaves; a local one is a moment as any local time is. */
function endOf({ UNTIL }: RecurrenceRule, zone: TimeZone): number {
  if (UNTIL === undefined) return Infinity;
  return UNTIL.isLocal ? zone.toInstant(UNTIL.seconds) : UNTIL.seconds;
}
