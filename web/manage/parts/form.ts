import { createTimeZone } from '../../../core/time-zone.ts';

/** The zone of whoever looks. */
export const OWN_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The values of a form's named controls as texts; what is unchecked is absent. */
export function valuesOf(form: HTMLFormElement): Record<string, string> {
  const entries = [...new FormData(form)];
  return Object.fromEntries(entries.map(([name, value]) => [name, typeof value === 'string' ? value : '']));
}

/**
 * Those of the fields whose texts, `now` and as the form `began`, differ under the same name. What nobody has touched is
 * not written: others may have changed it meanwhile, and a text on the clocks of a zone can mean two moments.
 */
export function changedOf<Fields extends object>(fields: Fields, began: object, now: object = fields): Partial<Fields> {
  const before = new Map<string, unknown>(Object.entries(began));
  const after = new Map<string, unknown>(Object.entries(now));
  const isTouched = (name: string): boolean => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name));
  // A part of what was given.
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isTouched(name))) as Partial<Fields>;
}

/** An empty line of a form is no value. */
export function blanksAsNull(values: Record<string, string>): Record<string, string | null> {
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, text.trim() === '' ? null : text]));
}

/** `YYYY-MM-DDTHH:MM` of a local control as unix seconds, on the zone's clocks; null where it is empty. */
export function secondsOf(local: string | undefined, zone = OWN_ZONE): number | null {
  const milliseconds = Date.parse(`${local ?? ''}Z`);
  return Number.isNaN(milliseconds) ? null : createTimeZone(zone).toInstant(Math.floor(milliseconds / 1000));
}

/** Unix seconds as a `datetime-local` control takes them, on the zone's clocks. */
export function localOf(seconds: number, zone = OWN_ZONE): string {
  return new Date(createTimeZone(zone).toLocal(seconds) * 1000).toISOString().slice(0, 16);
}

/** A moment as the browser's own language writes it. */
export function momentOf(seconds: number): string {
  return new Date(seconds * 1000).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
}

/** The same without its year, where there is little room. */
export function briefMomentOf(seconds: number): string {
  const parts = { month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const;
  return new Date(seconds * 1000).toLocaleString(undefined, parts);
}

/** A moment of an ISO 8601 text. */
export function momentOfText(iso: string): string {
  return momentOf(Date.parse(iso) / 1000);
}

/** From when to when, with the day of the week and the zone whose clocks tell it. */
export function windowOf(start: number, end: number, timeZone = OWN_ZONE): string {
  const format = new Intl.DateTimeFormat(undefined, {
    ...{ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' },
    ...{ hour: 'numeric', minute: '2-digit', timeZoneName: 'short', timeZone },
  });
  return format.formatRange(start * 1000, end * 1000);
}

/** Minutes as people say how long something is. */
export function durationOf(minutes: number): string {
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  const parts = [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean);
  return parts.join(' ') || '0 min';
}

/** Milliseconds as precisely as they say anything; nothing answered where there are none. */
export function latencyOf(milliseconds: number | null): string {
  if (!milliseconds) return '–';
  return `${milliseconds < 100 ? Math.round(milliseconds * 10) / 10 : Math.round(milliseconds)} ms`;
}
