import type { TimeZone } from './time-zone.ts';

const DAY = 86_400;

/**
 * The first instants of the `count` local days up to the one that holds `instant`, and the end of that one: ascending,
 * one more than `count`, unix seconds. Days of a change of clocks are shorter or longer than others.
 */
export function localDays(zone: TimeZone, instant: number, count: number): number[] {
  const today = Math.floor(zone.toLocal(instant) / DAY);
  return Array.from({ length: count + 1 }, (_, at) => zone.toInstant((today - count + 1 + at) * DAY));
}
