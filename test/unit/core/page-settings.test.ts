import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  completeSettings,
  givenSettings,
  mergeSettings,
  newSettings,
  pageSettings,
} from '../../../core/page-settings.ts';

describe('completeSettings', () => {
  it('gives every default to nothing, and the result needs nothing more', () => {
    const complete = completeSettings({});
    expect(pageSettings.parse(complete)).toEqual(complete);
    expect(completeSettings(complete)).toEqual(complete);
  });

  it('hands out no default that a caller could change for others', () => {
    completeSettings({}).incidents.resolved.max_count = 99;
    expect(completeSettings({}).incidents.resolved.max_count).toBe(5);
  });
});

describe('mergeSettings', () => {
  it('merges objects at any depth and replaces all else', () => {
    const current = { a: { b: { c: 1, d: [1] } }, e: 1, f: { g: 1 } };
    const change = { a: { b: { d: [2], x: null } }, e: { y: 1 }, f: null };
    expect(mergeSettings(current, change)).toEqual({
      a: { b: { c: 1, d: [2], x: null } },
      e: { y: 1 },
      f: null,
    });
  });

  it('a change twice is a change once, and nothing changes nothing', () => {
    const settings = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));
    fc.assert(
      fc.property(settings, settings, (current, change) => {
        const once = mergeSettings(current, change);
        expect(mergeSettings(once, change)).toEqual(once);
        expect(mergeSettings(current, {})).toEqual(current);
      }),
    );
  });

  it('keeps a member called __proto__ a member', () => {
    const change = JSON.parse('{"a":{"__proto__":{"polluted":1}}}') as Record<string, unknown>;
    const merged = mergeSettings({ a: { b: 1 } }, change);
    expect(JSON.stringify(merged)).toBe('{"a":{"b":1,"__proto__":{"polluted":1}}}');
    expect({}).not.toHaveProperty('polluted');
  });
});

describe('newSettings', () => {
  const hidden = { show: false, past: { show: false }, upcoming: { show: false } };
  it.each([
    [{}, {}],
    [{ include_maintenances: { enabled: false } }, { include_maintenances: { enabled: false, ongoing: hidden } }],
    [{ include_maintenances: { enabled: true } }, { include_maintenances: { enabled: true } }],
    [{ include_maintenances: {} }, { include_maintenances: {} }],
    [
      { include_maintenances: { enabled: false, ongoing: {} }, a: 1 },
      { include_maintenances: { enabled: false, ongoing: {} }, a: 1 },
    ],
  ])('of %j are %j', (given, expected) => {
    expect(newSettings(given)).toEqual(expected);
  });
});

describe('givenSettings', () => {
  it('takes any part of what is complete', () => {
    const complete = completeSettings({ meta_page_title: 'x' });
    expect(givenSettings.parse(complete)).toEqual(complete);
    for (const [name, value] of Object.entries(complete))
      expect(givenSettings.parse({ [name]: value })).toEqual({ [name]: value });
    expect(givenSettings.parse({})).toEqual({});
  });

  it('refuses what is nested too deep to be stored', () => {
    const deep = JSON.parse(`{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`) as unknown;
    expect(givenSettings.safeParse(deep).error?.issues[0]?.message).toBe(
      'page_settings must not be nested deeper than 32 levels',
    );
  });
});
