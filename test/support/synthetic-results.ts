import type { Minute } from '../../core/minute.ts';
import { unknownOutcome } from '../../core/outcome.ts';
import type { CheckResult } from '../../core/result.ts';

/** Checks lie in the first so many seconds of their minutes. */
export const SECONDS_OF_CHECKS = 45;

/** A number that looks random and depends on nothing else: the same for the same arguments, in every process. */
export function noiseOf(monitorId: number, minute: Minute): number {
  let mixed = Math.imul(monitorId, 0x9e3779b1) ^ Math.imul(minute / 60, 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}

/** The second of its minutes in which a monitor is checked. */
export function secondOf(monitorId: number): number {
  return noiseOf(monitorId, 0) % SECONDS_OF_CHECKS;
}

/**
 * What a check of that monitor and minute comes to: half of the monitors are PING with three packets, half TCP; one in a
 * hundred answers is DOWN with a reason, and one in two hundred UNKNOWN.
 */
export function syntheticResult(monitorId: number, minute: Minute): CheckResult {
  const noise = noiseOf(monitorId, minute);
  if (noise % 200 === 0)
    return { monitorId, minute, revision: 1, ...unknownOutcome('stalled', 'the timer fired 1234 ms late') };
  const isDown = noise % 100 === 1;
  const latencyUs = isDown ? 0 : 500 + (noise % 20_011) + 1000 * (monitorId % 60);
  // Hundreds of millions of these are made: one literal is several times as fast as spread parts.
  return {
    monitorId,
    minute,
    revision: 1,
    status: isDown ? 'DOWN' : 'UP',
    cause: isDown ? 'TARGET' : 'NONE',
    origin: 'REALTIME',
    latencyUs,
    error: isDown ? 'connection timed out' : null,
    packets: monitorId % 2 === 0 && !isDown ? packetsOf((noise >>> 8) % 3000, latencyUs) : null,
  };
}

function packetsOf(spread: number, latencyUs: number): CheckResult['packets'] {
  return {
    sent: 3,
    received: 3,
    minUs: latencyUs - (spread >> 3),
    avgUs: latencyUs,
    maxUs: latencyUs + spread,
    deviationUs: spread >> 2,
  };
}
