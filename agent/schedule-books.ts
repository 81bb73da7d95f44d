import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import type { CheckResult } from '../core/result.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Owns } from './membership/view.ts';
import { accountFor, lateOutcome, leftIn, RecordedMinutes, type Past } from './schedule-accounting.ts';
import { lateDefinition, missedSlots } from './schedule-backfill.ts';
import { gapBetween, MinuteLedger } from './schedule-ledger.ts';
import type { Planned, Slot } from './schedule-plan.ts';
import { LATE_LIMIT_SECONDS, type Progress } from './schedule-progress.ts';
import { resultOf, type RunningCheck } from './schedule-running.ts';
import type { ServiceClock } from './service-clock.ts';
import { truePlace } from './spool/placing.ts';
import type { AbsentMinutes, SpoolRecord } from './spool/record.ts';
import type { PlacedResult } from './spool/grouping.ts';

/** Where results go; promises resolve when they are on the disk. */
export interface ResultSink {
  append(epoch: string, placed: readonly PlacedResult[]): Promise<void>;
  appendAbsences(epoch: string, absences: AbsentMinutes[]): Promise<void>;
  flush(): Promise<void>;
  /** The records that reach `from` or later, with their true minutes. */
  recorded(from: Minute): AsyncIterable<SpoolRecord>;
}

export interface BooksOptions {
  clock: ServiceClock;
  sink: ResultSink;
  progress: Progress;
  logger: Logger;
}

export interface ScheduleCounts {
  started: number;
  /** Slots of others that were run in their place. */
  takenOver: number;
  late: number;
  absentMinutes: number;
}

const BACKFILL_PER_TICK = 500;
/** An account writes its rows in groups of this many. */
const ACCOUNT_CHUNK = 2000;

/** What is known of the minute that an agent begins in. */
export interface FirstMinute {
  /** The monitors that were measured in it already. */
  measured: ReadonlySet<number>;
  /** What the last life was to run in it and did not record: who was told that it left thinks that it did. */
  left: Slot[];
}

/** The schedule's books: every due minute of every monitor ends in a result, an UNKNOWN row, or inside an absence. */
export class Books {
  readonly counts: ScheduleCounts = { started: 0, takenOver: 0, late: 0, absentMinutes: 0 };
  /** Of the database whose definitions are run. */
  epoch = '';
  readonly #options: BooksOptions;
  readonly #ledger: MinuteLedger;
  readonly #backfill: Generator<CheckResult>[] = [];
  #madeUp: (() => void)[] = [];
  /** Earlier minutes are not made up for; null: back to the agent's birth. */
  #floor: Minute | null = null;
  /** Until what was before this life is accounted for, nothing is called handled. */
  #isOpen = false;

  constructor(options: BooksOptions) {
    this.#options = options;
    this.#ledger = new MinuteLedger((minute) => this.#handled(minute));
  }

  /** Nothing is known of earlier definitions: minutes before this one are not made up for. */
  startAt(minute: Minute): void {
    this.#floor = minute;
  }

  open(minute: Minute): void {
    this.#ledger.open(minute);
  }

  /** Something of the minute is under way until the returned function is called. */
  expect(minute: Minute): () => void {
    return this.#ledger.expect(minute);
  }

  /** The clock that named the minutes so far was wrong. */
  reset(): void {
    this.#ledger.reset();
  }

