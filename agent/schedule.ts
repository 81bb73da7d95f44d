import { floorMinute, MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { unknownOutcome } from '../core/outcome.ts';
import { sleep } from '../runtime/time.ts';
import { unreadableDefinition, type DefinitionSet } from './definition-set.ts';
import { Books, type BooksOptions, type ScheduleCounts } from './schedule-books.ts';
import { createDueCache, fractionOf, planMinute, type Planned, type Slot } from './schedule-plan.ts';
import { resultOf, RunningChecks, type Check } from './schedule-running.ts';
import { wholeMinutes } from './spool/placing.ts';

export interface ScheduleOptions extends BooksOptions {
  region: string;
  check: Check;
}

/** Starts in one tick, and the pause before the next where more are due: what piled up does not run as a herd. */
const STARTS_PER_TICK = 20;
const CROWDED_TICK_MS = 10;
const LONGEST_TICK_MS = 250;
/** A tick that comes this much later than it should: the process did not run. */
const STALL_MS = 1000;

interface Plan {
  minute: Minute;
  slots: Slot[];
  next: number;
  /** The revision under which a monitor was begun in this minute. */
  begun: Map<number, number>;
}

/** Runs every monitor once in each of its due minutes, or says why not. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #books: Books;
  readonly #running: RunningChecks;
  readonly #cache = createDueCache();
  #planned: ReadonlyMap<number, Planned> = new Map();
  #plan: Plan | null = null;
  #nextTickMs = Infinity;
  /** True once the last life is accounted for, or that has to wait for the clock. */
  #hasBegun = false;
  /** What was adopted before that. */
  #next: (() => void) | null = null;

  constructor(options: ScheduleOptions) {
    this.#options = options;
    this.#books = new Books(options);
    this.#running = new RunningChecks(options.clock, options.check, options.logger);
  }

  get monitors(): number {
    return this.#planned.size;
  }

  /** Checks under way. */
  get running(): number {
    return this.#running.size;
  }

  get counts(): Readonly<ScheduleCounts> {
    return this.#books.counts;
  }

  /** Runs until the signal aborts, then cuts short what is under way and keeps its results. */
  async run(set: DefinitionSet | null, signal: AbortSignal): Promise<void> {
    await this.begin(set);
    while (!signal.aborted) await sleep(this.tick(), signal);
    await this.stop();
  }

  /**
   * Begins with what the last life went by, and accounts for what was missed since; `set` null: nothing is known. Where
   * the clock is not known yet, accounting waits for `clockBecameKnown`.
   */
  async begin(set: DefinitionSet | null): Promise<void> {
    const minute = this.#minuteNow();
    if (set === null) this.#books.startAt(minute);
    else this.#use(set);
    if (this.#options.clock.known) {
      const measured = await this.#books.account(minute, [...this.#planned.values()], []);
      const begun = [...measured].flatMap((id) => this.#revisionIn(id, minute));
      this.#enter(minute, new Map(begun));
    }
    this.#hasBegun = true;
    this.#next?.();
  }

  #revisionIn(monitorId: number, minute: Minute): [number, number][] {
    const versions = this.#planned.get(monitorId)?.definition.versions ?? [];
    const version = versions.findLast(({ fromMinute }) => fromMinute <= minute);
    return version === undefined ? [] : [[monitorId, version.revision]];
  }

  /** The first contact: the clock was stepped by `stepMs`, and what was placed before is placed anew when it is sent. */
  async clockBecameKnown(stepMs: number): Promise<void> {
    if (!this.#hasBegun) return;
    if (wholeMinutes(stepMs) !== 0) {
      this.#plan = null;
      this.#books.reset();
    }
    await this.#books.account(this.#minuteNow(), [...this.#planned.values()], this.#running.list());
  }

  #minuteNow(): Minute {
    return floorMinute(this.#options.clock.nowMs() / 1000);
  }

  /**
   * Goes over to another set. Minutes in which it already held are made up for; resolves when that is done, so that the
   * set may now be what the next life begins with.
   */
  async adopt(set: DefinitionSet): Promise<void> {
    if (!this.#hasBegun) await new Promise<void>((resolve) => (this.#next = resolve));
    const before = this.#planned;
    const isSameDatabase = this.#books.epoch === set.manifest.epoch || this.#books.epoch === '';
    this.#use(set);
    const plan = this.#plan;
    if (plan === null) return;
    if (!isSameDatabase) plan.begun.clear();
    plan.slots = this.#slotsToBegin(plan);
    plan.next = 0;
    if (isSameDatabase) await this.#books.comeLate(before, this.#planned, plan.minute);
  }

  #use({ manifest, definitions }: DefinitionSet): void {
    this.#books.epoch = manifest.epoch;
    const before = this.#planned;
    const planned = new Map<number, Planned>();
    for (const [monitorId, stored] of definitions) {
      const definition = stored.definition ?? unreadableDefinition(stored);
      const fraction = before.get(monitorId)?.fraction ?? fractionOf(monitorId, this.#options.region);
      planned.set(monitorId, { definition, fraction, problem: stored.problem });
    }
    this.#planned = planned;
  }

  #slotsToBegin({ minute, begun }: Plan): Slot[] {
    const slots = planMinute(this.#planned.values(), minute, this.#cache);
    return slots.filter(({ monitorId, version }) => begun.get(monitorId) !== version.revision);
  }

  /** Does what is due now; returns the milliseconds until there may be more to do. */
  tick(): number {
    const { clock } = this.#options;
    this.#running.sweep(clock.monotonicMs() - this.#nextTickMs >= STALL_MS);
    const nowMs = clock.nowMs();
    const plan = this.#planAt(floorMinute(nowMs / 1000));
    const untilDueMs = this.#startDue(plan, nowMs);
    const waitMs = this.#books.makeUp() ? Math.min(untilDueMs, CROWDED_TICK_MS) : untilDueMs;
    this.#nextTickMs = clock.monotonicMs() + waitMs;
    return waitMs;
  }

  #planAt(minute: Minute): Plan {
    const plan = this.#plan;
    // A known clock that goes back: those minutes were measured already, they are waited out.
    const isWaitedOut = plan !== null && minute < plan.minute && this.#options.clock.known;
    if (plan !== null && (plan.minute === minute || isWaitedOut)) return plan;
    if (plan !== null) {
      this.#books.keepLate(plan.slots.slice(plan.next), 'the agent did not get to it in its minute');
      this.#books.close(plan.minute, minute);
    }
    return this.#enter(minute, new Map());
  }

  #enter(minute: Minute, begun: Map<number, number>): Plan {
    const plan: Plan = { minute, slots: [], next: 0, begun };
    plan.slots = this.#slotsToBegin(plan);
    this.#plan = plan;
    this.#books.open(minute);
    return plan;
  }

  #startDue(plan: Plan, nowMs: number): number {
    for (let starts = 0; ; plan.next += 1) {
      const slot = plan.slots[plan.next];
      const nextMs = slot?.startMs ?? (plan.minute + MINUTE_SECONDS) * 1000;
      if (slot === undefined || nextMs > nowMs) return Math.min(Math.max(nextMs - nowMs, 0), LONGEST_TICK_MS);
      if (starts >= STARTS_PER_TICK) return CROWDED_TICK_MS;
      plan.begun.set(slot.monitorId, slot.version.revision);
      if (this.#start(slot, nowMs)) starts += 1;
    }
  }

  /** True where a check was started. */
  #start(slot: Slot, nowMs: number): boolean {
    const { probe } = slot.version;
    if (probe === null) {
      void this.#books.keepUnknown([resultOf(slot, unknownOutcome('unsupported', slot.problem ?? 'no such probe'))]);
      return false;
    }
    if (nowMs > slot.latestStartMs) {
      this.#books.keepLate([slot], 'too late in its minute to end within it');
      return false;
    }
    this.#books.counts.started += 1;
    const done = this.#books.expect(slot.minute);
    this.#running.start(slot, probe, (placed) => {
      void this.#books.keep([placed]);
      done();
    });
    return true;
  }

  /** Cuts short what is under way; resolves when its results are on the disk. Slots not begun are the next start's. */
  async stop(): Promise<void> {
    await this.#running.cut();
    await this.#options.sink.flush();
  }
}
