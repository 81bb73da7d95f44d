import fc from 'fast-check';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkStorableJson, checkStorableText } from '../../../core/storable.ts';

const text = z.string().superRefine(checkStorableText);
const json = z.unknown().superRefine(checkStorableJson);
const accepts = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
};

it.each(['\0', 'a\0b', '\ud800', 'x\udfff', '\udc00\ud800'])('refuses %j wherever it stands', (bad) => {
  expect(accepts(text, bad)).toBe(false);
  for (const value of [bad, [bad], { a: bad }, { [bad]: 1 }, { a: [{ b: { [bad]: null } }] }])
    expect(accepts(json, value)).toBe(false);
});

it('takes every well-formed text without NUL', () => {
  const stored = fc.string({ unit: 'binary' }).filter((value) => !value.includes('\0'));
  fc.assert(fc.property(stored, (value) => accepts(text, value) && accepts(json, { [value]: value })));
});

it('bounds the depth, so that neither JSON.stringify nor jsonb runs out of stack', () => {
  expect([accepts(json, nested(32)), accepts(json, nested(33)), accepts(json, nested(200_000))]).toEqual([
    true,
    false,
    false,
  ]);
});

it('refuses numbers that JSON cannot hold', () => {
  expect([accepts(json, [1e308]), accepts(json, [Infinity]), accepts(json, { a: NaN })]).toEqual([true, false, false]);
});
