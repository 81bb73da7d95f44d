import fc from 'fast-check';
import type { CheckResult } from '../../core/result.ts';
import { unknownOutcome } from '../../core/outcome.ts';

/** Some minute. */
export const MINUTE = 1_800_000_000;

/** A measured TCP result; `change` overrides its members. */
export function tcpResult(monitorId: number, change: Partial<CheckResult> = {}): CheckResult {
  return {
    monitorId,
    minute: MINUTE,
    revision: 1,
    status: 'UP',
    cause: 'NONE',
    origin: 'REALTIME',
    latencyUs: 12_345 + monitorId,
    error: null,
    packets: null,
    ...change,
  };
}

export function unknownResult(monitorId: number, change: Partial<CheckResult> = {}): CheckResult {
  return {
    ...unknownOutcome('late', 'the agent did not get to it'),
    monitorId,
    minute: MINUTE,
    revision: 1,
    ...change,
  };
}

const us = fc.integer({ min: 0, max: 2_147_483_000 });

const packets = fc.oneof(
  fc.constant(null),
  fc
    .record({
      sent: fc.integer({ min: 1, max: 10_000 }),
      lost: fc.nat(10_000),
      minUs: us,
      avgUs: us,
      maxUs: us,
      deviationUs: us,
    })
    .map(({ sent, lost, ...times }) => {
      const received = Math.max(0, sent - lost);
      const none = { minUs: null, avgUs: null, maxUs: null, deviationUs: null };
      return { sent, received, ...(received === 0 ? none : times) };
    }),
);

/** Any result that a check can come to. */
export const anyResult: fc.Arbitrary<CheckResult> = fc.oneof(
  fc.record({
    monitorId: fc.integer({ min: 1, max: 2_147_483_647 }),
    minute: fc.integer({ min: 0, max: 40_000_000 }).map((minute) => minute * 60),
    revision: fc.integer({ min: 1, max: 2_147_483_647 }),
    status: fc.constantFrom('UP' as const, 'DOWN' as const, 'DEGRADED' as const),
    cause: fc.constantFrom('NONE' as const, 'TARGET' as const, 'RESOLVER' as const),
    origin: fc.constantFrom('REALTIME' as const, 'API' as const, 'TIMEOUT' as const, 'ERROR' as const),
    latencyUs: us,
    error: fc.option(fc.string({ unit: 'grapheme', maxLength: 40 }), { nil: null }),
    packets,
  }),
  fc.integer({ min: 1, max: 1000 }).map((monitorId) => unknownResult(monitorId)),
);
