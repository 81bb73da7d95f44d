/** What the builder can say of a recurrence; every other rule is written as text. */
export interface Recurrence {
  freq: 'ONCE' | 'DAILY' | 'WEEKLY' | 'MONTHLY';
  interval: number;
  /** Of WEEKLY: RFC 5545 names, empty for the day of the first window. */
  days: readonly string[];
  /** Of MONTHLY: which `weekday` of the month, from the end where negative; 0: the date of the first window. */
  nth: number;
  weekday: string;
  end: { kind: 'never' } | { kind: 'count'; count: number } | { kind: 'until'; date: string };
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

export const ONCE: Recurrence = {
  ...{ freq: 'ONCE', interval: 1, days: [], nth: 0, weekday: 'MO', end: { kind: 'never' } },
};
const ONCE_RULE = 'FREQ=DAILY;COUNT=1';

/** The rule as RFC 5545 writes it. */
export function ruleOf({ freq, interval, days, nth, weekday, end }: Recurrence): string {
  if (freq === 'ONCE') return ONCE_RULE;
  return [
    `FREQ=${freq}`,
    interval > 1 && `INTERVAL=${interval}`,
    freq === 'WEEKLY' && days.length > 0 && `BYDAY=${days.join(',')}`,
    freq === 'MONTHLY' && nth !== 0 && `BYDAY=${nth}${weekday}`,
    end.kind === 'count' && `COUNT=${end.count}`,
    // A date counts to its last second on the zone's clocks.
    end.kind === 'until' && `UNTIL=${end.date.replaceAll('-', '')}T235959`,
  ]
    .filter(Boolean)
    .join(';');
}

/** What the builder can show of a rule; null where the rule says more. */
export function recurrenceOf(rule: string): Recurrence | null {
  if (rule === ONCE_RULE) return ONCE;
  const parts = new Map(rule.split(';').map((part) => [part.split('=', 1)[0] ?? '', part.split('=')[1] ?? '']));
  const freq = (['DAILY', 'WEEKLY', 'MONTHLY'] as const).find((name) => name === parts.get('FREQ'));
  if (!freq) return null;
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const recurrence = { freq, interval, ...daysOf(freq, parts.get('BYDAY') ?? ''), end: endOf(parts) };
  // What the builder would write otherwise, it has not understood.
  return ruleOf(recurrence) === rule ? recurrence : null;
}

function daysOf(freq: Recurrence['freq'], byDay: string): Pick<Recurrence, 'days' | 'nth' | 'weekday'> {
  const [, nth = '0', weekday = 'MO'] = /^(-?\d)([A-Z]{2})$/.exec(byDay) ?? [];
  return { days: freq === 'WEEKLY' && byDay !== '' ? byDay.split(',') : [], nth: Number(nth), weekday };
}

function endOf(parts: ReadonlyMap<string, string>): Recurrence['end'] {
  const count = parts.get('COUNT');
  if (count !== undefined) return { kind: 'count', count: Number(count) };
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)/.exec(parts.get('UNTIL') ?? '') ?? [];
  return year ? { kind: 'until', date: `${year}-${month}-${day}` } : { kind: 'never' };
}
