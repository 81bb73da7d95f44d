import { mkdir, open, readdir, rename, truncate, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Minute } from '../../core/minute.ts';
import { syncFolder } from '../durable-file.ts';
import { decodeRecord, encodeRecord, summarise, type RecordSummary, type SpoolRecord } from './record.ts';
import { SegmentBook, type LoadedSegment } from './segment-book.ts';
import { createSegment, frameRecord, headerBytes, payloadOf, readSegment, scanSegment } from './segment.ts';
import type { SegmentHeader, SegmentWriter } from './segment.ts';

/** A record to append, and once it is appended where it stands. */
export interface StoredRecord {
  epoch: string;
  record: SpoolRecord;
  /** Null until it is on the disk. */
  place: { book: SegmentBook; seq: number } | null;
}

export interface StoreOptions {
  folder: string;
  bootId: string;
  segmentBytes: number;
  /** A segment takes no more records after this long, so that what was acknowledged can go. */
  segmentMs: number;
  monotonicMs(): number;
}

/** What was found wrong, or given up, counted in records or rows. */
export interface StoreCounts {
  damagedRecords: number;
  tornTails: number;
  droppedUnknown: number;
  droppedOldest: number;
}

interface OpenSegment {
  file: SegmentWriter;
  book: SegmentBook;
  openedMs: number;
}

const NAME = /^(\d{10})\.seg$/;

/** The segment files of a spool and what is known of their records. One process at a time, see `lockFolder`. */
export class SegmentStore {
  readonly counts: StoreCounts = { damagedRecords: 0, tornTails: 0, droppedUnknown: 0, droppedOldest: 0 };
  readonly #options: StoreOptions;
  #books: SegmentBook[] = [];
  #writer: OpenSegment | null = null;
  #nextSeq = 1;
  #nextId = 1;

  private constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** Opens the folder, creating it where it is missing, and reads what a former life left: all of it is open. */
  static async open(options: StoreOptions): Promise<SegmentStore> {
    const store = new SegmentStore(options);
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const names = (await readdir(options.folder)).filter((name) => NAME.test(name)).sort();
    for (const name of names) await store.#recover(name);
    return store;
  }

  get books(): readonly SegmentBook[] {
    return this.#books;
  }

  get bytes(): number {
    return this.#books.reduce((sum, book) => sum + book.bytes, 0);
  }

  get openRows(): number {
    return this.#books.reduce((sum, book) => sum + book.openRows, 0);
  }

  /** The first minute of the oldest segment that has something to send; null where none has. */
  get oldestMinute(): Minute | null {
    return this.#books.find((book) => book.openRows > 0)?.firstMinute ?? null;
  }

