import { dayNumber } from './calendar.ts';

/** Local times are unix seconds of the same digits in UTC. */
export interface TimeZone {
  /** Where every local time has one moment. */
  isFixed: boolean;
  toLocal(instant: number): number;
  /** In a gap: by the offset before it (RFC 5545 3.3.5), so later on the clock; in an overlap: the first. */
  toInstant(local: number): number;
}

const DAY = 86_400;
/** The offset is asked for at both ends of such a span, and in between only where they differ. */
const SPAN = 21_600;
/** The dates of JavaScript, less what a conversion looks around. */
const LAST_SECOND = 8_640_000_000_000 - 3 * DAY;

/** Whether this machine's tz database knows the name. Offsets such as `+01:00` are no names. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return false;
  try {
    formatOf(name);
    return true;
  } catch {
    // Intl's only way to say so.
    return false;
  }
}

/**
 * The name in one letter case, whatever it is written in, as the tz database has it but for a few old names; undefined
 * where `isTimeZone` is false. What the machine takes for another name of a zone stays that other name.
 */
export function spellTimeZone(name: string): string | undefined {
  if (!isTimeZone(name)) return undefined;
  const { timeZone } = formatOf(name).resolvedOptions();
  if (timeZone.toLowerCase() === name.toLowerCase()) return timeZone;
  return name.toLowerCase().split('/').map(spellPart).join('/');
}

/** `Ho_Chi_Minh`, `Etc`, but `US` and `EST5EDT`. */
function spellPart(part: string): string {
  if (part !== 'etc' && (part.length <= 3 || /\d/.test(part))) return part.toUpperCase();
  return part.replace(/(?<![a-z])[a-z]/g, (letter) => letter.toUpperCase());
}

/** The zone of this name. @throws RangeError where `isTimeZone` is false. */
export function createTimeZone(name: string): TimeZone {
  const format = formatOf(name);
  const { timeZone } = format.resolvedOptions();
  if (timeZone === 'UTC') return { isFixed: true, toLocal: (instant) => instant, toInstant: (local) => local };
  const offsetAt = rememberOffsets((instant) => readOffset(format, instant));
  return {
    isFixed: false,
    toLocal: (instant) => instant + offsetAt(instant),
    toInstant(local) {
      const before = offsetAt(local - DAY);
      const after = offsetAt(local + DAY);
      const candidates = [local - Math.max(before, after), local - Math.min(before, after)];
      return candidates.find((instant) => instant + offsetAt(instant) === local) ?? local - before;
    },
  };
}

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const digits = { month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;
  return new Intl.DateTimeFormat('en-US', { timeZone, hourCycle: 'h23', era: 'short', year: 'numeric', ...digits });
}

function readOffset(format: Intl.DateTimeFormat, instant: number): number {
  const parts = format.formatToParts(instant * 1000);
  const value = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((part) => part.type === type)?.value ?? NaN);
  const isBefore = parts.some(({ type, value }) => type === 'era' && value.startsWith('B'));
  const year = isBefore ? 1 - value('year') : value('year');
  return (
    dayNumber(year, value('month'), value('day')) * DAY +
    (value('hour') * 60 + value('minute')) * 60 +
    value('second') -
    instant
  );
}

function rememberOffsets(read: (instant: number) => number): (instant: number) => number {
  const spans = new Map<number, number | null>();
  return (given) => {
    const instant = Math.min(Math.max(given, -LAST_SECOND), LAST_SECOND);
    const span = Math.floor(instant / SPAN);
    let known = spans.get(span);
    if (known === undefined) {
      const first = read(span * SPAN);
      known = first === read(span * SPAN + SPAN - 1) ? first : null;
      spans.set(span, known);
    }
    return known ?? read(instant);
  };
}
