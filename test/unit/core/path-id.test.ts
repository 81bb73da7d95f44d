import { expect, it } from 'vitest';
import { parsePathId } from '../../../core/path-id.ts';

it.each([
  ['2', 2],
  ['2abc', 2],
  ['007', 7],
  ['1e3', 1],
  ['2147483647', 2_147_483_647],
  ['2147483648', undefined],
  ['99999999999999999999999999999999', undefined],
  ['0', undefined],
  ['0x10', undefined],
  ['-1', undefined],
  ['+1', undefined],
  [' 1', undefined],
  ['%31', undefined],
  ['abc', undefined],
  ['', undefined],
  ['١', undefined],
])('reads %j as %j', (text, id) => {
  expect(parsePathId(text)).toBe(id);
});
