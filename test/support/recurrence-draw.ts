import { pickBelow, pickOne } from './seeded-random.ts';

const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const LONGEST_INTERVAL = { YEARLY: 3, MONTHLY: 6, WEEKLY: 6, DAILY: 20, HOURLY: 60 };
const FREQUENCIES = ['YEARLY', 'MONTHLY', 'WEEKLY', 'DAILY', 'HOURLY'] as const;

/** A random RRULE value that is valid: over every FREQ and BY part, in any order, names in either case. */
export function drawRule(random: () => number): string {
  const frequency = pickOne(random, FREQUENCIES);
  const chance = (probability: number): boolean => random() < probability;
  const between = (min: number, max: number): number => min + pickBelow(random, max - min + 1);
  const signed = (max: number): number => (chance(0.3) ? -1 : 1) * between(1, max);
  const lists = drawLists(random, frequency, { chance, between, signed });
  const parts = [`FREQ=${frequency}`, ...lists];
  if (chance(0.5)) parts.push(`INTERVAL=${between(1, chance(0.8) ? 3 : LONGEST_INTERVAL[frequency])}`);
  if (chance(0.2)) parts.push(`WKST=${pickOne(random, DAYS)}`);
  if (chance(0.3)) parts.push(`COUNT=${between(1, chance(0.5) ? 10 : 300)}`);
  if (lists.length > 0 && chance(0.25)) parts.push(`BYSETPOS=${signed(chance(0.8) ? 5 : 366)},${signed(5)}`);
  const text = parts
    .map((part) => ({ part, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ part }) => part)
    .join(';');
  return chance(0.1) ? text.toLowerCase() : text;
}

interface Dice {
  chance: (probability: number) => boolean;
  between: (min: number, max: number) => number;
  signed: (max: number) => number;
}

function drawLists(random: () => number, frequency: string, { chance, between, signed }: Dice): string[] {
  const isYearly = frequency === 'YEARLY';
  const hasWeeks = isYearly && chance(0.3);
  const hasMonths = chance(0.3);
  const isNumbered = (frequency === 'MONTHLY' || (isYearly && !hasWeeks)) && chance(0.5);
  const mostWeekdays = isYearly && !hasMonths ? 53 : 5;
  const weekday = (): string => `${isNumbered && chance(0.8) ? signed(mostWeekdays) : ''}${pickOne(random, DAYS)}`;
  const list = (name: string, isIn: boolean, most: number, draw: () => string | number): string[] =>
    isIn ? [`${name}=${Array.from({ length: between(1, most) }, draw).join(',')}`] : [];
  return [
    ...list('BYMONTH', hasMonths, 6, () => between(1, 12)),
    ...list('BYWEEKNO', hasWeeks, 4, () => signed(53)),
    ...list('BYYEARDAY', (isYearly || frequency === 'HOURLY') && chance(0.2), 20, () => signed(366)),
    ...list('BYMONTHDAY', frequency !== 'WEEKLY' && chance(0.25), 6, () => signed(31)),
    ...list('BYDAY', chance(0.4), 4, weekday),
    ...list('BYHOUR', chance(0.3), 5, () => between(0, 23)),
    ...list('BYMINUTE', chance(0.3), 4, () => between(0, 59)),
  ];
}
