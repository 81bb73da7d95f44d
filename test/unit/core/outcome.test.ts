import { describe, expect, it } from 'vitest';
import {
  MAX_ERROR_LENGTH,
  microsecondsOf,
  millisecondsOf,
  unknownOutcome,
  unknownReason,
} from '../../../core/outcome.ts';

describe('unknownOutcome', () => {
  it('carries its reason where unknownReason finds it', () => {
    const outcome = unknownOutcome('stalled', 'timer fired 812 ms late');
    expect(outcome).toMatchObject({ status: 'UNKNOWN', cause: 'AGENT', latencyUs: null, packets: null });
    expect(unknownReason(outcome.error)).toBe('stalled');
  });

  it('cuts a text that is longer than evidence needs to be', () => {
    expect(unknownOutcome('resolver', 'x'.repeat(10_000), 'RESOLVER').error).toHaveLength(MAX_ERROR_LENGTH);
  });
});

describe('unknownReason', () => {
  it.each([[null], [''], ['Host a is unreachable.'], ['stalledness: no']])('finds none in %j', (error) => {
    expect(unknownReason(error)).toBeNull();
  });
});

describe('latency units', () => {
  it.each([
    [0, 0],
    [0.0004, 0],
    [0.0005, 1],
    [12.345, 12_345],
    [2_147_483, 2_147_483_000],
  ])('%d ms are %d whole microseconds', (ms, us) => {
    expect(microsecondsOf(ms)).toBe(us);
  });

  it('shows what is stored to three decimals of a millisecond', () => {
    expect(millisecondsOf(12_345)).toBe(12.345);
  });
});