  async #recover(name: string): Promise<void> {
    const path = join(this.#options.folder, name);
    const id = Number(NAME.exec(name)?.[1]);
    this.#nextId = id + 1;
    const bytes = await readSegment(path);
    const { header, records, damaged, end } = scanSegment(bytes);
    if (bytes.length > end) {
      this.counts.tornTails += 1;
      await truncate(path, end);
    }
    this.counts.damagedRecords += damaged;
    if (header === null) this.counts.damagedRecords += records.length;
    if (header === null || records.length === 0) return unlink(path);
    const book = new SegmentBook(id, path, header, end, this.#options.monotonicMs());
    book.sealed = true;
    this.#books.push(book);
    for (const place of records) {
      book.add(place.seq, summarise(payloadOf(bytes, place)), false);
      this.#nextSeq = Math.max(this.#nextSeq, place.seq + 1);
    }
  }

  /**
   * Appends records of one epoch and returns when they are on the disk; each then has its place and counts as taken.
   * After an error none of them has.
   */
  async append(records: readonly StoredRecord[]): Promise<void> {
    const [first] = records;
    if (first === undefined) return;
    const framed = records.map((stored) => {
      const payload = encodeRecord(stored.record);
      const seq = this.#nextSeq++;
      return { stored, seq, summary: summarise(payload), frame: frameRecord(seq, payload) };
    });
    const frames = Buffer.concat(framed.map(({ frame }) => frame));
    const writer = await this.#writerFor(first.epoch, frames.length);
    try {
      await writer.file.append(frames);
    } catch (error) {
      // What the file holds now is uncertain: nothing is appended to it any more.
      if (writer.book.records === 0) await this.remove(writer.book);
      else await this.seal();
      throw error;
    }
    writer.book.bytes += frames.length;
    for (const { stored, seq, summary } of framed) {
      writer.book.add(seq, summary, true);
      stored.place = { book: writer.book, seq };
    }
  }

  async #writerFor(epoch: string, bytes: number): Promise<OpenSegment> {
    const current = this.#writer;
    if (current !== null) {
      const fits = current.book.bytes + bytes <= this.#options.segmentBytes && current.book.header.epoch === epoch;
      if (fits && !this.#isOld(current)) return current;
      await this.seal();
    }
    const header: SegmentHeader = { epoch, bootId: this.#options.bootId };
    const id = this.#nextId++;
    const path = join(this.#options.folder, `${String(id).padStart(10, '0')}.seg`);
    const file = await createSegment(path, header);
    await syncFolder(this.#options.folder);
    const nowMs = this.#options.monotonicMs();
    const book = new SegmentBook(id, path, header, file.bytes, nowMs);
    this.#books.push(book);
    return (this.#writer = { file, book, openedMs: nowMs });
  }

  #isOld({ openedMs }: { openedMs: number }): boolean {
    return this.#options.monotonicMs() - openedMs >= this.#options.segmentMs;
  }

  /** The open segment takes no more records. */
  async seal(): Promise<void> {
    const writer = this.#writer;
    if (writer === null) return;
    this.#writer = null;
    writer.book.sealed = true;
    await writer.file.close();
  }

  async sealIfOld(): Promise<void> {
    if (this.#writer !== null && this.#isOld(this.#writer)) await this.seal();
  }

  /** Reads a segment's records into memory. */
  async load(book: SegmentBook): Promise<LoadedSegment> {
    const bytes = (await readSegment(book.path)).subarray(0, book.bytes);
    return { book, bytes, records: scanSegment(bytes).records, stripped: book.stripped };
  }

  /** Removes a segment; open rows in it are counted as dropped. */
  async remove(book: SegmentBook): Promise<void> {
    this.counts.droppedOldest += book.openRows;
    if (this.#writer?.book === book) await this.seal();
    this.#books = this.#books.filter((other) => other !== book);
    await unlink(book.path);
  }

  /** Writes a segment anew without the UNKNOWN rows of its records. */
  async strip(book: SegmentBook): Promise<void> {
    const { bytes, records } = await this.load(book);
    const kept = new Map<number, number>();
    const frames = [headerBytes(book.header)];
    for (const place of records) {
      if (book.isDone(place.seq)) continue;
      const { record, dropped } = withoutUnknown(decodeRecord(payloadOf(bytes, place)));
      this.counts.droppedUnknown += dropped;
      const payload = encodeRecord(record);
      const { rows }: RecordSummary = summarise(payload);
      if (rows === 0) continue;
      frames.push(frameRecord(place.seq, payload));
      kept.set(place.seq, rows);
    }
    const content = Buffer.concat(frames);
    await replace(book.path, content);
    await syncFolder(this.#options.folder);
    book.rewritten(content.length, kept, this.#options.monotonicMs());
  }
}

function withoutUnknown(record: SpoolRecord): { record: SpoolRecord; dropped: number } {
  if (record.kind !== 'results') return { record, dropped: 0 };
  const rows = record.results.flatMap((result, row) => (result.status === 'UNKNOWN' ? [] : [row]));
  const { provisional } = record;
  const results = rows.flatMap((row) => record.results[row] ?? []);
  const startedMs = rows.map((row) => provisional?.startedMs[row] ?? 0);
  return {
    record: { kind: 'results', results, provisional: provisional && { ...provisional, startedMs } },
    dropped: record.results.length - results.length,
  };
}

async function replace(path: string, content: Buffer): Promise<void> {
  const next = `${path}.new`;
  const file = await open(next, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(next, path);
}
