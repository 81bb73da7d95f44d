import type { Minute } from '../core/minute.ts';
import type { MonitorRevisions } from '../db/definitions.ts';

/** More monitors than this are not remembered at the same time. */
const CAPACITY = 200_000;

/** Remembers which revisions monitors have had, for as long as the database would tell of a change. */
export interface RevisionBook {
  /**
   * What the database says of each of these monitors, or said and has not taken back; in their order. `revisions` are
   * those that the monitors were measured under: where one is higher than what is remembered, the agent has heard of a
   * change before this collector, and the database is asked again. What it then does not know never held: agents have
   * their definitions from this database.
   */
  look(monitorIds: readonly number[], revisions: readonly number[]): Promise<MonitorRevisions[]>;
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
  const ask = async (monitorIds: readonly number[]): Promise<Map<number, MonitorRevisions>> => {
    const before = changes;
    const told = await read(monitorIds);
    if (trusted && changes === before) for (const [id, revisions] of told) remember(known, id, revisions);
    return told;
  };
  return {
    async look(monitorIds, revisions) {
      const missing = new Set<number>();
      const found = monitorIds.map((id, row) => {
        const monitor = known.get(id);
        if (monitor === undefined || newestOf(monitor) < (revisions[row] ?? 0)) missing.add(id);
        return monitor;
      });
      const told = missing.size > 0 ? await ask([...missing]) : NOTHING;
      return found.map((monitor, row) => told.get(monitorIds[row] ?? 0) ?? monitor ?? NEVER_EXISTED);
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

const NEVER_EXISTED: MonitorRevisions = { state: 'never existed' };
const NOTHING: ReadonlyMap<number, MonitorRevisions> = new Map();

/** The highest revision there is of a monitor; after a deleted one comes none. */
function newestOf(monitor: MonitorRevisions): number {
  if (monitor.state === 'deleted') return Infinity;
  return monitor.state === 'known' ? (monitor.revisions.at(-1)?.revision ?? 0) : 0;
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
  // No closure: this is asked for every result there is.
  let last = revisions.length - 1;
  while (last >= 0 && (revisions[last]?.fromMinute ?? 0) > minute) last--;
  return revisions[last]?.revision === revision;
}
