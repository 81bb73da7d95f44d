import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ROW_ANSWERS } from '../../../core/result.ts';
import { decodeAck, encodeAck, encodeAckOfAll, type AnsweredRow } from '../../../proto/ack-codec.ts';

const anyRow: fc.Arbitrary<AnsweredRow> = fc
  .record({ answer: fc.constantFrom(...ROW_ANSWERS), reason: fc.option(fc.constantFrom('deleted', 'epoch')) })
  .map((row) => (row.answer === 'stored' ? { ...row, reason: null } : row));

describe('an acknowledgement', () => {
  it('gives every row its own answer', () => {
    fc.assert(
      fc.property(fc.array(anyRow, { maxLength: 50 }), (rows) => {
        expect(decodeAck(encodeAck(1, 5, rows), rows.length)).toEqual(rows);
      }),
    );
  });

  it('names only the rows that were not stored', () => {
    const stored: AnsweredRow = { answer: 'stored', reason: null };
    const ack = encodeAck(9, 5, [stored, { answer: 'dropped', reason: 'deleted' }, stored]);
    expect(ack).toMatchObject({ batch: 9, clockUs: 5, row: [1], answer: [2], reasons: ['deleted'] });
  });

  it('can answer all rows at once', () => {
    const dropped: AnsweredRow = { answer: 'dropped', reason: 'malformed: columns differ in length' };
    expect(decodeAck(encodeAckOfAll(1, 5, dropped), 3)).toEqual([dropped, dropped, dropped]);
    const retry: AnsweredRow = { answer: 'retry', reason: null };
    expect(decodeAck(encodeAckOfAll(1, 5, retry), 1)).toEqual([retry]);
  });

  it('is read as retry where the answer is not known, so that the row is kept', () => {
    const ack = encodeAck(1, 5, [{ answer: 'dropped', reason: null }]);
    expect(decodeAck({ ...ack, answer: [77] }, 1)).toEqual([{ answer: 'retry', reason: null }]);
    expect(decodeAck({ ...ack, answer: [] }, 1)).toEqual([{ answer: 'retry', reason: null }]);
    expect(decodeAck({ ...ack, rest: 77 }, 2)[1]).toEqual({ answer: 'retry', reason: null });
  });

  it('may name rows that the batch does not have', () => {
    const ack = encodeAck(1, 5, [{ answer: 'dropped', reason: null }]);
    expect(decodeAck({ ...ack, row: [4_000_000_000] }, 1)).toEqual([{ answer: 'stored', reason: null }]);
  });
});
