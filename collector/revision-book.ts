import type { Minute } from '../core/minute.ts';
import type { MonitorRevisions } from '../db/definitions.ts';

/** More monitors than this are not remembered at the same time. */
const CAPACITY = 200_000;

/** Remembers which revisions monitors have had, for as long as the database would tell of a change. */
export interface RevisionBook {
  /** What the database says of these monitors, or said and has not taken back. */
  look(monitorIds: ReadonlySet<number>): Promise<Map<number, MonitorRevisions>>;
  /** The database told of a change of one monitor. */
  forget(monitorId: number): void;
  /** Whether changes are being told; while they are not, nothing is remembered. */
  trust(listening: boolean): void;
}

/** `read` asks the database. */
export function createRevisionBook(
  read: (monitorIds: readonly number[]) => Promise<Map<number, MonitorRevisions>>,
): RevisionBook {
  const known = new Map<number, MonitorRevisions>();
  let trusted = false;
  // What was read before a change was told may be older than the change.
  let changes = 0;
  return {
    async look(monitorIds) {
      const found = new Map<number, MonitorRevisions>();
      const missing: number[] = [];
      for (const id of monitorIds) {
        const revisions = known.get(id);
        if (revisions === undefined) missing.push(id);
        else found.set(id, revisions);
      }
      if (missing.length === 0) return found;
      const before = changes;
      for (const [id, revisions] of await read(missing)) {
        found.set(id, revisions);
        if (trusted && changes === before) remember(known, id, revisions);
      }
      return found;
    },
    forget(monitorId) {
      changes++;
      known.delete(monitorId);
    },
    trust(listening) {
      changes++;
      trusted = listening;
      known.clear();
    },
  };
}

function remember(known: Map<number, MonitorRevisions>, id: number, revisions: MonitorRevisions): void {
  if (known.size >= CAPACITY) known.clear();
  known.set(id, revisions);
}

/** True where `revision` is the one that holds in `minute`: the highest of those whose minute has come. */
export function revisionHolds(
  revisions: readonly { revision: number; fromMinute: Minute }[],
  revision: number,
  minute: Minute,
): boolean {
  return revisions.findLast((candidate) => candidate.fromMinute <= minute)?.revision === revision;
}
