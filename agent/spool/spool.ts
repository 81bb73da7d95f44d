import type { Minute } from '../../core/minute.ts';
import type { AnsweredRow } from '../../proto/ack-codec.ts';
import type { Logger } from '../../runtime/logger.ts';
import { sleep } from '../../runtime/time.ts';
import { Backlog } from './backlog.ts';
import { GROUP_RECORDS, grouped, groupResults, type PlacedResult } from './grouping.ts';
import { LiveQueue } from './live-queue.ts';
import { keepWithinLimit, removeSent } from './housekeeping.ts';
import type { Parcel, ParcelPart } from './parcel.ts';
import type { AbsentMinutes, SpoolRecord } from './record.ts';
import { SegmentStore, type StoreCounts, type StoredRecord } from './store.ts';

export interface SpoolOptions {
  folder: string;
  bootId: string;
  limitBytes: number;
  /** The learnt distance of the database's clock to a boot's monotonic clock; null: never learnt in it. */
  offsetOf(bootId: string): number | null;
  monotonicMs(): number;
  logger: Logger;
  segmentBytes?: number;
  commitMs?: number;
}

export interface SpoolState {
  /** Results not yet acknowledged. */
  rows: number;
  bytes: number;
  /** Of those; null: there are none. */
  oldestMinute: Minute | null;
  counts: Readonly<StoreCounts & { droppedHeld: number; acknowledged: number; retried: number }>;
  /** Why results are in memory only; null: they are on the disk. */
  problem: string | null;
  /** Why some of what is on the disk cannot be read now; null: all can. */
  readProblem: string | null;
}

const SEGMENT_BYTES = 16 * 1024 * 1024;
/** And no more than an eighth of the limit: space is made by whole segments, and the open one stays. */
const SEGMENTS_WITHIN_LIMIT = 8;
/** Segments end after this long, and go this long after their last record was acknowledged (a failover's window). */
const SEGMENT_MS = 10 * 60_000;
const RESEND_WINDOW_MS = 10 * 60_000;
/** One group commit a second: records of what a second produced are small on the disk and few. */
const COMMIT_MS = 900;
const HOUSEKEEPING_MS = 5000;
/** A row that is answered `retry` waits this long. */
const RETRY_MS = 5000;

/** Keeps results on the disk until they are acknowledged. */
export class Spool {
  readonly #options: SpoolOptions;
  readonly #store: SegmentStore;
  readonly #backlog: Backlog;
  readonly #live: LiveQueue;
  #pending: StoredRecord[] = [];
  #results: { epoch: string; placed: PlacedResult }[] = [];
  #waiting: (() => void)[] = [];
  #wake = new AbortController();
  #flushing: Promise<void> = Promise.resolve();
  #problem: string | null = null;
  #acknowledged = 0;
  #retried = 0;
  #backlogAfterMs = 0;
  /** Called when there is something new to take. */
  onNews: () => void = () => undefined;

  private constructor(options: SpoolOptions, store: SegmentStore) {
    this.#options = options;
    this.#store = store;
    this.#live = new LiveQueue(() => options.offsetOf(options.bootId));
    this.#backlog = new Backlog(store, (bootId) => options.offsetOf(bootId));
  }

  /** Opens a spool. The caller holds the folder's lock. */
  static async open(options: SpoolOptions): Promise<Spool> {
    const { folder, bootId, limitBytes } = options;
    const store = await SegmentStore.open({
      folder,
      bootId,
      segmentBytes: options.segmentBytes ?? Math.min(SEGMENT_BYTES, Math.floor(limitBytes / SEGMENTS_WITHIN_LIMIT)),
      segmentMs: SEGMENT_MS,
      monotonicMs: () => options.monotonicMs(),
    });
    return new Spool(options, store);
  }

  /** Keeps results; resolves when they are on the disk, or, where the disk takes none, in memory. */
  append(epoch: string, placed: readonly PlacedResult[]): Promise<void> {
    for (const one of placed) this.#results.push({ epoch, placed: one });
    return this.#committed();
  }

  /** Keeps absences, likewise. */
  appendAbsences(epoch: string, absences: AbsentMinutes[]): Promise<void> {
    this.#pending.push({ epoch, record: { kind: 'absences', absences }, place: null });
    return this.#committed();
  }

