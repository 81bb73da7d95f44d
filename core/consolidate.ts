import type { Origin, PointStatus, Status } from './outcome.ts';

/** How many DOWN votes make a DOWN point (architecture, "Consolidation"). */
export type Quorum = 'any' | 'majority' | 'all' | number;

/** One region's word on one monitor and minute. */
export interface Vote {
  status: Status;
  latencyUs: number | null;
  origin: Origin;
}

/** The true point of one monitor and minute. */
export interface Point {
  status: PointStatus;
  latencyUs: number;
  origin: Origin;
  /** Number of regions whose known answer it was made of. */
  known: number;
}

/**
 * How many DOWN votes are needed: a majority of the `known` regions, but at least two where the monitor runs in two
 * or more, so that one voice of three does not make DOWN while the others are cut off. `quorum` says otherwise: `any`
 * one, `all` every region that knows, a number that many (never more than the monitor runs in).
 */
export function downVotesNeeded(quorum: Quorum, known: number, runsIn: number): number {
  if (quorum === 'any') return 1;
  if (typeof quorum === 'number') return Math.min(quorum, runsIn);
  const wanted = quorum === 'all' ? known : Math.floor(known / 2) + 1;
  return Math.max(wanted, Math.min(2, runsIn));
}

/**
 * Makes the point of one monitor and minute from all its regions' votes, at most one a region. UNKNOWN does not vote;
 * where no region knows there is no point (null). `runsIn`: the number of regions that run the monitor.
 */
export function consolidate(votes: readonly Vote[], quorum: Quorum, runsIn: number): Point | null {
  const known = votes.filter((vote) => vote.status !== 'UNKNOWN');
  if (known.length === 0) return null;
  const status = decide(known, quorum, runsIn);
  const deciding = status === 'DOWN' ? known.filter((vote) => vote.status === 'DOWN') : known;
  const reached = known.filter((vote) => vote.status !== 'DOWN');
  return {
    status,
    latencyUs: meanLatency(reached.length > 0 ? reached : known),
    origin: commonOrigin(deciding),
    known: known.length,
  };
}

function decide(known: readonly Vote[], quorum: Quorum, runsIn: number): PointStatus {
  if (known.every((vote) => vote.status === 'UP')) return 'UP';
  const down = known.filter((vote) => vote.status === 'DOWN').length;
  return down >= downVotesNeeded(quorum, known.length, runsIn) ? 'DOWN' : 'DEGRADED';
}

/** Mean in whole microseconds, halves away from zero, as PostgreSQL rounds a numeric. */
function meanLatency(votes: readonly Vote[]): number {
  const sum = votes.reduce((total, vote) => total + (vote.latencyUs ?? 0), 0);
  return Math.floor((2 * sum + votes.length) / (2 * votes.length));
}

/** The origin all deciding regions share; API where they differ but one is API, else REALTIME. */
function commonOrigin(deciding: readonly Vote[]): Origin {
  const [first, ...rest] = deciding.map((vote) => vote.origin);
  if (first !== undefined && rest.every((origin) => origin === first)) return first;
  return deciding.some((vote) => vote.origin === 'API') ? 'API' : 'REALTIME';
}
