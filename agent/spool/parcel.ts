import type { CheckResult } from '../../core/result.ts';
import type { AbsentMinutes } from './record.ts';
import type { SegmentBook } from './segment-book.ts';
import type { StoredRecord } from './store.ts';

/** Where some consecutive rows of a parcel came from. */
export interface ParcelPart {
  /** The record in memory; null where it was read from the disk. */
  stored: StoredRecord | null;
  /** The segment it was read from, and its sequence number there; null where it is in memory. */
  book: SegmentBook | null;
  seq: number;
  /** Which of the record's rows the parcel holds, in order. */
  rows: number[];
  /** Whether the segment had lost its UNKNOWN rows when it was read: row numbers hold only until then. */
  stripped: boolean;
}

/** What goes into one message: results or absences of one epoch. */
export type Parcel = { epoch: string; parts: ParcelPart[] } & (
  { kind: 'results'; results: CheckResult[] } | { kind: 'absences'; absences: AbsentMinutes[] }
);

/** Adds rows of one part to a parcel of the same kind. */
export function addRows(parcel: Parcel, content: Parcel): void {
  if (parcel.kind === 'results' && content.kind === 'results') parcel.results.push(...content.results);
  if (parcel.kind === 'absences' && content.kind === 'absences') parcel.absences.push(...content.absences);
  parcel.parts.push(...content.parts);
}

export function rowsOf(parcel: Parcel): number {
  return parcel.kind === 'results' ? parcel.results.length : parcel.absences.length;
}
