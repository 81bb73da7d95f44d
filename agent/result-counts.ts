import { unknownReason, type Status } from '../core/outcome.ts';
import type { ResultSink } from './schedule-books.ts';

/** How many results this agent has written since it started. */
export interface ResultCounts {
  byStatus: ReadonlyMap<Status, number>;
  /** UNKNOWN ones by reason. */
  unknown: ReadonlyMap<string, number>;
  /** UNKNOWN ones of the last hour by reason; `nowMs` is of a monotonic clock, and grows from call to call. */
  unknownLastHour(nowMs: number): Record<string, number>;
}

/** A sink that counts what goes through it to `sink`. */
export function countResults(sink: ResultSink): { sink: ResultSink; counts: ResultCounts } {
  const byStatus = new Map<Status, number>();
  const unknown = new Map<string, number>();
  const counted: ResultSink = {
    append(epoch, placed) {
      for (const { result } of placed) {
        add(byStatus, result.status);
        if (result.status === 'UNKNOWN') add(unknown, unknownReason(result.error) ?? 'other');
      }
      return sink.append(epoch, placed);
    },
    appendAbsences: (epoch, absences) => sink.appendAbsences(epoch, absences),
    flush: () => sink.flush(),
    recorded: (from) => sink.recorded(from),
  };
  return { sink: counted, counts: { byStatus, unknown, unknownLastHour: lastHourOf(unknown) } };
}

function add<K>(counts: Map<K, number>, key: K): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

const HOUR_MS = 3_600_000;
const STEP_MS = 60_000;

/** Remembers what the counts were, once a minute, for an hour. */
function lastHourOf(counts: ReadonlyMap<string, number>): (nowMs: number) => Record<string, number> {
  const snapshots: { atMs: number; counts: ReadonlyMap<string, number> }[] = [];
  return (nowMs) => {
    if (nowMs - (snapshots.at(-1)?.atMs ?? -Infinity) >= STEP_MS)
      snapshots.push({ atMs: nowMs, counts: new Map(counts) });
    while ((snapshots[1]?.atMs ?? Infinity) <= nowMs - HOUR_MS) snapshots.shift();
    const [first] = snapshots;
    // Before the first hour is over everything there is lies within it.
    const before = first !== undefined && first.atMs <= nowMs - HOUR_MS ? first.counts : new Map<string, number>();
    const recent = [...counts].map(([reason, count]): [string, number] => [reason, count - (before.get(reason) ?? 0)]);
    return Object.fromEntries(recent.filter(([, count]) => count > 0));
  };
}
