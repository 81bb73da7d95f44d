import type pg from 'pg';
import type { Minute, MinuteRange } from '../../core/minute.ts';

export const DAY_SECONDS = 86_400;

/** The two relations that grow with time, and the seconds that one chunk or partition of each holds. */
export const SPAN_SECONDS = { check_results: DAY_SECONDS, data_points: 30 * DAY_SECONDS } as const;
export type TimeRelation = keyof typeof SPAN_SECONDS;
export const TIME_RELATIONS = ['check_results', 'data_points'] as const satisfies readonly TimeRelation[];

/**
 * What differs between the engines that store what grows with time. Everything else is the same text on both.
 * Spans are aligned to multiples of the relation's length since 1970.
 */
export interface Engine {
  readonly name: 'timescale' | 'partitions';
  /** Makes the spans beginning at `starts` (unix seconds) writable, each in a short transaction of its own. */
  createSpans(pool: pg.Pool, relation: TimeRelation, starts: readonly number[]): Promise<void>;
  /** Removes what lies wholly before `edge` (unix seconds). Gives up, to be called again, where readers hold it. */
  dropBefore(pool: pg.Pool, relation: TimeRelation, edge: number): Promise<number>;
  /** Compresses what lies wholly before `edge` (unix seconds), at most `limit` spans. Returns how many it did. */
  compressBefore(pool: pg.Pool, relation: TimeRelation, edge: number, limit: number): Promise<number>;
  /** Prepares a transaction that looks up many rows one by one. */
  favourLookups(client: pg.PoolClient): Promise<void>;
  /** Prepares a transaction that changes many rows at once, compressed ones too. */
  allowBulkChange(client: pg.PoolClient): Promise<void>;
  /** The ranges in which a deleted monitor's rows are best removed, one transaction each; null: all at once. */
  purgeSlices(pool: pg.Pool, relation: TimeRelation): Promise<readonly (MinuteRange | null)[]>;
}

/** The start of the span that contains `seconds`. */
export function spanStart(relation: TimeRelation, seconds: number): number {
  const span = SPAN_SECONDS[relation];
  return Math.floor(seconds / span) * span;
}

/** One minute in each span that a range touches. */
export function* minutesInSpans(relation: TimeRelation, range: MinuteRange): Generator<Minute> {
  yield range.from;
  const first = spanStart(relation, range.from) + SPAN_SECONDS[relation];
  for (let start = first; start < range.to; start += SPAN_SECONDS[relation]) yield start;
}
