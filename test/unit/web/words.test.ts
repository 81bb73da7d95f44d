import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from 'vitest';
import { de } from '../../../web/messages/de.ts';
import { en, type Messages } from '../../../web/messages/en.ts';
import { es } from '../../../web/messages/es.ts';
import { fr } from '../../../web/messages/fr.ts';
import { ja } from '../../../web/messages/ja.ts';
import { preferredLocale, wordsFor } from '../../../web/words.ts';

const KEYS = Object.keys(en) as (keyof Messages)[];
/** Words that other languages share with English. */
const SAME = new Set([
  '{start} – {end} ({duration})',
  'Status',
  'Region',
  'Minutes',
  'Maintenance',
  'Incidents',
  'Incidents.',
]);

/** The names that a message wants to be given. */
function valuesOf(elements: readonly MessageFormatElement[]): string[] {
  return elements.flatMap((element) => {
    switch (element.type) {
      case TYPE.literal:
      case TYPE.pound:
        return [];
      case TYPE.plural:
      case TYPE.select:
        return [element.value, ...Object.values(element.options).flatMap(({ value }) => valuesOf(value))];
      case TYPE.tag:
        return valuesOf(element.children);
      default:
        return [element.value];
    }
  });
}

describe.each(Object.entries({ de, fr, es, ja }))('%s', (_locale, messages: Messages) => {
  it('says everything, in words of its own', () => {
    const untranslated = KEYS.filter((key) => messages[key] === en[key] && !SAME.has(en[key]));
    expect(untranslated).toEqual([]);
    expect(Object.keys(messages).sort()).toEqual([...KEYS].sort());
  });

  it.each(KEYS)('says %s of the same things as English does', (key) => {
    const wanted = new Set(valuesOf(parse(en[key])));
    expect(new Set(valuesOf(parse(messages[key])))).toEqual(wanted);
  });
});

describe('numbers and times', () => {
  it('are written as each language writes them', () => {
    expect(wordsFor('de', 'UTC').percent('99.5')).toBe('99,5\u00a0%');
    expect(wordsFor('en', 'UTC').percent('99.9971')).toBe('99.9971%');
    expect(wordsFor('en', 'UTC').latency(0.25)).toBe('0.25 ms');
    expect(wordsFor('fr', 'UTC').latency(1340)).toMatch(/^1,3\s+s$/);
    expect(wordsFor('en', 'UTC').duration(90_000)).toBe('1 day 1 hr');
    expect(wordsFor('en', 'UTC').duration(30)).toBe('0 min');
  });

  it('say once what both ends of a span share', () => {
    const from = Date.UTC(2026, 10, 20, 17, 3) / 1000;
    const plain = (text: string): string => text.replaceAll(/\s/g, ' ');
    expect(plain(wordsFor('en', 'UTC').span(from, from + 7200))).toBe('Nov 20, 2026, 5:03 PM – 7:03 PM (2 hr)');
    expect(plain(wordsFor('en', 'UTC').span(from, from + 86_400))).toBe(
      'Nov 20, 2026, 5:03 PM – Nov 21, 2026, 5:03 PM (1 day)',
    );
    expect(wordsFor('ja', 'Asia/Tokyo').span(from, from + 7200)).toBe('2026/11/21 2:03～4:03（2 時間）');
  });

  it('stand in the zone that was asked for, over a change of clocks too', () => {
    const before = Date.UTC(2026, 9, 25, 0, 30) / 1000;
    const words = wordsFor('de', 'Europe/Berlin');
    expect([words.time(before), words.time(before + 3600)]).toEqual(['02:30', '02:30']);
    expect(words.isoDay(Date.UTC(2026, 9, 24, 22, 30) / 1000)).toBe('2026-10-25');
  });
});

it.each([
  [undefined, undefined],
  ['', undefined],
  ['ja', 'ja'],
  ['de-AT, en;q=0.5', 'de'],
  ['en;q=0.2, fr;q=0.9', 'fr'],
  ['pt-BR, es;q=0', undefined],
  ['*, \u0000;q=x', undefined],
])('likes of %o best %s', (header, locale) => {
  expect(preferredLocale(header)).toBe(locale);
});
