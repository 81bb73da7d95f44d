import { Cron } from 'croner';
import { MINUTE_SECONDS, type Minute } from './minute.ts';

/** A predicate over minutes: is the monitor due in this one? */
export type DueIn = (minute: Minute) => boolean;

const everyMinute: DueIn = () => true;

/**
 * Parses a five-field cron expression in UTC (reference §12, Monitors); `null` is every minute.
 * Returns null for anything else: nicknames (`@daily`), seconds or year fields, values out of range.
 */
export function parseCron(expression: string | null): DueIn | null {
  const cron = readCron(expression);
  return cron === 'every minute' ? everyMinute : cron && ((minute) => cron.match(new Date(minute * 1000)));
}

/**
 * The last but one minute in which the expression was due, up to and including `minute`; null where it never was so
 * often, or is no expression.
 */
export function lastButOneDue(expression: string | null, minute: Minute): Minute | null {
  const cron = readCron(expression);
  if (cron === 'every minute') return minute - MINUTE_SECONDS;
  // The moment itself is not among croner's previous ones.
  const due = cron?.previousRuns(2, new Date((minute + 1) * 1000))[1];
  return due ? due.getTime() / 1000 : null;
}

function readCron(expression: string | null): Cron | 'every minute' | null {
  const trimmed = expression?.trim() ?? '* * * * *';
  if (trimmed.split(/\s+/).length !== 5) return null;
  if (/^(\*\s+){4}\*$/.test(trimmed)) return 'every minute';
  try {
    return new Cron(trimmed, { mode: '5-part', timezone: 'UTC', paused: true });
  } catch {
    // croner's only way to say that an expression is not one; the caller words the error for its own reader.
    return null;
  }
}
