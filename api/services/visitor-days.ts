import { localDays } from '../../core/local-days.ts';
import { createTimeZone, type TimeZone } from '../../core/time-zone.ts';

const DAY = 86_400;
const MAX_DAYS = 366;
/** More than the tz database has names. */
const MAX_ZONES = 1000;

const zones = new Map<string, TimeZone>();

/** The zone of a name that `isTimeZone` knows; making one costs a hundred times more than using it. */
export function timeZoneOf(name: string): TimeZone {
  const known = zones.get(name) ?? createTimeZone(name);
  if (zones.size < MAX_ZONES) zones.set(name, known);
  return known;
}

/** The same text for zones whose days of the last year were the same: what is made for one serves the other. */
export function daysKey(zone: TimeZone, now: number): string {
  const starts = localDays(zone, now, MAX_DAYS);
  const changes = starts.filter((start, at) => start - (starts[at - 1] ?? 0) !== DAY);
  return changes.join();
}
