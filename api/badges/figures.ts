/** Figures and durations as a badge says them, in the words of a locale. */

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;

/** `90d`: in the largest unit that gives a whole number, else in minutes. */
export function durationText(seconds: number, locale: string): string {
  if (seconds % DAY === 0) return inUnits(seconds / DAY, 'day', locale, 0);
  if (seconds % HOUR === 0) return inUnits(seconds / HOUR, 'hour', locale, 0);
  return inUnits(Math.round(seconds / MINUTE), 'minute', locale, 0);
}

/** `99.95%`, up to four decimals; `-` for null. */
export function percentText(percent: number | null, locale: string): string {
  if (percent === null) return '-';
  return new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 }).format(percent / 100);
}

/** `12 ms`, below ten with a decimal; `-` for null. */
export function latencyText(latencyUs: number | null, locale: string): string {
  if (latencyUs === null) return '-';
  const milliseconds = latencyUs / 1000;
  return inUnits(milliseconds, 'millisecond', locale, milliseconds < 10 ? 1 : 0);
}

function inUnits(value: number, unit: string, locale: string, maximumFractionDigits: number): string {
  const unitDisplay = unit === 'millisecond' ? 'short' : 'narrow';
  return new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay, maximumFractionDigits }).format(value);
}

/** The colour of an uptime in percent. */
export function uptimeColor(percent: number | null): string {
  if (percent === null) return 'lightgrey';
  return percent >= 99 ? 'brightgreen' : percent >= 95 ? 'yellow' : 'red';
}
