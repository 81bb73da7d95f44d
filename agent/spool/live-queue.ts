import type { Minute } from '../../core/minute.ts';
import { addRows, rowsOf, type Parcel } from './parcel.ts';
import { placeResults } from './placing.ts';
import { countRows, firstMinuteOf, withoutUnknown } from './record.ts';
import type { StoredRecord } from './store.ts';

/** Fresh results kept in memory so that they go before the backlog; more are read from the disk when their turn comes. */
const LIVE_ROWS = 20_000;
/** What is kept in memory only, while the disk takes nothing. */
const HELD_ROWS = 100_000;

interface Held {
  stored: StoredRecord;
  /** Nothing is sent before its write was tried. */
  state: 'writing' | 'ready' | 'taken';
  notBeforeMs: number;
}

/** Fresh records in memory: those on the disk as well, and those held because the disk takes none. */
export class LiveQueue {
  #queue: StoredRecord[] = [];
  #held = new Map<StoredRecord, Held>();
  readonly #offsetMs: () => number | null;
  /** Rows given up because neither disk nor memory had room. */
  dropped = 0;

  /** `offsetMs`: the learnt distance of the database's clock to this boot's monotonic clock. */
  constructor(offsetMs: () => number | null) {
    this.#offsetMs = offsetMs;
  }

  /** A record that is about to be written. */
  add(stored: StoredRecord): void {
    this.#held.set(stored, { stored, state: 'writing', notBeforeMs: 0 });
  }

  /** Records that are not on the disk. */
  held(): StoredRecord[] {
    return [...this.#held.keys()];
  }

  get heldRows(): number {
    return [...this.#held.keys()].reduce((sum, { record }) => sum + countRows(record), 0);
  }

  /** The first minute of what is not on the disk; null: all is. */
  get oldestHeldMinute(): Minute | null {
    if (this.#held.size === 0) return null;
    return [...this.#held.keys()].reduce((least, { record }) => Math.min(least, firstMinuteOf(record)), Infinity);
  }

  /** Gives up what is not on the disk; returns how many rows that are. */
  giveUpHeld(): number {
    const rows = this.heldRows;
    this.dropped += rows;
    this.#held.clear();
    return rows;
  }

  /** After a commit: what is now on the disk joins the queue, and what is too much for memory leaves it. */
  trim(): void {
    for (const [stored, held] of this.#held) {
      if (stored.place !== null) {
        this.#held.delete(stored);
        if (held.state !== 'taken') this.#queue.push(stored);
      } else if (held.state === 'writing') held.state = 'ready';
    }
    let rows = this.#queue.reduce((sum, { record }) => sum + countRows(record), 0);
    while (rows > LIVE_ROWS) {
      const oldest = this.#queue.shift();
      if (oldest === undefined) break;
      rows -= countRows(oldest.record);
      oldest.place?.book.putBack(oldest.place.seq, null);
    }
    this.#trimHeld();
  }

  #trimHeld(): void {
    if (this.heldRows <= HELD_ROWS) return;
    for (const { stored } of this.#held.values()) this.#stripUnknown(stored);
    let rows = this.heldRows;
    for (const stored of this.#held.keys()) {
      if (rows <= HELD_ROWS) return;
      this.#held.delete(stored);
      this.dropped += countRows(stored.record);
      rows -= countRows(stored.record);
    }
  }

  #stripUnknown(stored: StoredRecord): void {
    if (this.#held.get(stored)?.state === 'taken') return;
    const record = withoutUnknown(stored.record);
    this.dropped += countRows(stored.record) - countRows(record);
    stored.record = record;
    if (countRows(record) === 0) this.#held.delete(stored);
  }

  /** The oldest records of one epoch and kind, up to about `maxRows`; they are then on their way. */
  take(maxRows: number, nowMs: number): Parcel | null {
    let parcel: Parcel | null = null;
    for (;;) {
      const next = this.#next(nowMs);
      if (next === null) return parcel;
      const content = parcelOf(next, this.#offsetMs());
      const fits = parcel === null || (parcel.kind === content.kind && parcel.epoch === content.epoch);
      if (!fits || (parcel !== null && rowsOf(parcel) + rowsOf(content) > maxRows)) return parcel;
      this.#take(next);
      if (parcel === null) parcel = content;
      else addRows(parcel, content);
    }
  }

  #next(nowMs: number): StoredRecord | null {
    const [queued] = this.#queue;
    if (queued !== undefined) return queued;
    for (const held of this.#held.values()) if (held.state === 'ready' && held.notBeforeMs <= nowMs) return held.stored;
    return null;
  }

  #take(stored: StoredRecord): void {
    const held = this.#held.get(stored);
    if (held === undefined) this.#queue.shift();
    else held.state = 'taken';
  }

  /** A record that is on the disk was not answered: it is fresh still. */
  giveBack(stored: StoredRecord): void {
    this.#queue.push(stored);
    this.#queue.sort((a, b) => (a.place?.seq ?? 0) - (b.place?.seq ?? 0));
  }

  /** A held record was answered: it is gone, or waits until `retryAtMs`. */
  settleHeld(stored: StoredRecord, retryAtMs: number | null): void {
    const held = this.#held.get(stored);
    if (held === undefined) return;
    if (retryAtMs === null) this.#held.delete(stored);
    else Object.assign(held, { state: 'ready', notBeforeMs: retryAtMs });
  }
}

function parcelOf(stored: StoredRecord, offsetMs: number | null): Parcel {
  const { epoch, record } = stored;
  const rows = Array.from({ length: countRows(record) }, (_, row) => row);
  const parts = [{ stored, book: null, seq: 0, rows, stripped: false }];
  return record.kind === 'results'
    ? { kind: 'results', epoch, parts, results: [...placeResults(record.results, record.provisional, offsetMs)] }
    : { kind: 'absences', epoch, parts, absences: record.absences };
}
