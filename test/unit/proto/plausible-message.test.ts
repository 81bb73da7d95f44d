import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isPlausible } from '../../../proto/plausible-message.ts';
import { encodeResults, MAX_BATCH_ROWS } from '../../../proto/results-codec.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { anyResult, tcpResult } from '../../support/check-results.ts';
import { bytesOf } from '../../support/raw-agent.ts';

/** A message whose body (a field of its `oneof`) is one part again and again. */
function bodyOf(field: number, part: number[], count: number): Buffer {
  const body = Buffer.alloc(part.length * count, Buffer.from(part));
  const length: number[] = [];
  let left = body.length;
  for (; left > 127; left = Math.floor(left / 128)) length.push((left % 128) | 128);
  return Buffer.concat([Buffer.from([field * 8 + 2, ...length, left]), body]);
}

describe('a message of an agent', () => {
  it('is plausible with as many rows as a batch may have, each with the largest numbers and a text of its own', () => {
    const packets = { sent: 32_767, received: 32_767, minUs: 2e9, avgUs: 2e9, maxUs: 2e9, deviationUs: 2e9 };
    const rows = Array.from({ length: MAX_BATCH_ROWS }, (_, index) =>
      tcpResult(2_147_483_647, {
        revision: 2_147_483_647,
        latencyUs: 2e9,
        error: `${index} ${'x'.repeat(200)}`,
        packets,
      }),
    );
    expect(isPlausible(bytesOf({ body: 'results', results: encodeResults(2 ** 52, 'epoch', rows) }))).toBe(true);
    const absences = Array.from({ length: MAX_BATCH_ROWS }, () => ({
      fromMinute: 3e7,
      toMinute: 3e7,
      reason: 'stopped',
    }));
    expect(isPlausible(bytesOf({ body: 'absences', absences: { batch: 1, epoch: 'epoch', absences } }))).toBe(true);
  });

  it('is plausible whatever an agent has to say', () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 20 }), fc.array(fc.string()), (rows, problems) => {
        expect(isPlausible(bytesOf({ body: 'results', results: encodeResults(1, 'e', rows) }))).toBe(true);
        expect(isPlausible(bytesOf({ body: 'status', status: agentStatus({ problems, clockOffsetUs: -5 }) }))).toBe(
          true,
        );
      }),
    );
    expect(isPlausible(bytesOf({ body: 'leave', leave: {} }))).toBe(true);
    const checkAnswer = { requestId: '1', outcome: 'x'.repeat(1 << 20), error: '' };
    expect(isPlausible(bytesOf({ body: 'checkAnswer', checkAnswer }))).toBe(true);
  });

  it('is plausible with fields of any kind that this version does not know', () => {
    // 100: text; 101: number; 102: 64 bits; 103: 32 bits.
    const fields = [0xa2, 6, 1, 0x78, 0xa8, 6, 7, 0xb1, 6, ...new Array<number>(8).fill(0), 0xbd, 6, 0, 0, 0, 0];
    expect(isPlausible(Buffer.from(fields))).toBe(true);
  });

  it('is plausible with fields that this version does not know behind columns longer than one may be', () => {
    const column = (field: number): number[] => [field * 8 + 2, 0xa0, 0x9c, 1, ...new Array<number>(20_000).fill(1)];
    // 100: text; 101: number; 102: 64 bits; 103: 32 bits.
    const unknown = [0xa2, 6, 1, 0x78, 0xa8, 6, 7, 0xb1, 6, ...new Array<number>(8).fill(0), 0xbd, 6, 0, 0, 0, 0];
    expect(isPlausible(bodyOf(2, [...[4, 5, 6, 7].flatMap(column), ...unknown], 1))).toBe(true);
  });

  it.each<[string, Buffer]>([
    ['counters of nothing', bodyOf(4, [0x42, 0], 100_000)],
    ['empty texts', bodyOf(2, [0x5a, 0], 100_000)],
    ['empty absences', bodyOf(3, [0x1a, 0], 100_000)],
    ['numbers one by one', bodyOf(2, [0x20, 1], 100_000)],
    ['bodies of nothing', Buffer.alloc(200_000, Buffer.from([0x22, 0]))],
    ['a column longer than a batch', bodyOf(2, [0x22, 0xe0, 0xa7, 0x12, ...new Array<number>(300_000).fill(1)], 1)],
    ['groups in groups', Buffer.alloc(100_000, 0x0b)],
    ['a group in its body', bodyOf(2, [0x0b], 1)],
    ['a length beyond its end', Buffer.from([0x12, 100, 1])],
    ['a number without end', Buffer.alloc(50, 0xff)],
  ])('is none with %s', (_, bytes) => {
    expect(isPlausible(bytes)).toBe(false);
  });
});
