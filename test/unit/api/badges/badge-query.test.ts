import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  BADGE_STYLES,
  dotQuery,
  latencyQuery,
  shortText,
  statusQuery,
  uptimeQuery,
} from '../../../../api/badges/badge-query.ts';
import { drawBadge, drawDot } from '../../../../api/badges/draw-badge.ts';
import { elementsOf, parseXml } from '../../../support/xml.ts';

describe('a badge query', () => {
  it('has a default for everything', () => {
    expect(latencyQuery.parse({})).toEqual({
      ...{ label: undefined, labelColor: undefined, color: undefined, style: 'flat', locale: 'en' },
      ...{ sinceLast: 90 * 86_400, hideDuration: false, metric: 'average' },
    });
    expect(dotQuery.parse({})).toEqual({});
  });

  it.each([
    ['brightgreen', 'brightgreen'],
    ['Red', 'red'],
    ['ABC', 'abc'],
    ['#a1b2c3', '#a1b2c3'],
    ['a1b2', undefined],
    ['constructor', undefined],
    ['url(#x)', undefined],
    ['red"/><script>', undefined],
  ])('takes the colour %j as %j', (given, taken) => {
    expect(statusQuery.parse({ color: given, labelColor: given })).toMatchObject({ color: taken, labelColor: taken });
  });

  it.each([
    ['86400', 86_400],
    ['1', 60],
    ['-5', 60],
    ['9e9', 60],
    ['99999999999999999999', 366 * 86_400],
    ['x', 90 * 86_400],
  ])('reads sinceLast=%s as %i seconds', (given, taken) => {
    expect(uptimeQuery.parse({ sinceLast: given }).sinceLast).toBe(taken);
  });

  it('overlooks styles, metrics, locales and animations that there are not', () => {
    expect(latencyQuery.parse({ style: 'round', metric: 'median', locale: 'x'.repeat(99) })).toMatchObject({
      ...{ style: 'flat', metric: 'average', locale: 'en' },
    });
    expect(dotQuery.parse({ animate: 'spin' }).animate).toBeUndefined();
  });

  it('cuts long texts by characters', () => {
    expect(shortText('🙂'.repeat(101))).toBe(`${'🙂'.repeat(99)}…`);
    expect(shortText('🙂'.repeat(100))).toBe('🙂'.repeat(100));
    expect(shortText(' a\u0000\n\ud800b\uffff ')).toBe('a b');
  });
});

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(']]>', '\ud800x', '\u0000\u0008', '🙂"<&\'>', '</svg>', '&amp;', 'ﷺ'.repeat(50)),
);

describe('a drawn badge', () => {
  it('is well-formed whatever it says, in every style, and says it to those who cannot see it', () => {
    fc.assert(
      fc.property(anyText, anyText, fc.constantFrom(...BADGE_STYLES), (label, message, style) => {
        const svg = parseXml(drawBadge({ label, message, color: 'red' }, { style }));
        expect(svg).toMatchObject({ name: 'svg', attributes: { role: 'img' } });
        expect(elementsOf(svg, 'title')).toHaveLength(1);
        expect(svg.attributes['aria-label']).toBeDefined();
        expect(elementsOf(svg, 'script')).toEqual([]);
      }),
    );
  });

  it('takes its colours from the query where it names some', () => {
    const svg = drawBadge({ label: 'a', message: 'b', color: 'red' }, { color: '0a0b0c', labelColor: '#0d0e0f' });
    const fills = elementsOf(parseXml(svg), 'rect').map(({ attributes }) => attributes.fill);
    expect(fills).toEqual(expect.arrayContaining(['#0a0b0c', '#0d0e0f']));
  });

  it('is a dot that pings only where it is asked to, and not for those who wish for less motion', () => {
    fc.assert(
      fc.property(anyText, (name) => {
        const svg = parseXml(drawDot(name, 'NO_DATA', dotQuery.parse({ animate: 'ping', fillColor: 'fff' })));
        expect(elementsOf(svg, 'title')[0]?.text).toMatch(/: NO DATA$/);
        expect(elementsOf(svg, 'style')[0]?.text).toContain('prefers-reduced-motion:no-preference');
        expect(elementsOf(svg, 'rect')[0]?.attributes.fill).toBe('#fff');
        expect(elementsOf(svg, 'circle')).toHaveLength(2);
      }),
    );
    const still = parseXml(drawDot('a', 'UP', dotQuery.parse({})));
    expect([elementsOf(still, 'style'), elementsOf(still, 'rect')]).toEqual([[], []]);
    expect(elementsOf(still, 'circle')).toHaveLength(1);
  });
});
