import type { CheckResult } from '../../core/result.ts';
import { compareRows } from './result-columns.ts';
import type { StoredRecord } from './store.ts';

/** A result to be kept, and how it was placed in its minute. */
export interface PlacedResult {
  result: CheckResult;
  /** Monotonic milliseconds at which the check began. */
  startedMs: number;
  /** The wall clock's distance to the monotonic clock, where that placed it; null: the database's clock did. */
  usedOffsetMs: number | null;
}

const MAX_RECORD_ROWS = 2000;
/** Records written with one sync. */
export const GROUP_RECORDS = 50;

/** Results as records: of one epoch each, and of one way of placing them. */
export function groupResults(results: readonly { epoch: string; placed: PlacedResult }[]): StoredRecord[] {
  const groups = new Map<string, { epoch: string; placed: PlacedResult[] }>();
  for (const { epoch, placed } of results) {
    const { usedOffsetMs } = placed;
    const key = `${usedOffsetMs === null ? '' : Math.round(usedOffsetMs / 1000)}|${epoch}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { epoch, placed: [placed] });
    else group.placed.push(placed);
  }
  return [...groups.values()].flatMap(({ epoch, placed }) => chunked(epoch, placed));
}

function chunked(epoch: string, placed: readonly PlacedResult[]): StoredRecord[] {
  const records: StoredRecord[] = [];
  // In the order of the disk, so that row numbers mean the same in memory and there.
  const sorted = [...placed].sort((a, b) => compareRows(a.result, b.result));
  for (let start = 0; start < sorted.length; start += MAX_RECORD_ROWS) {
    const rows = sorted.slice(start, start + MAX_RECORD_ROWS);
    const usedOffsetMs = rows[0]?.usedOffsetMs ?? null;
    const provisional = usedOffsetMs === null ? null : { usedOffsetMs, startedMs: rows.map((row) => row.startedMs) };
    records.push({
      epoch,
      record: { kind: 'results', results: rows.map((row) => row.result), provisional },
      place: null,
    });
  }
  return records;
}

/** Groups of one epoch, the first of at most `first` records. */
export function grouped(records: readonly StoredRecord[], first: number): StoredRecord[][] {
  const groups: StoredRecord[][] = [];
  for (const stored of records) {
    const last = groups.at(-1);
    const room = groups.length === 1 ? first : GROUP_RECORDS;
    if (last?.[0]?.epoch === stored.epoch && last.length < room) last.push(stored);
    else groups.push([stored]);
  }
  return groups;
}