  /** Ends a minute, `next` being the one that follows: whole minutes that were missed in between are an absence. */
  close(minute: Minute, next: Minute): void {
    const gap = this.#options.clock.known ? gapBetween(minute, next) : null;
    if (gap === null) return this.#ledger.close(minute, minute);
    const done = this.#ledger.expect(minute);
    this.#ledger.close(minute, next - MINUTE_SECONDS);
    const absences = [{ ...gap, reason: 'stopped' }];
    this.#appendAbsences(absences).then(() => {
      this.#keepProgress(this.#options.progress.noteAbsences(absences));
      done();
    }, this.#unkept);
  }

  /** Resolves when the results are on the disk. */
  keep(placed: readonly PlacedResult[]): Promise<void> {
    const done = [...new Set(placed.map(({ result }) => result.minute))].map((minute) => this.#ledger.expect(minute));
    return this.#options.sink.append(this.epoch, placed).then(() => {
      for (const one of done) one();
    }, this.#unkept);
  }

  /** Rows that say why there is no measurement: placed as if their checks had begun with their minutes. */
  keepUnknown(results: readonly CheckResult[]): Promise<void> {
    return this.keep(this.#placed(results));
  }

  #placed(results: readonly CheckResult[]): PlacedResult[] {
    const { clock } = this.#options;
    const offsetMs = clock.offsetMs();
    const usedOffsetMs = clock.known ? null : offsetMs;
    return results.map((result) => ({ result, usedOffsetMs, startedMs: result.minute * 1000 - offsetMs }));
  }

  keepLate(slots: readonly Slot[], detail: string): void {
    if (slots.length === 0) return;
    this.counts.late += slots.length;
    void this.keepUnknown(slots.map((slot) => resultOf(slot, lateOutcome(detail))));
  }

  async #appendAbsences(absences: AbsentMinutes[]): Promise<void> {
    for (const { from, to } of absences) if (from > 0) this.counts.absentMinutes += (to - from) / MINUTE_SECONDS;
    await this.#options.sink.appendAbsences(this.epoch, absences);
  }

  readonly #unkept = (error: unknown): void => {
    // The sink keeps in memory what the disk refuses; that it rejects is a fault of this program.
    this.#options.logger.error({ err: error }, 'result was not kept');
  };

  #handled(minute: Minute): void {
    if (this.#isOpen && this.#options.clock.known) this.#keepProgress(this.#options.progress.advance(minute));
  }

  #keepProgress(saved: Promise<void>): void {
    saved.catch((error: unknown) => {
      // The next start accounts from an earlier minute: rows are repeated, none is lost.
      this.#options.logger.warn({ err: error }, 'progress cannot be written');
    });
  }

  /** Accounts for everything between the last handled minute and `to`. Returns what is known of `to` itself. */
  async account(
    to: Minute,
    { planned, owns }: Pick<Past, 'planned' | 'owns'>,
    running: readonly RunningCheck[],
  ): Promise<FirstMinute> {
    const { progress, sink, clock } = this.#options;
    const nowMs = clock.nowMs();
    const handled = progress.handledMinute;
    const recorded = new RecordedMinutes();
    await sink.flush();
    for await (const record of sink.recorded(handled ?? 0)) recorded.add(record);
    for (const check of running) recorded.note(this.#trueMinute(check), check.slot.monitorId, true);
    const first = handled === null ? Math.min(to, recorded.first() ?? to) : handled + MINUTE_SECONDS;
    const { late, absences } = accountFor(first, to, { recorded, planned, owns, reason: 'not running' });
    const unborn = { from: 0, to: first, reason: 'unborn' };
    await this.#write(late, handled === null ? [unborn, ...absences] : absences);
    if (handled === null) this.#keepProgress(progress.bear(first));
    // A life that ended before it could note its absence left it in the spool.
    const known = [...recorded.absencesAfter(first), ...absences];
    if (known.length > 0) this.#keepProgress(progress.noteAbsences(known));
    this.#keepProgress(progress.advance(to - MINUTE_SECONDS));
    this.#isOpen = true;
    const left = handled === null ? [] : leftIn(to, nowMs, { recorded, planned, owns });
    return { measured: recorded.measuredIn(to), left };
  }

  #trueMinute({ slot, startedMs, usedOffsetMs }: RunningCheck): Minute {
    const offsetMs = this.#options.clock.offsetMs();
    return usedOffsetMs === null ? slot.minute : truePlace(slot.minute, startedMs + offsetMs, offsetMs - usedOffsetMs);
  }

  async #write(late: readonly CheckResult[], absences: AbsentMinutes[]): Promise<void> {
    this.counts.late += late.length;
    const writes: Promise<void>[] = absences.length > 0 ? [this.#appendAbsences(absences)] : [];
    for (let start = 0; start < late.length; start += ACCOUNT_CHUNK) {
      writes.push(this.#options.sink.append(this.epoch, this.#placed(late.slice(start, start + ACCOUNT_CHUNK))));
    }
    await this.#options.sink.flush();
    await Promise.all(writes);
  }

  /**
   * Definitions that already held in minutes before `to`: what they missed is made up for as UNKNOWN, bit by bit. Resolves
   * when that is on the disk.
   */
  comeLate(
    before: ReadonlyMap<number, Planned>,
    after: ReadonlyMap<number, Planned>,
    to: Minute,
    owns: Owns,
  ): Promise<void> {
    const { progress, clock } = this.#options;
    // Until the clock is known nobody knows which minutes those are; the account that follows covers them.
    if (!clock.known) return Promise.resolve();
    const floor = Math.max(this.#floor ?? progress.bornMinute ?? to, to - LATE_LIMIT_SECONDS);
    for (const [monitorId, planned] of after) {
      const late = lateDefinition(before.get(monitorId) ?? null, planned, floor, to);
      if (late !== null) this.#backfill.push(missedSlots(late, owns, (minute) => progress.isAbsent(minute)));
    }
    return new Promise((resolve) => this.#madeUp.push(resolve));
  }

  /** Writes some of what has to be made up for; true where there is more. */
  makeUp(): boolean {
    const rows: CheckResult[] = [];
    while (rows.length < BACKFILL_PER_TICK) {
      const next = this.#backfill[0]?.next();
      if (next === undefined) break;
      if (next.done) this.#backfill.shift();
      else rows.push(next.value);
    }
    this.counts.late += rows.length;
    const kept = rows.length > 0 ? this.keepUnknown(rows) : Promise.resolve();
    if (this.#backfill.length > 0) return true;
    const madeUp = this.#madeUp;
    this.#madeUp = [];
    if (madeUp.length > 0) void kept.then(() => madeUp.forEach((resolve) => resolve()));
    return false;
  }
}
