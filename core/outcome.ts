/**
 * What one check of one target amounts to, and the closed lists it is made of. The numbers are the storage and wire
 * codes: they are never reused or renumbered.
 */
export const STATUS_CODE = { UNKNOWN: 1, UP: 2, DEGRADED: 3, DOWN: 4 } as const;
/** UNKNOWN: nobody could measure. It is a region's word, never a point's. */
export type Status = keyof typeof STATUS_CODE;
/** The statuses a point can have (specification 2.4). */
export type PointStatus = Exclude<Status, 'UNKNOWN'>;
export const POINT_STATUSES = ['UP', 'DOWN', 'DEGRADED'] as const satisfies readonly PointStatus[];

/** Whose fault an outcome is (architecture, "Whose fault"). NONE: there is no fault. */
export const CAUSE_CODE = { NONE: 1, TARGET: 2, RESOLVER: 3, AGENT: 4 } as const;
export type Cause = keyof typeof CAUSE_CODE;

/** Origin of a point or result: the `type` of a data point (specification 2.4, reference §3 and §12). */
export const ORIGIN_CODE = { REALTIME: 1, API: 2, TIMEOUT: 3, ERROR: 4, MANUAL: 5 } as const;
export type Origin = keyof typeof ORIGIN_CODE;
export type CheckOrigin = Exclude<Origin, 'MANUAL'>;

/** Why an agent could not measure. Closed: metrics count by it. */
export const UNKNOWN_REASONS = [
  'stalled', // the process did not run when its timer was due: silence proves nothing
  'offline', // no evidence that the agent itself was connected
  'policy', // the owner of the agent does not allow the target's address
  'permission', // no raw-socket permission
  'descriptors', // no free file descriptor or memory
  'route', // the agent has no route or address of its own for the target
  'resolver', // the agent's own resolver does not answer
  'sandbox', // the evaluation sandbox itself failed
  'cut', // ended before the check's own timeout had passed
  'late', // the slot could not be started in its minute
  'unsupported', // this agent has no such probe
  'stale', // measured under a revision that does not hold for this minute
] as const;
export type UnknownReason = (typeof UNKNOWN_REASONS)[number];

/** Packet statistics of a PING check over all its hosts; times in microseconds, null where no reply came. */
export interface PacketStats {
  sent: number;
  received: number;
  minUs: number | null;
  avgUs: number | null;
  maxUs: number | null;
  /** Population standard deviation of the round-trip times. */
  deviationUs: number | null;
}

/** The longest round trip or latency that is stored: 2,147,483 ms (reference §12, Limits). */
export const MAX_LATENCY_US = 2_147_483_000;
/** Error texts are evidence, not logs: longer ones are cut. */
export const MAX_ERROR_LENGTH = 500;

export interface Outcome {
  status: Status;
  cause: Cause;
  origin: CheckOrigin;
  /** Whole microseconds; null only where the status is UNKNOWN. */
  latencyUs: number | null;
  /** What went wrong, for a person; null where nothing did. For UNKNOWN it begins with the reason and a colon. */
  error: string | null;
  packets: PacketStats | null;
}

/** An outcome that says only that this agent could not measure. */
export function unknownOutcome(reason: UnknownReason, detail: string, cause: Cause = 'AGENT'): Outcome {
  const error = `${reason}: ${detail}`.slice(0, MAX_ERROR_LENGTH);
  return { status: 'UNKNOWN', cause, origin: 'REALTIME', latencyUs: null, error, packets: null };
}

/** The reason an UNKNOWN outcome's error text begins with; null where it names none of the list. */
export function unknownReason(error: string | null): UnknownReason | null {
  const word = error?.split(':', 1)[0];
  return UNKNOWN_REASONS.find((reason) => reason === word) ?? null;
}

/** Milliseconds as the API shows them from microseconds as everything inside counts them. */
export function millisecondsOf(latencyUs: number): number {
  return latencyUs / 1000;
}

/** Whole microseconds from milliseconds (any non-negative number), as stored. */
export function microsecondsOf(latencyMs: number): number {
  return Math.round(latencyMs * 1000);
}
