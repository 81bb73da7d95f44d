import type { Minute } from '../../core/minute.ts';
import { addRows, rowsOf, type Parcel } from './parcel.ts';
import { placeResults } from './placing.ts';
import { decodeRecord, summarise, type SpoolRecord } from './record.ts';
import type { LoadedSegment, SegmentBook } from './segment-book.ts';
import { payloadOf, type RecordPlace } from './segment.ts';
import type { SegmentStore } from './store.ts';

/** Reads what is open on the disk, oldest first, one segment in memory at a time. */
export class Backlog {
  readonly #store: SegmentStore;
  readonly #offsetOf: (bootId: string) => number | null;
  #loaded: LoadedSegment | null = null;
  #next = 0;

  constructor(store: SegmentStore, offsetOf: (bootId: string) => number | null) {
    this.#store = store;
    this.#offsetOf = offsetOf;
  }

  /** The next records of one segment and kind, up to about `maxRows`; they are then on their way. Null: none is due. */
  async take(maxRows: number, nowMs: number): Promise<Parcel | null> {
    for (const book of this.#booksFromHere()) {
      if (!book.hasReady(nowMs)) continue;
      if (this.#loaded?.book !== book || this.#next >= this.#loaded.records.length) {
        this.#loaded = await this.#store.load(book);
        this.#next = 0;
      }
      if (this.#loaded === null) continue;
      const parcel = this.#takeFrom(this.#loaded, maxRows, nowMs);
      if (parcel !== null) return parcel;
    }
    this.#loaded = null;
    return null;
  }

  /** The segment that is being read first, then the others from the oldest. */
  #booksFromHere(): SegmentBook[] {
    const books = this.#store.books;
    const current = books.find((book) => book === this.#loaded?.book);
    return current === undefined ? [...books] : [current, ...books];
  }

  #takeFrom(loaded: LoadedSegment, maxRows: number, nowMs: number): Parcel | null {
    let parcel: Parcel | null = null;
    for (; this.#next < loaded.records.length; this.#next += 1) {
      const place = loaded.records[this.#next];
      if (place === undefined || !loaded.book.ready(place.seq, nowMs)) continue;
      const record = this.#decode(loaded, place, nowMs);
      if (record === null) continue;
      if (parcel !== null && !fits(parcel, record, maxRows)) break;
      const content = parcelOf(loaded, place, record, loaded.book.take(place.seq));
      if (parcel === null) parcel = content;
      else addRows(parcel, content);
    }
    return parcel;
  }

  #decode({ book, bytes }: LoadedSegment, place: RecordPlace, nowMs: number): SpoolRecord | null {
    try {
      return this.#placed(decodeRecord(payloadOf(bytes, place)), book);
    } catch {
      // Its checksum is right and its content is not: nobody will ever read it.
      this.#store.counts.damagedRecords += 1;
      book.finish(place.seq, nowMs);
      return null;
    }
  }

  #placed(record: SpoolRecord, book: SegmentBook): SpoolRecord {
    if (record.kind === 'absences') return record;
    const { results, provisional } = record;
    return { ...record, results: [...placeResults(results, provisional, this.#offsetOf(book.header.bootId))] };
  }

  /** The records that reach `from` or later, oldest first, with their true minutes. */
  async *recorded(from: Minute): AsyncGenerator<SpoolRecord> {
    for (const book of [...this.#store.books]) {
      if ((book.lastMinute ?? 0) < from && !book.hasProvisional) continue;
      const loaded = await this.#store.load(book);
      if (loaded === null) continue;
      for (const place of loaded.records) {
        const record = this.#reaching(loaded, place, from);
        if (record !== null) yield record;
      }
    }
  }

  #reaching({ book, bytes }: LoadedSegment, place: RecordPlace, from: Minute): SpoolRecord | null {
    const payload = payloadOf(bytes, place);
    try {
      if (!mayReach(payload, from)) return null;
      const record = this.#placed(decodeRecord(payload), book);
      return record.kind === 'absences' || record.results.some(({ minute }) => minute >= from) ? record : null;
    } catch {
      // Counted elsewhere: at the start where its kind is not known, else when it is to be sent.
      return null;
    }
  }
}

/** Whether a record may hold something of `from` or later; minutes that the wall clock named may be others. */
function mayReach(payload: Buffer, from: Minute): boolean {
  const { lastMinute, isProvisional } = summarise(payload);
  return lastMinute >= from || isProvisional;
}

function fits(parcel: Parcel, record: SpoolRecord, maxRows: number): boolean {
  if (parcel.kind !== record.kind) return false;
  const rows = record.kind === 'results' ? record.results.length : record.absences.length;
  return rowsOf(parcel) + rows <= maxRows;
}

/** `rest`: the rows still to be sent; null: all. */
function parcelOf(
  { book, stripped }: LoadedSegment,
  { seq }: RecordPlace,
  record: SpoolRecord,
  rest: readonly number[] | null,
): Parcel {
  const { epoch } = book.header;
  const pick = <R>(all: R[]): R[] => (rest === null ? all : rest.flatMap((row) => all[row] ?? []));
  const count = record.kind === 'results' ? record.results.length : record.absences.length;
  const rows = rest === null ? Array.from({ length: count }, (_, row) => row) : [...rest];
  const parts = [{ stored: null, book, seq, rows, stripped }];
  return record.kind === 'results'
    ? { kind: 'results', epoch, parts, results: pick(record.results) }
    : { kind: 'absences', epoch, parts, absences: pick(record.absences) };
}
