import pg from 'pg';
import type { Minute, MinuteRange } from '../core/minute.ts';
import { engineOf } from './engine.ts';
import { SPAN_SECONDS, spanStart, type TimeRelation } from './engines/engine.ts';
import { writableRange } from './retention.ts';

/** Spans known to be writable are believed for ten minutes: housekeeping leaves them for an hour beyond their end. */
const BELIEVED_MS = 600_000;

interface Known {
  starts: Set<number>;
  until: number;
}
const known = new WeakMap<pg.Pool, Record<TimeRelation, Known>>();

/**
 * Makes room for minutes and then does the work that writes them; the work is told which minutes may not be written. Where a span that was believed in turns
 * out to be gone (retention was shortened for a while), it is made again and the work done once more.
 */
export async function withRoom<T>(
  pool: pg.Pool,
  relations: readonly TimeRelation[],
  minutes: readonly Minute[],
  work: (isClosed: (minute: Minute) => boolean) => Promise<T>,
): Promise<T> {
  const attempt = async (): Promise<T> => {
    const closed = new Map<TimeRelation, Set<number>>();
    for (const relation of relations) closed.set(relation, await makeRoom(pool, relation, minutes));
    return work((minute) => relations.some((relation) => closed.get(relation)?.has(spanStart(relation, minute))));
  };
  try {
    return await attempt();
  } catch (error) {
    if (!isMissingSpan(error)) throw error;
    known.delete(pool);
    return attempt();
  }
}

/** PostgreSQL finds no partition for a row: a check violation that names no constraint. */
export function isMissingSpan(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '23514' && error.constraint === undefined;
}

/**
 * Makes room for minutes before they are written, in short transactions of its own. Returns the starts of the spans
 * that may not be written: those before the retention's edge or more than 366 days ahead.
 */
export async function makeRoom(pool: pg.Pool, relation: TimeRelation, minutes: Iterable<Minute>): Promise<Set<number>> {
  const ready = knownSpans(pool, relation);
  const missing = new Set<number>();
  for (const minute of minutes) {
    const start = spanStart(relation, minute);
    if (!ready.has(start)) missing.add(start);
  }
  if (missing.size === 0) return missing;
  const range = await writableRange(pool, relation);
  const wanted = [...missing].filter((start) => touches(range, start, start + SPAN_SECONDS[relation]));
  await (await engineOf(pool)).createSpans(pool, relation, wanted);
  for (const start of wanted) {
    ready.add(start);
    missing.delete(start);
  }
  return missing;
}

function touches(range: MinuteRange, from: number, to: number): boolean {
  return from < range.to && to > range.from;
}

function knownSpans(pool: pg.Pool, relation: TimeRelation): Set<number> {
  const none = (): Known => ({ starts: new Set(), until: 0 });
  const relations = known.get(pool) ?? { check_results: none(), data_points: none() };
  known.set(pool, relations);
  if (relations[relation].until < performance.now()) {
    relations[relation] = { starts: new Set(), until: performance.now() + BELIEVED_MS };
  }
  return relations[relation].starts;
}
