import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../../core/result.ts';
import { decodeRecord, encodeRecord, summarise, type SpoolRecord } from '../../../../agent/spool/record.ts';
import { anyResult, MINUTE, tcpResult, unknownResult } from '../../../support/check-results.ts';

function inOrder(results: readonly CheckResult[]): CheckResult[] {
  return [...results].sort((a, b) => a.minute - b.minute || a.monitorId - b.monitorId);
}

describe('a spool record', () => {
  it('comes back as it went in, sorted by minute and monitor', () => {
    fc.assert(
      fc.property(fc.array(anyResult, { minLength: 1, maxLength: 60 }), (results) => {
        const record: SpoolRecord = { kind: 'results', results, provisional: null };
        expect(decodeRecord(encodeRecord(record))).toEqual({ ...record, results: inOrder(results) });
      }),
    );
  });

  it('keeps the monotonic start of each provisional result beside it', () => {
    const results = [tcpResult(3), tcpResult(1), tcpResult(2)];
    const provisional = { usedOffsetMs: -1_234_567, startedMs: [300, 100, 200] };
    const decoded = decodeRecord(encodeRecord({ kind: 'results', results, provisional }));
    expect(decoded).toEqual({
      kind: 'results',
      results: inOrder(results),
      provisional: { usedOffsetMs: -1_234_567, startedMs: [100, 200, 300] },
    });
  });

  it('holds absences too', () => {
    const record: SpoolRecord = {
      kind: 'absences',
      absences: [
        { from: 0, to: MINUTE, reason: 'unborn' },
        { from: MINUTE + 60, to: MINUTE + 600, reason: 'stopped' },
      ],
    };
    expect(decodeRecord(encodeRecord(record))).toEqual(record);
    expect(summarise(encodeRecord(record))).toEqual({
      kind: 'absences',
      rows: 2,
      firstMinute: 0,
      lastMinute: MINUTE + 540,
      isProvisional: false,
    });
  });

  it('tells its rows and minutes without being read', () => {
    const results = [tcpResult(1), tcpResult(2, { minute: MINUTE + 120 }), unknownResult(3, { minute: MINUTE - 60 })];
    expect(summarise(encodeRecord({ kind: 'results', results, provisional: null }))).toEqual({
      kind: 'results',
      rows: 3,
      firstMinute: MINUTE - 60,
      lastMinute: MINUTE + 120,
      isProvisional: false,
    });
  });

  it('refuses bytes that are none instead of inventing rows', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          const record = decodeRecord(Buffer.from(bytes));
          expect(['results', 'absences']).toContain(record.kind);
        } catch (error) {
          expect(error).toBeInstanceOf(Error);
        }
      }),
    );
    expect(() => decodeRecord(Buffer.from([9, 0, 1, 1, 0]))).toThrow(RangeError);
  });
});