  #committed(): Promise<void> {
    this.#wake.abort();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Commits in groups and keeps house, until the signal aborts; then commits what is left. */
  async run(signal: AbortSignal): Promise<void> {
    let keptHouseMs = this.#options.monotonicMs();
    while (!signal.aborted) {
      const untilWoken = new AbortController();
      this.#wake = untilWoken;
      const stop = (): void => untilWoken.abort();
      signal.addEventListener('abort', stop, { once: true });
      if (this.#waiting.length === 0) await sleep(HOUSEKEEPING_MS, untilWoken.signal);
      signal.removeEventListener('abort', stop);
      if (this.#waiting.length > 0) await sleep(this.#options.commitMs ?? COMMIT_MS, signal);
      await this.flush();
      if (this.#options.monotonicMs() - keptHouseMs < HOUSEKEEPING_MS) continue;
      keptHouseMs = this.#options.monotonicMs();
      await this.keepHouse();
    }
    await this.flush();
  }

  /** Commits everything that was given so far. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#commit());
    return this.#flushing;
  }

  async #commit(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    const fresh = [...this.#pending, ...groupResults(this.#results)];
    this.#pending = [];
    this.#results = [];
    const records = [...this.#live.held(), ...fresh];
    for (const stored of fresh) this.#live.add(stored);
    await this.#write(records);
    this.#live.trim();
    for (const resolve of waiting) resolve();
    if (fresh.length > 0) this.onNews();
  }

  async #write(records: readonly StoredRecord[]): Promise<void> {
    if (records.length === 0) return;
    try {
      // A disk that refused the last time is tried with one record first: encoding all that is held costs time.
      for (const group of grouped(records, this.#problem === null ? GROUP_RECORDS : 1)) {
        await this.#store.append(group);
        await keepWithinLimit(this.#store, this.#options.limitBytes);
      }
      if (this.#problem !== null) this.#options.logger.info('spool is written again');
      this.#problem = null;
    } catch (error) {
      // A disk that takes nothing must not end the measuring: what is not written stays in memory and is sent from there.
      const text = error instanceof Error ? error.message : String(error);
      if (this.#problem === null) this.#options.logger.error({ err: error }, 'spool cannot be written');
      this.#problem = text;
    }
  }

  /** Removes what was acknowledged long enough ago. */
  async keepHouse(): Promise<void> {
    try {
      await this.#store.recoverUnread();
      await this.#store.sealIfOld();
      const windowMs = this.#problem === null ? RESEND_WINDOW_MS : 0;
      await removeSent(this.#store, this.#options.monotonicMs() - windowMs);
    } catch (error) {
      this.#options.logger.warn({ err: error }, 'spool cannot be cleaned');
    }
  }

  /** The oldest fresh results that are not on their way, at most about `maxRows`; null: there are none. */
  takeLive(maxRows: number): Parcel | null {
    return this.#live.take(maxRows, this.#options.monotonicMs());
  }

  /** The next results from the disk that are not on their way; null: there are none now. */
  async takeBacklog(maxRows: number): Promise<Parcel | null> {
    const nowMs = this.#options.monotonicMs();
    return nowMs < this.#backlogAfterMs ? null : this.#backlog.take(maxRows, nowMs);
  }

  /** Takes in how a parcel's rows were answered. */
  settle(parcel: Parcel, answers: readonly AnsweredRow[]): void {
    if (answers.length > 0 && answers.every(({ answer }) => answer === 'retry'))
      return this.#postpone(parcel, answers.length);
    let row = 0;
    for (const part of parcel.parts) {
      const retried = part.rows.filter((_, index) => answers[row + index]?.answer === 'retry');
      row += part.rows.length;
      this.#retried += retried.length;
      this.#acknowledged += part.rows.length - retried.length;
      this.#settlePart(part, retried);
    }
  }

  /** The collector can store nothing now: the backlog waits, and nothing of it has to be remembered row by row. */
  #postpone(parcel: Parcel, rows: number): void {
    this.#retried += rows;
    this.#backlogAfterMs = this.#options.monotonicMs() + RETRY_MS;
    for (const part of parcel.parts) {
      const place = placeOf(part);
      if (place !== null) place.book.putBack(place.seq, null);
      else if (part.stored !== null) this.#live.settleHeld(part.stored, this.#backlogAfterMs);
    }
    this.onNews();
  }

  #settlePart(part: ParcelPart, retried: readonly number[]): void {
    const { stored, rows, stripped } = part;
    const nowMs = this.#options.monotonicMs();
    const place = placeOf(part);
    const notBeforeMs = nowMs + RETRY_MS;
    if (place === null) {
      if (stored !== null) this.#live.settleHeld(stored, retried.length === 0 ? null : notBeforeMs);
      return;
    }
    if (retried.length === 0) place.book.finish(place.seq, nowMs);
    else {
      const known = place.book.stripped === stripped && rows.length > 0;
      place.book.putBack(place.seq, known ? { rows: [...retried], notBeforeMs } : null);
    }
  }

  /** The parcel was not answered: it is to be sent again, what was fresh before the backlog. */
  release(parcel: Parcel): void {
    for (const part of parcel.parts) {
      const { stored } = part;
      if (stored === null) part.book?.putBack(part.seq, null);
      else if (stored.place === null) this.#live.settleHeld(stored, this.#backlogAfterMs);
      else this.#live.giveBack(stored);
    }
    this.onNews();
  }

  /** The database lost its latest past: what was acknowledged lately is to be sent again. */
  reopen(): void {
    for (const book of this.#store.books) book.reopen();
    this.onNews();
  }

  /** The records on the disk that reach `from` or later, oldest first, with their true minutes. */
  recorded(from: Minute): AsyncIterable<SpoolRecord> {
    return this.#backlog.recorded(from);
  }

  state(): SpoolState {
    return {
      rows: this.#store.openRows + this.#live.heldRows,
      bytes: this.#store.bytes,
      oldestMinute: earlier(this.#store.oldestMinute, this.#live.oldestHeldMinute),
      counts: {
        ...this.#store.counts,
        droppedHeld: this.#live.dropped,
        acknowledged: this.#acknowledged,
        retried: this.#retried,
      },
      problem: this.#problem,
      readProblem: this.#store.readProblem,
    };
  }

  /** Commits what is left and closes the files. What the disk still refuses is lost, and said to be. */
  async close(): Promise<void> {
    await this.flush();
    const results = this.#live.giveUpHeld();
    if (results > 0) this.#options.logger.error({ results, problem: this.#problem }, 'results are given up unwritten');
    await this.#store.seal();
  }
}

function earlier(one: Minute | null, other: Minute | null): Minute | null {
  return one === null || other === null ? (one ?? other) : Math.min(one, other);
}

/** Where the record of a part stands on the disk; null: nowhere. */
function placeOf({ stored, book, seq }: ParcelPart): StoredRecord['place'] {
  return stored?.place ?? (book === null ? null : { book, seq });
}
