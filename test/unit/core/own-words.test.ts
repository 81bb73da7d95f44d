import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { eachInTurn, inOwnWords, problemsOf } from '../../../core/own-words.ts';

const told = (schema: z.ZodType, value: unknown): unknown => {
  const { error } = schema.safeParse(value);
  return error && problemsOf(error);
};

describe('inOwnWords', () => {
  const inner = z.object({ b: z.string('must be text'), c: z.int('a whole number, please') });
  const schema = z.object({ a: inOwnWords(inner, (path, message) => `${path.join('.')} ${message}`).optional() });

  it('tells faults as it says, their whole place only in the details', () => {
    expect(told(schema, { a: { b: 5, c: 0.5 } })).toEqual([
      { path: 'a.b', message: 'b must be text' },
      { path: 'a.c', message: 'c a whole number, please' },
    ]);
  });

  it('takes what the schema takes, nothing included where that is optional', () => {
    expect(schema.parse({ a: { b: 'x', c: 1, d: 2 } })).toEqual({ a: { b: 'x', c: 1 } });
    expect(schema.parse({})).toEqual({});
  });

  it('is documented as the schema is', () => {
    const documented = z.toJSONSchema(schema, { io: 'input' });
    expect(documented).toMatchObject({ properties: { a: { required: ['b', 'c'] } } });
    expect(documented).not.toHaveProperty('required');
  });
});

describe('eachInTurn', () => {
  const item = z.object({ x: z.int('x is no number'), y: z.int('y is no number') }, 'no object');
  const schema = z.object({ list: eachInTurn(item, 'no list') });

  it('tells all faults of the first faulty item, and of no other', () => {
    const good = { x: 1, y: 2 };
    expect(told(schema, { list: [good, { x: '1', y: '2' }, null] })).toEqual([
      { path: 'list.1.x', message: 'x is no number' },
      { path: 'list.1.y', message: 'y is no number' },
    ]);
    expect(told(schema, { list: [null, {}] })).toEqual([{ path: 'list.0', message: 'no object' }]);
    expect(schema.parse({ list: [good, { ...good, z: 3 }] })).toEqual({ list: [good, good] });
  });

  it.each([null, {}, 'x', 5, undefined])('tells that %j is no array', (list) => {
    expect(told(schema, { list })).toEqual([{ path: 'list', message: 'no list' }]);
  });
});

describe('problemsOf', () => {
  it('tells no more than a hundred faults', () => {
    expect(told(z.array(z.int('must be whole')), Array(500).fill(0.5))).toHaveLength(100);
  });
});
