import type pg from 'pg';
import { HOUR_SECONDS } from '../core/minute.ts';
import type { SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import { createShelf, isShelvable, type Shelf } from './shelf.ts';
import type { RollState, Slice, SliceCounts } from './slice-counts.ts';

/**
 * What a process keeps of slices that lie wholly before `rolled_to`, so that it reads each once. It is exact. A change of
 * points before `rolled_to` marks its hour in the same transaction, and the roller writes its own number into the hour
 * when it takes the mark away (migration 0007); a reader asks for both in its snapshot before it believes what is kept.
 * Of two readers at once the one with the older snapshot puts nothing in that the other has seen change.
 */
export interface CountBook {
  /** Throws out what has changed, and tells what the client's snapshot may believe and put in. */
  open(client: Queryable, state: RollState): Promise<OpenBook>;
}

export interface OpenBook {
  counts: Shelf<SliceCounts>;
  runs: Shelf<SampleRun[]>;
  /** Whether what is kept of the slice is true. */
  isTrue(slice: Slice): boolean;
  /** Whether what is read of a slice that is true stays so for those who come later. */
  mayKeep(slice: Slice): boolean;
}

const books = new WeakMap<pg.Pool, CountBook>();

/** The book of a pool. */
export function countBookOf(pool: pg.Pool): CountBook {
  const known = books.get(pool) ?? createCountBook();
  books.set(pool, known);
  return known;
}

/** Values of some hundred bytes each: a thousand monitors for ninety days in five time zones. */
const CAPACITY = 450_000;

export function createCountBook(): CountBook {
  const counts = createShelf<SliceCounts>(CAPACITY);
  const runs = createShelf<SampleRun[]>(CAPACITY);
  const learnt = new Map<number, number>();
  /** Nothing is learnt of what these transactions did: whoever puts something in has seen it. */
  let unlearnt: number | null = null;
  let learntTo = 0;
  let newest = { end: 0, startedAt: 0 };
  return {
    async open(client, state) {
      const snapshot = await readSnapshot(client);
      if (snapshot.end < newest.end && snapshot.startedAt > newest.startedAt) {
        // It began later and sees less: another database, or an earlier state of it.
        for (const shelf of [counts, runs]) shelf.clear();
        learnt.clear();
        unlearnt = null;
        newest = snapshot;
      }
      if (snapshot.end >= newest.end) newest = snapshot;
      if (unlearnt === null) learntTo = unlearnt = snapshot.begin - 1;
      const seesAllUnlearnt = snapshot.begin > unlearnt;
      for (const { monitor_id, hour, changed } of await readChanges(client, learntTo, snapshot.end)) {
        learntTo = Math.max(learntTo, changed);
        learnt.set(monitor_id, Math.max(learnt.get(monitor_id) ?? 0, changed));
        for (const shelf of [counts, runs]) shelf.forget(monitor_id, hour);
      }
      return {
        ...{ counts, runs },
        isTrue: (slice) => isSettled(slice, state),
        mayKeep: ({ monitorId }) => seesAllUnlearnt && snapshot.sees(learnt.get(monitorId) ?? 0),
      };
    },
  };
}

/** The values of the slices, in their order: kept ones, and by `read` the others, which are kept from now on. */
export async function readThrough<T>(
  book: OpenBook | null,
  shelf: Shelf<T> | undefined,
  slices: readonly Slice[],
  read: (slices: readonly Slice[]) => Promise<T[]>,
): Promise<T[]> {
  if (!book || !shelf) return read(slices);
  const kept = slices.map((slice) => (book.isTrue(slice) ? shelf.get(slice) : undefined));
  const missing = slices.filter((_, at) => kept[at] === undefined);
  const found = missing.length > 0 ? await read(missing) : [];
  for (const [at, slice] of missing.entries()) {
    const value = found[at];
    if (value !== undefined && book.isTrue(slice) && book.mayKeep(slice)) shelf.put(slice, value);
  }
  const fresh = found.values();
  return kept.map((value) => {
    const known = value ?? fresh.next().value;
    if (known === undefined) throw new Error('a slice was not read');
    return known;
  });
}

/** Wholly of hours that are rolled up and not marked. */
function isSettled(slice: Slice, { rolledTo, marks }: RollState): boolean {
  if (slice.to > rolledTo || !isShelvable(slice)) return false;
  const marked = marks.get(slice.monitorId);
  return !marked?.some((hour) => hour < slice.to && hour + HOUR_SECONDS > slice.from);
}

interface Snapshot {
  /** The transactions before `begin` have ended, those from `end` on have not begun. */
  begin: number;
  end: number;
  /** When its transaction began, unix seconds. */
  startedAt: number;
  /** Whether what the transaction did is to be seen. */
  sees(transaction: number): boolean;
}

async function readSnapshot(client: Queryable): Promise<Snapshot> {
  const { rows } = await client.query<{ text: string; started: number }>(
    'select pg_current_snapshot()::text as text, extract(epoch from now())::float8 as started',
  );
  // `xmin:xmax:xip,xip` (PostgreSQL, System Information Functions, pg_snapshot).
  const [begin, end, running = ''] = (rows[0]?.text ?? '').split(':');
  const open = new Set(running === '' ? [] : running.split(',').map(Number));
  const last = Number(end);
  const startedAt = rows[0]?.started ?? NaN;
  return {
    startedAt,
    begin: Number(begin),
    end: last,
    sees: (transaction) => transaction < last && !open.has(transaction),
  };
}

interface ChangeRow {
  monitor_id: number;
  hour: number;
  changed: number;
}

async function readChanges(client: Queryable, after: number, before: number): Promise<ChangeRow[]> {
  const { rows } = await client.query<ChangeRow>(
    `select monitor_id, extract(epoch from hour)::float8 as hour, changed::text::float8 as changed
     from data_points_hourly where changed > $1::text::xid8 and changed < $2::text::xid8`,
    [String(after), String(before)],
  );
  return rows;
}
