import { Cron } from 'croner';
import type { Minute } from './minute.ts';

/** A predicate over minutes: is the monitor due in this one? */
export type DueIn = (minute: Minute) => boolean;

const everyMinute: DueIn = () => true;

/**
 * Parses a five-field cron expression in UTC (reference §12, Monitors); `null` is every minute.
 * Returns null for anything else: nicknames (`@daily`), seconds or year fields, values out of range.
 */
export function parseCron(expression: string | null): DueIn | null {
  if (expression === null) return everyMinute;
  const trimmed = expression.trim();
  if (trimmed.split(/\s+/).length !== 5) return null;
  if (/^(\*\s+){4}\*$/.test(trimmed)) return everyMinute;
  try {
    const cron = new Cron(trimmed, { mode: '5-part', timezone: 'UTC', paused: true });
    return (minute) => cron.match(new Date(minute * 1000));
  } catch {
    // croner's only way to say that an expression is not one; the caller words the error for its own reader.
    return null;
  }
}
