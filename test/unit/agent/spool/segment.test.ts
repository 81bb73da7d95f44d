import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameRecord, headerBytes, payloadOf, scanSegment } from '../../../../agent/spool/segment.ts';

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
