import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeRecord, encodeRecord } from '../../../../agent/spool/record.ts';
import { frameRecord, headerBytes, payloadOf, scanSegment } from '../../../../agent/spool/segment.ts';
import type { CheckResult } from '../../../../core/result.ts';
import { tcpResult } from '../../../support/check-results.ts';

const HEADER = { epoch: 'e'.repeat(36), bootId: 'b'.repeat(36) };

function segmentOf(payloads: readonly string[]): Buffer {
  const frames = payloads.map((payload, index) => frameRecord(index + 1, Buffer.from(payload)));
  return Buffer.concat([headerBytes(HEADER), ...frames]);
}

function payloadsOf(bytes: Buffer): string[] {
  return scanSegment(bytes).records.map((place) => payloadOf(bytes, place).toString());
}

describe('a segment', () => {
  it('gives its header and records back', () => {
    const bytes = segmentOf(['one', 'two', 'three']);
    expect(scanSegment(bytes)).toMatchObject({ header: HEADER, damaged: 0, end: bytes.length });
    expect(payloadsOf(bytes)).toEqual(['one', 'two', 'three']);
  });

  it('ends before a torn tail, wherever it was torn', () => {
    const bytes = segmentOf(['one', 'two', 'three']);
    const whole = segmentOf(['one', 'two']).length;
    for (let end = whole; end < bytes.length; end += 1) {
      const scanned = scanSegment(bytes.subarray(0, end));
      expect(scanned).toMatchObject({ damaged: 0, end: whole });
      expect(scanned.records).toHaveLength(2);
    }
  });

  it('passes over a damaged record and counts it', () => {
    const bytes = segmentOf(['one', 'two', 'three']);
    const second = segmentOf(['one']).length;
    fc.assert(
      fc.property(
        fc.integer({ min: second, max: segmentOf(['one', 'two']).length - 1 }),
        fc.integer({ min: 1, max: 255 }),
        (at, flip) => {
          const damaged = Buffer.from(bytes);
          damaged[at] = (damaged[at] ?? 0) ^ flip;
          expect(payloadsOf(damaged)).toEqual(['one', 'three']);
          expect(scanSegment(damaged).damaged).toBe(1);
        },
      ),
    );
  });

  it('takes no flipped bit for data, wherever it is: its record is passed over, all others come back', () => {
    const results = (first: number): CheckResult[] =>
      Array.from({ length: 5 }, (_, index) => tcpResult(first + index, { error: index === 2 ? 'refused' : null }));
    const payloads = [1, 11, 21].map((first) =>
      encodeRecord({ kind: 'results', results: results(first), provisional: null }),
    );
    const frames = payloads.map((payload, index) => frameRecord(index + 1, payload));
    const bytes = Buffer.concat([headerBytes(HEADER), ...frames]);
    const [first = bytes, second = bytes] = frames;
    const start = headerBytes(HEADER).length + first.length;
    for (let at = start; at < start + second.length; at += 1)
      for (let bit = 0; bit < 8; bit += 1) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit);
        const scanned = scanSegment(damaged);
        expect(scanned).toMatchObject({ header: HEADER, damaged: 1, end: bytes.length });
        const records = scanned.records.map((place) => decodeRecord(payloadOf(damaged, place)));
        expect(records).toMatchObject([{ results: results(1) }, { results: results(21) }]);
      }
  });

  it('keeps its header when either copy is damaged', () => {
    for (const at of [0, 5, 30, 256, 300]) {
      const bytes = segmentOf(['one']);
      bytes[at] = (bytes[at] ?? 0) ^ 0x10;
      expect(scanSegment(bytes).header).toEqual(HEADER);
    }
    const bytes = segmentOf(['one']);
    bytes.fill(0x55, 0, 512);
    expect(scanSegment(bytes).header).toBeNull();
  });
});
