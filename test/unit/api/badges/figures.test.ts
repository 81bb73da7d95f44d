import { expect, it } from 'vitest';
import { durationText, latencyText, percentText, uptimeColor } from '../../../../api/badges/figures.ts';

it.each([
  [90 * 86_400, 'en', '90d'],
  [36 * 3600, 'en', '36h'],
  [5400, 'en', '90m'],
  [86_400, 'de', '1 T'],
])('says %i seconds in %s as %s', (seconds, locale, text) => {
  expect(durationText(seconds, locale).replace(/\s/g, ' ')).toBe(text);
});

it.each([
  [99.9512, 'en', '99.9512%'],
  [100, 'en', '100%'],
  [33.3333, 'de', '33,3333 %'],
  [null, 'en', '-'],
])('says %d percent in %s as %s', (percent, locale, text) => {
  expect(percentText(percent, locale).replace(/\s/g, ' ')).toBe(text);
});

it.each([
  [12_345, 'en', '12 ms'],
  [1_234, 'de', '1,2 ms'],
  [null, 'en', '-'],
])('says %d microseconds in %s as %s', (latencyUs, locale, text) => {
  expect(latencyText(latencyUs, locale).replace(/\s/g, ' ')).toBe(text);
});

it('colours an uptime by how good it is', () => {
  expect([100, 98.9, 94, null].map(uptimeColor)).toEqual(['brightgreen', 'yellow', 'red', 'lightgrey']);
});
