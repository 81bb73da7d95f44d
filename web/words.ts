import { IntlMessageFormat } from 'intl-messageformat';
import { createTimeZone, type TimeZone } from '../core/time-zone.ts';
import { de } from './messages/de.ts';
import { en, type Messages } from './messages/en.ts';
import { es } from './messages/es.ts';
import { fr } from './messages/fr.ts';
import { ja } from './messages/ja.ts';

/** The languages of the pages, by their tag (BCP 47). */
const CATALOGUES = { en, de, fr, es, ja } satisfies Record<string, Messages>;
export type Locale = keyof typeof CATALOGUES;
export const LOCALES = Object.keys(CATALOGUES) as Locale[];

/** What a page says and how it writes times and numbers, in one language and one time zone. */
export interface Words {
  locale: Locale;
  timeZone: string;
  /** How times of the clock and moments belong together there. */
  zone: TimeZone;
  say(key: keyof Messages, values?: Record<string, string | number>): string;
  /** A day and its time, with the zone's short name. */
  moment(seconds: number): string;
  /** From one moment to another, and how long that is; a day that both share is said once. */
  span(start: number, end: number): string;
  time(seconds: number): string;
  day(seconds: number): string;
  shortDay(seconds: number): string;
  /** With its day of the week. */
  weekDay(seconds: number): string;
  /** `2026-11-20`, as addresses carry it. */
  isoDay(seconds: number): string;
  month(seconds: number): string;
  duration(seconds: number): string;
  latency(milliseconds: number): string;
  /** An uptime's text, `99.9`, as a percentage of this language. */
  percent(text: string): string;
}

const known = new Map<string, Words>();
/** Zones times languages that are asked for are few; whoever invents more must not fill the memory. */
const MAX_KNOWN = 500;

/** The words of a language in a zone, which must be one that Intl knows. */
export function wordsFor(locale: Locale, timeZone: string): Words {
  const key = `${locale} ${timeZone}`;
  const words = known.get(key) ?? makeWords(locale, timeZone);
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(key, words);
  return words;
}

/** The language of ours that an Accept-Language header likes best (RFC 9110, 12.5.4); undefined where it likes none. */
export function preferredLocale(header: string | undefined): Locale | undefined {
  const wanted = (header ?? '')
    .split(',')
    .map((entry) => {
      const [language, ...parameters] = entry.trim().split(';');
      const quality = parameters.map((text) => /^\s*q=([\d.]+)\s*$/.exec(text)?.[1]).find(Boolean);
      return { language, quality: Number(quality ?? 1) };
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
  return wanted.map(({ language }) => localeOf(language)).find(Boolean);
}

/** The language of that tag, whatever its region, if it is one of ours. */
export function localeOf(tag: string | undefined): Locale | undefined {
  const language = tag?.split('-', 1)[0]?.toLowerCase();
  return LOCALES.find((locale) => locale === language);
}

function makeWords(locale: Locale, timeZone: string): Words {
  const formats = new Map<string, IntlMessageFormat>();
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone });
    return (seconds: number): string => format.format(seconds * 1000);
  };
  const isoDays = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone });
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 });
  const words: Words = {
    locale,
    timeZone,
    zone: createTimeZone(timeZone),
    say: (key, values) => {
      const format = formats.get(key) ?? new IntlMessageFormat(CATALOGUES[locale][key], locale);
      formats.set(key, format);
      return String(format.format(values));
    },
    moment: dates({ dateStyle: 'medium', timeStyle: 'short' }),
    span: (start, end) => {
      const isOneDay = words.isoDay(start) === words.isoDay(end);
      const last = isOneDay ? words.time(end) : words.moment(end);
      return words.say('span', { start: words.moment(start), end: last, duration: words.duration(end - start) });
    },
    time: dates({ timeStyle: 'short' }),
    day: dates({ dateStyle: 'full' }),
    shortDay: dates({ month: 'short', day: 'numeric' }),
    weekDay: dates({ weekday: 'short', month: 'short', day: 'numeric' }),
    // Sweden writes its dates as ISO 8601 does.
    isoDay: (seconds) => isoDays.format(seconds * 1000),
    month: dates({ month: 'long', year: 'numeric' }),
    duration: (seconds) => durationText(locale, seconds),
    latency: (milliseconds) => latencyText(locale, milliseconds),
    percent: (text) => percent.format(Number(text) / 100),
  };
  return words;
}

function durationText(locale: Locale, seconds: number): string {
  const parts: [number, string][] = [
    [Math.floor(seconds / 86_400), 'day'],
    [Math.floor(seconds / 3600) % 24, 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
  ];
  const said = parts.filter(([count]) => count > 0).slice(0, 2);
  const shown = said.length > 0 ? said : [[0, 'minute'] as [number, string]];
  return shown.map(([count, unit]) => unitFormat(locale, unit, 0).format(count)).join(' ');
}

/** Two digits that differ are enough for a person: 0.25 ms, 4.7 ms, 182 ms, 1.3 s. */
function latencyText(locale: Locale, milliseconds: number): string {
  if (milliseconds >= 1000) return unitFormat(locale, 'second', 1).format(milliseconds / 1000);
  const digits = milliseconds < 1 ? 2 : milliseconds < 10 ? 1 : 0;
  return unitFormat(locale, 'millisecond', digits).format(milliseconds);
}

const units = new Map<string, Intl.NumberFormat>();

function unitFormat(locale: Locale, unit: string, digits: number): Intl.NumberFormat {
  const key = `${locale} ${unit} ${digits}`;
  const format =
    units.get(key) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, maximumFractionDigits: digits });
  units.set(key, format);
  return format;
}
