/** What the builder can say of a recurrence; every other rule is written as text. */
export interface Recurrence {
  freq: 'ONCE' | 'DAILY' | 'WEEKLY' | 'MONTHLY';
  interval: number;
  /** Of WEEKLY: RFC 5545 names. */
  days: string[];
}

export const WEEKDAYS = [
  ['MO', 'Monday'],
  ['TU', 'Tuesday'],
  ['WE', 'Wednesday'],
  ['TH', 'Thursday'],
  ['FR', 'Friday'],
  ['SA', 'Saturday'],
  ['SU', 'Sunday'],
] as const;

/** The rule as RFC 5545 writes it. */
export function ruleOf({ freq, interval, days }: Recurrence): string {
  if (freq === 'ONCE') return 'FREQ=DAILY;COUNT=1';
  const parts = [`FREQ=${freq}`];
  if (interval > 1) parts.push(`INTERVAL=${interval}`);
  if (freq === 'WEEKLY' && days.length > 0) parts.push(`BYDAY=${days.join(',')}`);
  return parts.join(';');
}

/** What the builder can show of a rule; null where the rule says more. */
export function recurrenceOf(rule: string): Recurrence | null {
  if (rule === 'FREQ=DAILY;COUNT=1') return { freq: 'ONCE', interval: 1, days: [] };
  const parts = new Map(
    rule.split(';').map((part): [string, string] => [part.split('=', 1)[0] ?? '', part.split('=')[1] ?? '']),
  );
  const freq = (['DAILY', 'WEEKLY', 'MONTHLY'] as const).find((name) => name === parts.get('FREQ'));
  if (!freq) return null;
  const days = parts.get('BYDAY')?.split(',') ?? [];
  const recurrence = { freq, interval: Number(parts.get('INTERVAL') ?? 1), days };
  return ruleOf(recurrence) === rule ? recurrence : null;
}

/** The rule in words. */
export function wordsOf({ freq, interval, days }: Recurrence): string {
  if (freq === 'ONCE') return 'Once';
  const unit = { DAILY: 'day', WEEKLY: 'week', MONTHLY: 'month' }[freq];
  const every = interval > 1 ? `Every ${interval} ${unit}s` : `Every ${unit}`;
  const names = WEEKDAYS.filter(([day]) => days.includes(day)).map(([, name]) => name);
  return freq === 'WEEKLY' && names.length > 0 ? `${every} on ${names.join(', ')}` : every;
}
