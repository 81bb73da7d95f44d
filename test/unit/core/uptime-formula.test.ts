import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uptimeOf } from '../../../core/uptime.ts';
import { parseFormula, type MinuteCounts } from '../../../core/uptime-formula.ts';

const counts: MinuteCounts = { up: 90, down: 6, degraded: 3, maintenance: 1 };

describe('a formula', () => {
  it.each([
    ['up', 90],
    ['up + down + degraded + maintenance', 100],
    ['up - down - degraded', 81],
    ['up - (down - degraded)', 87],
    ['up + down * degraded', 108],
    ['(up + down) * degraded', 288],
    ['up / down / degraded', 5],
    ['up/(down/degraded)', 45],
    ['  0.5*up\t+\n.5 + 1. ', 46.5],
    ['-up + +down', -84],
    ['up - -down', 96],
    ['--up', 90],
    ['2 - 3 - 4', -5],
    ['up / 0', Infinity],
    ['(down - down) / (up - up)', NaN],
    [`${'('.repeat(32)}up${')'.repeat(32)}`, 90],
    ['1' + '+1'.repeat(249), 250],
  ])('computes %j as %d', (text, value) => {
    expect(parseFormula(text)?.(counts)).toBe(value);
  });

  it.each([
    '',
    ' ',
    'up +',
    '* up',
    'up down',
    '2up',
    'up2',
    'UP',
    'upper',
    '()',
    '(up',
    'up)',
    ')up(',
    'up, down',
    '1.2.3',
    '.',
    '1e3',
    '0x10',
    '1_000',
    'up ** 2',
    'up % 2',
    'up // down',
    'up /* x */',
    'up; down',
    'up = 1',
    'up++',
    'up()',
    'up.constructor',
    'up["x"]',
    'constructor',
    '__proto__',
    'toString',
    'process.exit(1)',
    'globalThis',
    '(() => up)()',
    '`up`',
    "'up'",
    'up\0',
    'uþ',
    'up²',
    '−up',
    '\ud800',
    `${'('.repeat(33)}up${')'.repeat(33)}`,
    `${'-'.repeat(33)}up`,
    `${'('.repeat(400)}`,
    '1' + '+1'.repeat(250),
    `up${' '.repeat(500)}`,
    '(' + '1'.repeat(1e6),
  ])('is not %j', (text) => {
    expect(parseFormula(text)).toBeNull();
  });

  it('has the value of the tree that it was written from', () => {
    fc.assert(
      fc.property(tree, minutes, ({ text, value }, given) => {
        fc.pre(text.length <= 500);
        expect(parseFormula(text)?.(given), text).toBe(value(given));
      }),
      { numRuns: 2000 },
    );
  });

  it('is found or not found in any text, and never throws', () => {
    const pieces = fc.array(fc.constantFrom('up', 'down', '(', ')', '+', '-', '*', '/', '1', '.5', ' ', 'x', '\0'));
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      pieces.map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(text, (given) => {
        const value = parseFormula(given)?.(counts);
        expect(['number', 'undefined']).toContain(typeof value);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('uptime', () => {
  const nothing = { up: 0, down: 0, degraded: 0, maintenance: 0 };
  const rule = { include_degraded_in_downtime: 'NO', monitor_settings_json: null } as const;
  it.each([
    [{}, null, '-'],
    [{ down: 5 }, 0, '0'],
    [{ up: 5 }, 100, '100'],
    [{ up: 999, down: 1 }, 99.9, '99.9'],
    [{ up: 1, down: 7 }, 12.5, '12.5'],
    [{ up: 1, down: 2 }, 33.3333, '33.3333'],
    [{ up: 2, down: 1 }, 66.6667, '66.6667'],
    [{ up: 1, down: 9_999_999 }, 0, '0'],
    [{ degraded: 1, maintenance: 1, down: 2 }, 50, '50'],
  ])('of %j is %j, in words %j', (given, percent, text) => {
    expect(uptimeOf({ ...nothing, ...given }, rule)).toEqual({ percent, text });
  });

  it('counts DEGRADED as down where the monitor says so, before the formula', () => {
    const given = { ...nothing, up: 1, degraded: 3 };
    expect(uptimeOf(given, { ...rule, include_degraded_in_downtime: 'YES' }).text).toBe('25');
    const monitor_settings_json = { uptime_formula_numerator: 'down - degraded' };
    expect(uptimeOf(given, { include_degraded_in_downtime: 'YES', monitor_settings_json }).text).toBe('75');
  });

  it.each([
    [{ uptime_formula_numerator: 'up' }, '90'],
    [{ uptime_formula_denominator: 'up + down' }, '97.9167'],
    [{ uptime_formula_numerator: null, uptime_formula_denominator: null }, '94'],
    [{ uptime_formula_denominator: '0' }, '-'],
    [{ uptime_formula_numerator: '0', uptime_formula_denominator: '0' }, '-'],
    [{ uptime_formula_numerator: 'up / 0' }, '-'],
    [{ uptime_formula_numerator: '0 * -up' }, '0'],
    [{ uptime_formula_numerator: '9'.repeat(400) }, '-'],
    [{ uptime_formula_numerator: 'what stood there before' }, '94'],
  ])('follows the formulas %j', (monitor_settings_json, text) => {
    expect(uptimeOf(counts, { ...rule, monitor_settings_json }).text).toBe(text);
  });

  it('of no minute is nothing, whatever the formulas', () => {
    const monitor_settings_json = { uptime_formula_numerator: '1', uptime_formula_denominator: '2' };
    expect(uptimeOf(nothing, { ...rule, monitor_settings_json })).toEqual({ percent: null, text: '-' });
  });
});

interface Tree {
  text: string;
  value: (given: MinuteCounts) => number;
}

const minutes = fc.record({ up: fc.nat(9999), down: fc.nat(9999), degraded: fc.nat(9), maintenance: fc.nat(9) });
const names = ['up', 'down', 'degraded', 'maintenance'] as const;
const space = fc.constantFrom('', ' ', '  ', '\n');

/** Trees written with every pair of parentheses: how they are read leaves no choice. */
const { tree } = fc.letrec<{ tree: Tree; leaf: Tree; pair: Tree; sign: Tree; chain: Tree }>((tie) => ({
  tree: fc.oneof({ maxDepth: 4, withCrossShrink: true }, tie('leaf'), tie('pair'), tie('sign'), tie('chain')),
  leaf: fc.oneof(
    fc.constantFrom(...names).map((name): Tree => ({ text: name, value: (given) => given[name] })),
    fc.nat(99_999).map((number): Tree => ({ text: (number / 100).toFixed(2), value: () => number / 100 })),
  ),
  pair: fc.tuple(tie('tree'), fc.constantFrom('+', '-', '*', '/'), tie('tree'), space).map(([a, sign, b, gap]) => ({
    text: `(${a.text}${gap}${sign}${gap}${b.text})`,
    value: (given) => apply(sign, a.value(given), b.value(given)),
  })),
  sign: tie('tree').map((inner) => ({ text: `(-${inner.text})`, value: (given) => -inner.value(given) })),
  // Without parentheses: first the products from left to right, then their sum.
  chain: fc
    .array(
      fc.tuple(
        fc.constantFrom('+', '-'),
        fc.array(fc.tuple(fc.constantFrom('*', '/'), tie('leaf')), { minLength: 1, maxLength: 3 }),
      ),
      {
        minLength: 1,
        maxLength: 4,
      },
    )
    .map((terms) => ({
      text: `(0${terms.map(([sign, factors]) => sign + factors.map(([by, leaf], at) => (at === 0 ? '' : by) + leaf.text).join('')).join('')})`,
      value: (given) =>
        terms.reduce((sum, [sign, factors]) => {
          const [first, ...rest] = factors.map(([, leaf]) => leaf.value(given));
          const product = rest.reduce(
            (product, factor, at) => apply(factors[at + 1]?.[0] ?? '', product, factor),
            first ?? NaN,
          );
          return apply(sign, sum, product);
        }, 0),
    })),
}));

function apply(sign: string, a: number, b: number): number {
  if (sign === '+') return a + b;
  if (sign === '-') return a - b;
  return sign === '*' ? a * b : a / b;
}
