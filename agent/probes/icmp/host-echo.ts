import type { PacketStats, UnknownReason } from '../../../core/outcome.ts';

/** Why packets of this host prove nothing: always the agent's own fault. */
export interface EchoProblem {
  reason: UnknownReason;
  detail: string;
}

/**
 * What came of one host's echo requests. `sent` counts those whose fate is known: one that could not leave, or whose
 * silence proves nothing (`stalled`), is not among them.
 */
export interface HostEcho extends PacketStats {
  /** Round-trip times in whole microseconds, in order of arrival, one a reply. */
  roundTripsUs: number[];
  /** The last ICMP error about one of the packets, for a person. */
  error: string | null;
  /** Set where nothing is proved: neither alive nor dead. */
  problem: EchoProblem | null;
}

export type RoundTripStats = Pick<PacketStats, 'minUs' | 'avgUs' | 'maxUs' | 'deviationUs'>;

/** Minimum, mean, maximum and population standard deviation, whole microseconds; all null without a time. */
export function summariseRoundTrips(timesUs: readonly number[]): RoundTripStats {
  const count = timesUs.length;
  if (count === 0) return { minUs: null, avgUs: null, maxUs: null, deviationUs: null };
  const mean = timesUs.reduce((sum, time) => sum + time, 0) / count;
  const variance = timesUs.reduce((sum, time) => sum + (time - mean) ** 2, 0) / count;
  return {
    minUs: Math.min(...timesUs),
    avgUs: Math.round(mean),
    maxUs: Math.max(...timesUs),
    deviationUs: Math.round(Math.sqrt(variance)),
  };
}

/** An echo that says only that this agent could not measure. */
export function unmeasuredEcho(problem: EchoProblem): HostEcho {
  return { sent: 0, received: 0, ...summariseRoundTrips([]), roundTripsUs: [], error: null, problem };
}
