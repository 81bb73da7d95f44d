import type { Minute } from './minute.ts';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE, type Outcome } from './outcome.ts';

/** One check's outcome, placed: which monitor, which minute, under which revision of its definition. */
export interface CheckResult extends Outcome {
  monitorId: number;
  minute: Minute;
  revision: number;
}

/** A result as one region's view of a minute: the region's agent that measured is part of it. */
export interface RegionalResult extends CheckResult {
  regionId: number;
  agentId: number;
}

/** A row's answer; on the wire it is its place here. */
export const ROW_ANSWERS = ['stored', 'duplicate', 'dropped', 'retry'] as const;
export type RowAnswer = (typeof ROW_ANSWERS)[number];

/** Known over UNKNOWN, then UP over DEGRADED over DOWN: an answer is proof, silence is not. Lower is stronger. */
const MERGE_RANK = { UP: 1, DEGRADED: 2, DOWN: 3, UNKNOWN: 4 } as const;

/**
 * The order in which two results for the same (monitor, region, minute) are preferred: negative when `a` is. It is a
 * total order over everything that is stored, so merging is a join: commutative, associative and idempotent.
 */
export function compareResults(a: RegionalResult, b: RegionalResult): number {
  return compareVotes(a, b) || compareEvidence(a, b);
}

function compareVotes(a: RegionalResult, b: RegionalResult): number {
  return MERGE_RANK[a.status] - MERGE_RANK[b.status] || a.agentId - b.agentId || b.revision - a.revision;
}

function compareEvidence(a: RegionalResult, b: RegionalResult): number {
  return (
    (a.latencyUs ?? -1) - (b.latencyUs ?? -1) ||
    ORIGIN_CODE[a.origin] - ORIGIN_CODE[b.origin] ||
    CAUSE_CODE[a.cause] - CAUSE_CODE[b.cause] ||
    compareText(a.error ?? '', b.error ?? '')
  );
}

/** The one of two results for the same key that is kept. */
export function mergeResults(a: RegionalResult, b: RegionalResult): RegionalResult {
  return compareResults(a, b) <= 0 ? a : b;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The storage codes of an outcome's three closed lists, in one place for the columnar encoders. */
export function codesOf(outcome: Outcome): { status: number; cause: number; origin: number } {
  return {
    status: STATUS_CODE[outcome.status],
    cause: CAUSE_CODE[outcome.cause],
    origin: ORIGIN_CODE[outcome.origin],
  };
}
