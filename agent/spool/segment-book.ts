import type { Minute } from '../../core/minute.ts';
import type { RecordSummary } from './record.ts';
import type { RecordPlace, SegmentHeader } from './segment.ts';

const LOST = 0;
const OPEN = 1;
const TAKEN = 2;
const DONE = 3;

/** Rows of a record that are still to be sent, and when: some were answered with retry. */
interface Rest {
  rows: number[];
  notBeforeMs: number;
}

/** What the spool knows of a segment's records without reading it: which are open, on their way, or acknowledged. */
export class SegmentBook {
  readonly id: number;
  readonly path: string;
  readonly header: SegmentHeader;
  bytes: number;
  /** Monotonic milliseconds since which the segment has had no record to send; null where it has. */
  doneSinceMs: number | null;
  /** No more records are appended. */
  sealed = false;
  /** UNKNOWN rows were already given up for space. */
  stripped = false;
  /** Why it could not be read, and until when it is left alone. */
  unreadable: { problem: string; untilMs: number } | null = null;
  openRows = 0;
  /** Some of its minutes were named by the wall clock. */
  hasProvisional = false;
  firstMinute: Minute | null = null;
  lastMinute: Minute | null = null;
  #firstSeq = 0;
  readonly #states: number[] = [];
  readonly #rows: number[] = [];
  readonly #rests = new Map<number, Rest>();
  #unfinished = 0;
  #open = 0;

  constructor(id: number, path: string, header: SegmentHeader, bytes: number, nowMs: number) {
    this.id = id;
    this.path = path;
    this.header = header;
    this.bytes = bytes;
    this.doneSinceMs = nowMs;
  }

  /** True where a record waits to be taken by a reader and is due. */
  hasReady(nowMs: number): boolean {
    if (this.#open === 0 || (this.unreadable !== null && this.unreadable.untilMs > nowMs)) return false;
    let waiting = 0;
    for (const [seq, { notBeforeMs }] of this.#rests) {
      if (notBeforeMs > nowMs && this.#states[seq - this.#firstSeq] === OPEN) waiting += 1;
    }
    return this.#open > waiting;
  }

  get records(): number {
    return this.#states.length;
  }

  /** A record that was appended, or found at start. */
  add(seq: number, summary: RecordSummary, taken: boolean): void {
    if (this.#states.length === 0) this.#firstSeq = seq;
    const index = seq - this.#firstSeq;
    while (this.#states.length < index) {
      this.#states.push(LOST);
      this.#rows.push(0);
    }
    this.#states[index] = taken ? TAKEN : OPEN;
    this.#rows[index] = summary.rows;
    this.#unfinished += 1;
    if (!taken) this.#open += 1;
    this.openRows += summary.rows;
    this.doneSinceMs = null;
    this.hasProvisional ||= summary.isProvisional;
    this.firstMinute = Math.min(this.firstMinute ?? summary.firstMinute, summary.firstMinute);
    this.lastMinute = Math.max(this.lastMinute ?? summary.lastMinute, summary.lastMinute);
  }

  /** True where the record is open and due to be sent. */
  ready(seq: number, nowMs: number): boolean {
    if (this.#states[seq - this.#firstSeq] !== OPEN) return false;
    return (this.#rests.get(seq)?.notBeforeMs ?? -Infinity) <= nowMs;
  }

  /** The record is on its way. Returns the rows to send; null: all of them. */
  take(seq: number): number[] | null {
    this.#move(seq, TAKEN);
    return this.#rests.get(seq)?.rows ?? null;
  }

  /** The record waits to be sent again: `rest` names the rows, null all of them. */
  putBack(seq: number, rest: Rest | null): void {
    if (this.#states[seq - this.#firstSeq] === DONE) return;
    if (rest !== null) this.#rests.set(seq, rest);
    this.#move(seq, OPEN);
  }

  /** All rows of the record were answered. */
  finish(seq: number, nowMs: number): void {
    const index = seq - this.#firstSeq;
    const state = this.#states[index];
    if (state !== OPEN && state !== TAKEN) return;
    this.#move(seq, DONE);
    this.#rests.delete(seq);
    this.openRows -= this.#rows[index] ?? 0;
    this.#unfinished -= 1;
    if (this.#unfinished === 0) this.doneSinceMs = nowMs;
  }

  /**
   * Of the first `known` records those that wait to be read and are not among the `found` will never be: they are
   * finished. Returns how many.
   */
  finishMissing(found: readonly RecordPlace[], known: number, nowMs: number): number {
    const readable = new Set(found.map(({ seq }) => seq));
    let missing = 0;
    for (let seq = this.#firstSeq; seq < this.#firstSeq + known; seq += 1) {
      if (this.#states[seq - this.#firstSeq] !== OPEN || readable.has(seq)) continue;
      this.finish(seq, nowMs);
      missing += 1;
    }
    return missing;
  }

  /** Everything that was acknowledged is to be sent again. */
  reopen(): void {
    this.#states.forEach((state, index) => {
      if (state !== DONE) return;
      this.#states[index] = OPEN;
      this.#open += 1;
      this.#unfinished += 1;
      this.openRows += this.#rows[index] ?? 0;
    });
    if (this.#unfinished > 0) this.doneSinceMs = null;
  }

  /** The segment was written anew: `kept` are its records now, the rest of its rows were given up. */
  rewritten(bytes: number, kept: ReadonlyMap<number, number>, nowMs: number): void {
    this.bytes = bytes;
    this.stripped = true;
    this.#rests.clear();
    this.#states.forEach((state, index) => {
      const rows = kept.get(this.#firstSeq + index);
      if (state !== DONE && rows !== undefined) this.openRows += rows - (this.#rows[index] ?? 0);
      if (rows === undefined) this.finish(this.#firstSeq + index, nowMs);
      else this.#rows[index] = rows;
    });
  }

  isDone(seq: number): boolean {
    return this.#states[seq - this.#firstSeq] === DONE;
  }

  #move(seq: number, to: number): void {
    const index = seq - this.#firstSeq;
    const from = this.#states[index];
    if (from === undefined || from === to) return;
    if (from === OPEN) this.#open -= 1;
    if (to === OPEN) this.#open += 1;
    this.#states[index] = to;
  }
}

/** A segment's bytes with the places of its records, kept while it is read. */
export interface LoadedSegment {
  book: SegmentBook;
  bytes: Buffer;
  records: RecordPlace[];
  /** Whether the segment had already lost its UNKNOWN rows. */
  stripped: boolean;
}
