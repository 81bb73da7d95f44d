import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Minute } from '../../core/minute.ts';
import { syncFolder } from '../durable-file.ts';
import { countRows, decodeRecord, encodeRecord, summarise, withoutUnknown, type SpoolRecord } from './record.ts';
import { SegmentBook, type LoadedSegment } from './segment-book.ts';
import {
  createSegment,
  discardFile,
  frameRecord,
  headerBytes,
  payloadOf,
  readSegment,
  replaceSegment,
  scanSegment,
  withinBytes,
  type RecordPlace,
  type SegmentHeader,
  type SegmentWriter,
} from './segment.ts';

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
  /** Of segments that someone else took away. */
  droppedGone: number;
}

interface OpenSegment {
  file: SegmentWriter;
  book: SegmentBook;
  openedMs: number;
}

const NAME = /^(\d{10})\.seg$/;
/** What a rewriting that was cut short left; the segment itself is still there. */
const UNFINISHED = /^\d{10}\.seg\.new$/;
/** A segment that cannot be read is tried again after this long. */
const READ_AGAIN_MS = 30_000;

/** The segment files of a spool and what is known of their records. One process at a time, see `lockFolder`. */
export class SegmentStore {
  readonly counts: StoreCounts = {
    damagedRecords: 0,
    tornTails: 0,
    droppedUnknown: 0,
    droppedOldest: 0,
    droppedGone: 0,
  };
  readonly #options: StoreOptions;
  #books: SegmentBook[] = [];
  /** Segments of a former life of which nothing is known yet: they could not be read. */
  #unread: { id: number; problem: string }[] = [];
  #readAgainMs = 0;
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
    for (const name of (await readdir(options.folder)).sort()) {
      const id = NAME.exec(name)?.[1];
      if (id !== undefined) await store.#recover(Number(id));
      else if (UNFINISHED.test(name)) await discardFile(join(options.folder, name));
    }
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

  /** Why something on the disk cannot be read now; null: all can. It is tried again. */
  get readProblem(): string | null {
    return this.#unread[0]?.problem ?? this.#books.find(({ unreadable }) => unreadable)?.unreadable?.problem ?? null;
  }

  async #recover(id: number): Promise<void> {
    this.#nextId = Math.max(this.#nextId, id + 1);
    const path = this.#pathOf(id);
    let bytes: Buffer;
    try {
      bytes = await readSegment(path);
    } catch (error) {
      this.#unread.push({ id, problem: messageOf(error) });
      this.#readAgainMs = this.#options.monotonicMs() + READ_AGAIN_MS;
      return;
    }
    const { header, records, damaged, end } = scanSegment(bytes);
    if (bytes.length > end) this.counts.tornTails += 1;
    this.counts.damagedRecords += damaged;
    if (header === null) this.counts.damagedRecords += records.length;
    if (header === null || records.length === 0) return discardFile(path);
    const book = new SegmentBook(id, path, header, end, this.#options.monotonicMs());
    book.sealed = true;
    for (const place of records) this.#enter(book, place, bytes);
    this.#books = [...this.#books, book].sort((a, b) => a.id - b.id);
  }

  #enter(book: SegmentBook, place: RecordPlace, bytes: Buffer): void {
    this.#nextSeq = Math.max(this.#nextSeq, place.seq + 1);
    try {
      book.add(place.seq, summarise(payloadOf(bytes, place)), false);
    } catch {
      // Its checksum is right: written by a program that knew more kinds of records than this one.
      this.counts.damagedRecords += 1;
    }
  }

  /** Tries what could not be read at the start once more, if it is time. */
  async recoverUnread(): Promise<void> {
    if (this.#options.monotonicMs() < this.#readAgainMs) return;
    for (const { id } of this.#unread.splice(0)) await this.#recover(id);
  }

  /**
   * Appends records of one epoch and returns when they are on the disk; each then has its place and counts as taken.
   * After an error those have none that are not.
   */
  async append(records: readonly StoredRecord[]): Promise<void> {
    const framed = records.map((stored) => frameStored(stored, this.#nextSeq++));
    for (const fitting of withinBytes(framed, this.#options.segmentBytes)) await this.#appendFramed(fitting);
  }

  /** All of them or none. */
  async #appendFramed(framed: readonly FramedRecord[]): Promise<void> {
    const [first] = framed;
    if (first === undefined) return;
    const frames = Buffer.concat(framed.map(({ frame }) => frame));
    const writer = await this.#writerFor(first.stored.epoch, frames.length);
    try {
      await writer.file.append(frames);
    } catch (error) {
      // What the file holds now is uncertain: nothing is appended to it any more. What is left of it housekeeping removes.
      await Promise.allSettled([writer.book.records === 0 ? this.remove(writer.book) : this.seal()]);
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
    const path = this.#pathOf(id);
    const file = await createSegment(path, header);
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

  #pathOf(id: number): string {
    return join(this.#options.folder, `${String(id).padStart(10, '0')}.seg`);
  }

  /** Reads a segment's records into memory; null where that is not possible now, or will never be again. */
  async load(book: SegmentBook): Promise<LoadedSegment | null> {
    const { bytes: end, records: known, stripped } = book;
    const nowMs = this.#options.monotonicMs();
    let bytes: Buffer;
    try {
      bytes = await readSegment(book.path);
    } catch (error) {
      if (isGone(error)) this.#forget(book, 'droppedGone');
      else book.unreadable = { problem: messageOf(error), untilMs: nowMs + READ_AGAIN_MS };
      return null;
    }
    // It was written anew while it was read.
    if (book.stripped !== stripped) return this.load(book);
    book.unreadable = null;
    const whole = bytes.subarray(0, end);
    const { records } = scanSegment(whole);
    this.counts.damagedRecords += book.finishMissing(records, known, nowMs);
    return { book, bytes: whole, records, stripped };
  }

  /** Removes a segment; open rows in it are counted as dropped. */
  async remove(book: SegmentBook): Promise<void> {
    if (this.#writer?.book === book) await this.seal();
    await rm(book.path, { force: true });
    this.#forget(book, 'droppedOldest');
  }

  #forget(book: SegmentBook, reason: 'droppedOldest' | 'droppedGone'): void {
    this.counts[reason] += book.openRows;
    this.#books = this.#books.filter((other) => other !== book);
  }

  /** Writes a segment anew without the UNKNOWN rows of its records. */
  async strip(book: SegmentBook): Promise<void> {
    const loaded = await this.load(book);
    if (loaded === null) return;
    const kept = new Map<number, number>();
    const frames = [headerBytes(book.header)];
    let given = 0;
    for (const place of loaded.records) {
      if (book.isDone(place.seq)) continue;
      const whole = decodeRecord(payloadOf(loaded.bytes, place));
      const record = withoutUnknown(whole);
      given += countRows(whole) - countRows(record);
      const payload = encodeRecord(record);
      const { rows } = summarise(payload);
      if (rows === 0) continue;
      frames.push(frameRecord(place.seq, payload));
      kept.set(place.seq, rows);
    }
    const content = Buffer.concat(frames);
    await replaceSegment(book.path, content);
    this.counts.droppedUnknown += given;
    book.rewritten(content.length, kept, this.#options.monotonicMs());
    await syncFolder(this.#options.folder);
  }
}

type FramedRecord = ReturnType<typeof frameStored>;

function frameStored(stored: StoredRecord, seq: number) {
  const payload = encodeRecord(stored.record);
  return { stored, seq, summary: summarise(payload), frame: frameRecord(seq, payload) };
}

function isGone(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
