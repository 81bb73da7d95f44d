import { floorMinute, MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import { revisionOf, versionAt } from '../core/definition.ts';
import { unknownOutcome } from '../core/outcome.ts';
import { sleep } from '../runtime/time.ts';
import { unreadableDefinition, type DefinitionSet } from './definition-set.ts';
import type { Claim, View } from './membership/view.ts';
import { ENDED, type Past } from './schedule-accounting.ts';
import { Books, type BooksOptions, type FirstMinute, type ScheduleCounts } from './schedule-books.ts';
import { claimOf, createDueCache, fractionOf, planMinute, type Planned, type Slot } from './schedule-plan.ts';
import { resultOf, RunningChecks, type Check } from './schedule-running.ts';
import { atOnce, isYoung, redivide } from './schedule-takeover.ts';
import { wholeMinutes } from './spool/placing.ts';

export interface ScheduleOptions extends BooksOptions {
  region: string;
  check: Check;
  /** Told how long after the time of its slot a check begins. */
  onStart?: (lateMs: number) => void;
  /** Who shared the region when the last life ended; null: not known, its slots were all this agent's own. */
  lastView: View | null;
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
  left: FirstMinute['left'];
}

/** Runs every monitor once in each of its due minutes, or says why not. */
export class Schedule {
  readonly #options: ScheduleOptions;
  readonly #books: Books;
  readonly #running: RunningChecks;
  readonly #cache = createDueCache();
  #planned: ReadonlyMap<number, Planned> = new Map();
  #plan: Plan | null = null;
  #previous: Plan | null = null;
  /** Null: the others had no time yet to say that they are there, nothing is begun. */
  #view: View | null = null;
  /** What was others', to be run at once. */
  #takenOver: Slot[] = [];
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

  /** Of the monitors those that are this agent's own to run. */
  get share(): number {
    const minute = this.#plan?.minute ?? this.#minuteNow();
    let share = 0;
    for (const planned of this.#planned.values()) {
      const version = versionAt(planned.definition, minute);
      if (version !== undefined && this.#owns(claimOf(planned, version, minute))) share += 1;
    }
    return share;
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
      const { measured, left } = await this.#books.account(minute, this.#past(), []);
      const begun = [...measured].flatMap((id) => this.#revisionIn(id, minute));
      this.#enter(minute, new Map(begun), left);
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
      this.#previous = null;
      this.#books.reset();
    }
    const minute = this.#minuteNow();
    const { left } = await this.#books.account(minute, this.#past(), this.#running.list());
    if (this.#plan?.minute === minute) this.#plan.left = left;
  }

  #past(): Pick<Past, 'planned' | 'owns'> {
    return { planned: [...this.#planned.values()], owns: this.#owned };
  }

  /** Whether a slot of the past was this agent's own, as far as it can tell. */
  readonly #owned = (claim: Claim): boolean => (this.#view ?? this.#options.lastView)?.isOwn(claim) ?? true;

  #owns(claim: Claim): boolean {
    return this.#view?.isOwn(claim) ?? false;
  }

  /** Who is there has changed: goes over to another share, and takes over what those who are gone did not get to. */
  divide(view: View): void {
    const before = this.#view;
    this.#view = view;
    const plan = this.#plan;
    if (plan === null) return;
    const nowMs = this.#options.clock.nowMs();
    const { own, takenOver, passed } = redivide(this.#notBegun(plan), before, view, nowMs);
    for (const { monitorId, version } of passed) plan.begun.set(monitorId, version.revision);
    plan.slots = own;
    plan.next = 0;
    this.#takeOver(plan, takenOver);
    const earlier = this.#previous;
    if (earlier === null || !isYoung(earlier.minute, nowMs)) return;
    const divided = redivide(this.#notBegun(earlier), before, view, nowMs);
    // Where nothing was known of the others, nothing was begun in that minute.
    this.#takeOver(earlier, before === null ? divided.own.map(atOnce) : divided.takenOver);
  }

  #takeOver({ begun }: Plan, slots: readonly Slot[]): void {
    for (const { monitorId, version } of slots) begun.set(monitorId, version.revision);
    this.#books.counts.takenOver += slots.length;
    this.#takenOver.push(...slots);
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
    if (!isSameDatabase) return void this.#enter(plan.minute, new Map(), []);
    plan.slots = this.#slotsToBegin(plan);
    plan.next = 0;
    await this.#books.comeLate(before, this.#planned, plan.minute, this.#owned);
  }

  #use({ manifest, definitions }: DefinitionSet): void {
    this.#books.epoch = manifest.epoch;
    const before = this.#planned;
    const planned = new Map<number, Planned>();
    for (const [monitorId, stored] of definitions) {
      const definition = stored.definition ?? unreadableDefinition(stored);
      const known = before.get(monitorId);
      const fraction = known?.fraction ?? fractionOf(monitorId, this.#options.region);
      const isNew = known === undefined || revisionOf(known.definition) !== stored.revision;
      const sinceGeneration = isNew ? manifest.generation : known.sinceGeneration;
      planned.set(monitorId, { definition, fraction, problem: stored.problem, sinceGeneration });
    }
    this.#planned = planned;
  }

  #slotsToBegin(plan: Plan): Slot[] {
    return this.#notBegun(plan).filter(({ claim }) => this.#owns(claim));
  }

  #notBegun({ minute, begun }: Plan): Slot[] {
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
      this.#books.keepLate(
        plan.left.filter(({ monitorId }) => !plan.begun.has(monitorId)),
        ENDED,
      );
      this.#books.close(plan.minute, minute);
    }
    this.#previous = plan;
    return this.#enter(minute, new Map(), []);
  }

  #enter(minute: Minute, begun: Map<number, number>, left: Slot[]): Plan {
    const plan: Plan = { minute, slots: [], next: 0, begun, left };
    plan.slots = this.#slotsToBegin(plan);
    this.#plan = plan;
    this.#books.open(minute);
    return plan;
  }

  #startDue(plan: Plan, nowMs: number): number {
    let starts = this.#startTakenOver(nowMs);
    if (this.#takenOver.length > 0) return CROWDED_TICK_MS;
    for (; ; plan.next += 1) {
      const slot = plan.slots[plan.next];
      const nextMs = slot?.startMs ?? (plan.minute + MINUTE_SECONDS) * 1000;
      if (slot === undefined || nextMs > nowMs) return Math.min(Math.max(nextMs - nowMs, 0), LONGEST_TICK_MS);
      if (starts >= STARTS_PER_TICK) return CROWDED_TICK_MS;
      plan.begun.set(slot.monitorId, slot.version.revision);
      if (this.#start(slot, nowMs)) starts += 1;
    }
  }

  #startTakenOver(nowMs: number): number {
    const slots = this.#takenOver.splice(0, STARTS_PER_TICK);
    return slots.filter((slot) => this.#start(slot, nowMs)).length;
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
    this.#options.onStart?.(nowMs - slot.startMs);
    const done = this.#books.expect(slot.minute);
    this.#running.start(slot, probe, (placed) => {
      void this.#books.keep([placed]);
      done();
    });
    return true;
  }

  /** Whether everything is done that was this agent's own before `untilMs`, which has passed. */
  isDoneUntil(untilMs: number): boolean {
    const plan = this.#plan;
    const isOpen = plan?.slots.slice(plan.next).some(({ claim }) => claim.turnMs < untilMs) ?? false;
    return !isOpen && this.#takenOver.length === 0 && this.#running.size === 0;
  }

  /** Cuts short what is under way; resolves when its results are on the disk. Slots not begun are the next start's. */
  async stop(): Promise<void> {
    await this.#running.cut();
    await this.#options.sink.flush();
  }
}
