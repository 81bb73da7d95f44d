import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cause, CheckOrigin, Status } from '../../../core/outcome.ts';
import { compareResults, mergeResults, type RegionalResult } from '../../../core/result.ts';

const result = (fields: Partial<RegionalResult>): RegionalResult => ({
  monitorId: 1,
  regionId: 1,
  minute: 60,
  agentId: 1,
  revision: 1,
  status: 'UP',
  cause: 'NONE',
  origin: 'REALTIME',
  latencyUs: 10,
  error: null,
  packets: null,
  ...fields,
});

const anyResult: fc.Arbitrary<RegionalResult> = fc
  .record({
    agentId: fc.integer({ min: 1, max: 2 }),
    revision: fc.integer({ min: 1, max: 2 }),
    status: fc.constantFrom<Status>('UP', 'DOWN', 'DEGRADED', 'UNKNOWN'),
    cause: fc.constantFrom<Cause>('NONE', 'TARGET'),
    origin: fc.constantFrom<CheckOrigin>('REALTIME', 'ERROR'),
    latencyUs: fc.option(fc.integer({ min: 0, max: 1 })),
    error: fc.option(fc.constantFrom('a', 'b')),
  })
  .map(result);

describe('mergeResults', () => {
  it.each<[string, Partial<RegionalResult>, Partial<RegionalResult>]>([
    ['a known answer over UNKNOWN', { status: 'DOWN', agentId: 2 }, { status: 'UNKNOWN', latencyUs: null }],
    ['UP over DOWN: an answer is proof, silence is not', { status: 'UP', agentId: 2 }, { status: 'DOWN' }],
    ['UP over DEGRADED', { status: 'UP', agentId: 2 }, { status: 'DEGRADED' }],
    ['DEGRADED over DOWN', { status: 'DEGRADED', agentId: 2 }, { status: 'DOWN' }],
    ['the lower agent among equals', { agentId: 1 }, { agentId: 2 }],
    ['the newer revision of one agent', { revision: 2 }, { revision: 1 }],
  ])('prefers %s', (_name, kept, other) => {
    expect(mergeResults(result(kept), result(other))).toEqual(result(kept));
    expect(mergeResults(result(other), result(kept))).toEqual(result(kept));
  });

  it('is commutative, associative and idempotent', () => {
    fc.assert(
      fc.property(anyResult, anyResult, anyResult, (a, b, c) => {
        expect(mergeResults(a, b)).toEqual(mergeResults(b, a));
        expect(mergeResults(mergeResults(a, b), c)).toEqual(mergeResults(a, mergeResults(b, c)));
        expect(mergeResults(a, a)).toEqual(a);
      }),
      { numRuns: 5000 },
    );
  });

  it('ties only what is the same', () => {
    fc.assert(
      fc.property(anyResult, anyResult, (a, b) => {
        if (compareResults(a, b) === 0) expect({ ...a, error: a.error ?? '' }).toEqual({ ...b, error: b.error ?? '' });
      }),
    );
  });
});
