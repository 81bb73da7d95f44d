import { expect, test } from 'vitest';
import { encodeRecord, type SpoolRecord } from '../../../agent/spool/record.ts';
import { frameRecord, headerBytes } from '../../../agent/spool/segment.ts';
import { unknownOutcome } from '../../../core/outcome.ts';
import type { CheckResult } from '../../../core/result.ts';
import { decodeSegment } from '../../faults/spool-decoder.ts';

const MINUTE = 1_800_000_000;

function results(count: number): CheckResult[] {
  const times = { minUs: 100, avgUs: 200, maxUs: 400, deviationUs: 30 };
  const none = { minUs: null, avgUs: null, maxUs: null, deviationUs: null };
  const kinds: CheckResult[] = [
    {
      status: 'UP',
      cause: 'NONE',
      origin: 'REALTIME',
      latencyUs: 1234,
      error: null,
      packets: { sent: 3, received: 2, ...times },
      ...key(0),
    },
    {
      status: 'DOWN',
      cause: 'TARGET',
      origin: 'ERROR',
      latencyUs: 0,
      error: 'refused',
      packets: { sent: 3, received: 0, ...none },
      ...key(1),
    },
    { ...unknownOutcome('late', 'the agent ended in this minute'), ...key(2) },
    { status: 'DEGRADED', cause: 'TARGET', origin: 'REALTIME', latencyUs: 7, error: null, packets: null, ...key(3) },
  ];
  return Array.from({ length: count }, (_, n) => ({ ...(kinds[n % 4] ?? kinds[0]), ...key(n) }) as CheckResult);
}

/** In the order of the disk. */
function key(n: number): Pick<CheckResult, 'monitorId' | 'minute' | 'revision'> {
  return { monitorId: 1 + (n % 100), minute: MINUTE + Math.floor(n / 100) * 60, revision: 1 + (n % 3) };
}

function segment(records: readonly SpoolRecord[]): Buffer {
  const frames = records.map((record, index) => frameRecord(index + 1, encodeRecord(record)));
  return Buffer.concat([headerBytes({ epoch: 'epoch', bootId: 'boot' }), ...frames]);
}

test.for([1, 4, 300])('reads %i results as they were written', (count) => {
  const wanted = results(count);
  const read = decodeSegment(segment([{ kind: 'results', results: wanted, provisional: null }]));
  expect(read.results).toEqual(
    wanted.map(({ monitorId, minute, revision, status, latencyUs, error, packets }) => ({
      ...{ monitorId, minute, revision, status, latencyUs, error, provisional: null },
      ...{ sent: packets?.sent ?? null, received: packets?.received ?? null },
    })),
  );
});

test('reads absences, and by which clock a result was placed', () => {
  const absences = [{ from: MINUTE, to: MINUTE + 300, reason: 'not running' }];
  const provisional = { usedOffsetMs: 1_790_000_000_000, startedMs: [10_000, 12_000] };
  const records: SpoolRecord[] = [
    { kind: 'absences', absences },
    { kind: 'results', results: results(2), provisional },
  ];
  const read = decodeSegment(segment(records));
  expect(read.absences).toEqual(absences);
  expect(read.results.map((row) => row.provisional)).toEqual(
    provisional.startedMs.map((startedMs) => ({ usedOffsetMs: provisional.usedOffsetMs, startedMs })),
  );
});

test('passes over a damaged record and a torn one, and reads the others', () => {
  const bytes = segment(results(3).map((row) => ({ kind: 'results', results: [row], provisional: null })));
  bytes.writeUInt8(bytes.readUInt8(512 + 20) ^ 1, 512 + 20);
  expect(decodeSegment(bytes.subarray(0, -1)).results.map(({ monitorId }) => monitorId)).toEqual([2]);
});
