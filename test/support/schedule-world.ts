import { setImmediate as turn } from 'node:timers/promises';
import type { Definition, DefinitionVersion } from '../../core/definition.ts';
import { floorMinute, type Minute } from '../../core/minute.ts';
import { unknownOutcome, type Outcome } from '../../core/outcome.ts';
import { ALONE } from './division.ts';
import type { View } from '../../agent/membership/view.ts';
import { createProgress, type Progress } from '../../agent/schedule-progress.ts';
import { Schedule } from '../../agent/schedule.ts';
import { createServiceClock, type LearntOffset, type ServiceClock } from '../../agent/service-clock.ts';
import { placeResults } from '../../agent/spool/placing.ts';
import type { SpoolRecord } from '../../agent/spool/record.ts';
import type { PlacedResult } from '../../agent/spool/grouping.ts';
import type { DefinitionSet } from '../../agent/definition-set.ts';
import { hashDefinitions } from '../../proto/kv.ts';
import { createLogger } from '../../runtime/logger.ts';

const OUTCOME: Outcome = { status: 'UP', cause: 'NONE', origin: 'REALTIME', latencyUs: 1, error: null, packets: null };

export interface WorldOptions {
  startMs: number;
  /** How far the wall clock is off the true time. */
  wallErrorMs?: number;
  /** Whether the database's clock is known from the start. */
  isClockKnown?: boolean;
  /** How often the disk takes what is to be written, milliseconds; 1000 by default. */
  commitMs?: number;
  /** How long a check takes, milliseconds. */
  duration: (nth: number) => number;
  /** Tells a life of the schedule who is there; by default nobody else is. */
  divide?: (schedule: Schedule) => void;
  /** Who was there at the end of the last life. */
  lastView?: () => View | null;
}

/**
 * A machine with an agent's schedule on it, in time that is only counted: disk, progress and clocks outlive the process,
 * what was not yet written does not.
 */
export class ScheduleWorld {
  trueMs: number;
  wallErrorMs: number;
  /** What is to be written waits, and is gone with the process. */
  isDiskFull = false;
  /** Every result of every life, written or not. */
  readonly results: PlacedResult[] = [];
  schedule: Schedule | null = null;
  clock: ServiceClock;
  readonly #options: WorldOptions;
  readonly #disk: (SpoolRecord & { usedOffsetMs?: number })[] = [];
  #written: { records: SpoolRecord[]; done: () => void }[] = [];
  #progress: Progress;
  #progressState: Parameters<typeof createProgress>[0] = { bornMinute: null, handledMinute: null, absences: [] };
  /** On its way to the disk. */
  #progressWritten = this.#progressState;
  #learnt: LearntOffset | null = null;
  #kept: DefinitionSet | null = null;
  #adopted: DefinitionSet | null = null;
  #checks: { endMs: number; end: (outcome: Outcome) => void }[] = [];
  #committedMs = 0;
  readonly #commitMs: number;
  #life = 0;
  #checked = 0;

  constructor(options: WorldOptions) {
    this.#options = options;
    this.#commitMs = options.commitMs ?? 1000;
    this.trueMs = options.startMs;
    this.wallErrorMs = options.wallErrorMs ?? 0;
    if (options.isClockKnown ?? true) this.#learnt = { loMs: 0, hiMs: 0, atMs: 0 };
    this.clock = this.#newClock();
    this.#progress = this.#newProgress();
  }

  #newClock(): ServiceClock {
    const time = {
      bootId: 'boot',
      // The monotonic clock counts from the epoch, so that the true offset is 0.
      monotonicMs: () => this.trueMs,
      wallMs: () => this.trueMs + this.wallErrorMs,
    };
    const life = this.#life;
    return createServiceClock(time, this.#learnt, (stepMs) => {
      if (life === this.#life) void this.schedule?.clockBecameKnown(stepMs);
    });
  }

  #newProgress(): Progress {
    this.#progressWritten = this.#progressState;
    return createProgress(this.#progressState, (state) => {
      this.#progressWritten = state;
      return Promise.resolve();
    });
  }

  /** The collector answers for the first time. */
  async contact(): Promise<void> {
    this.clock.learn({ sentMs: this.trueMs, receivedMs: this.trueMs, clockUs: this.trueMs * 1000 });
    this.#learnt = this.clock.learnt();
    for (let i = 0; i < 5; i += 1) await this.settle();
  }

  /** Starts the process with what the disk holds. */
  async start(): Promise<void> {
    const life = ++this.#life;
    const alive = (): boolean => life === this.#life;
    this.clock = this.#newClock();
    this.#progress = this.#newProgress();
    this.#written = [];
    this.#checks = [];
    const never = new Promise<never>(() => undefined);
    this.schedule = new Schedule({
      region: 'eu',
      clock: this.clock,
      logger: createLogger('agent', 'silent'),
      progress: this.#progress,
      lastView: this.#options.lastView?.() ?? null,
      check: (_probe, signal) => (alive() ? this.#check(signal) : never),
      sink: {
        append: (_epoch, placed) => {
          if (!alive()) return never;
          this.results.push(...placed);
          return this.#write([recordOf(placed)]);
        },
        appendAbsences: (_epoch, absences) => (alive() ? this.#write([{ kind: 'absences', absences }]) : never),
        flush: async () => {
          if (alive()) this.#commit();
        },
        recorded: (from) => this.#recorded(from),
      },
    });
    if (this.#options.divide === undefined) this.schedule.divide(ALONE);
    else this.#options.divide(this.schedule);
    const begun = this.schedule.begin(this.#kept);
    for (let i = 0; i < 5; i += 1) await this.settle();
    await begun;
    // The follower starts from the kept set and finds the newest at once.
    if (this.#adopted !== null && this.#adopted !== this.#kept) await this.adopt(this.#adopted);
  }

  #check(signal: AbortSignal): Promise<Outcome> {
    return new Promise((resolve) => {
      const endMs = this.trueMs + this.#options.duration(this.#checked++);
      this.#checks.push({ endMs, end: resolve });
      signal.addEventListener('abort', () => resolve(unknownOutcome('cut', 'stopped')));
    });
  }

  #write(records: SpoolRecord[]): Promise<void> {
    return new Promise((done) => this.#written.push({ records, done }));
  }

  #commit(): void {
    this.#committedMs = this.trueMs;
    if (this.isDiskFull) return;
    const written = this.#written;
    this.#written = [];
    this.#progressState = this.#progressWritten;
    for (const { records } of written) this.#disk.push(...records);
    for (const { done } of written) done();
  }

  async *#recorded(from: Minute): AsyncGenerator<SpoolRecord> {
    for (const record of this.records()) {
      if (record.kind === 'absences' || record.results.some(({ minute }) => minute >= from)) yield record;
    }
  }

  /** What is on the disk, in its true minutes. */
  records(): SpoolRecord[] {
    const offsetMs = this.#learnt === null ? null : 0;
    return this.#disk.map((record) =>
      record.kind === 'absences'
        ? record
        : { ...record, results: [...placeResults(record.results, record.provisional, offsetMs)] },
    );
  }

  get handledMinute(): Minute | null {
    return this.#progressState.handledMinute;
  }

  get bornMinute(): Minute | null {
    return this.#progressState.bornMinute;
  }

  /** The watch brings another set. */
  async adopt(set: DefinitionSet): Promise<void> {
    this.#adopted = set;
    const life = this.#life;
    void this.schedule?.adopt(set).then(() => {
      if (life === this.#life) this.#kept = set;
    });
    await this.settle();
  }

  /** SIGKILL: what was not written is gone. */
  kill(): void {
    this.#life += 1;
    this.schedule = null;
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    const stopped = this.schedule?.stop();
    for (let i = 0; i < 5; i += 1) await this.settle();
    await stopped;
    this.kill();
  }

  /** Lets promises go on. */
  async settle(): Promise<void> {
    await turn();
    await turn();
  }

  /** Time passes in which the process does not run. */
  stand(ms: number): void {
    this.trueMs += ms;
  }

  /** Time passes and the process runs. */
  async run(ms: number): Promise<void> {
    const end = this.trueMs + ms;
    while (this.trueMs < end) {
      const waitMs = this.schedule?.tick() ?? 250;
      const nextEnd = Math.min(...this.#checks.map((check) => check.endMs), this.#committedMs + this.#commitMs, end);
      this.trueMs = Math.max(this.trueMs, Math.min(this.trueMs + Math.max(1, waitMs), nextEnd));
      const ended = this.#checks.filter((check) => check.endMs <= this.trueMs);
      this.#checks = this.#checks.filter((check) => check.endMs > this.trueMs);
      for (const check of ended) check.end(OUTCOME);
      if (ended.length > 0) await this.settle();
      if (this.trueMs - this.#committedMs >= this.#commitMs) {
        this.#commit();
        await this.settle();
      }
    }
  }
}

function recordOf(placed: readonly PlacedResult[]): SpoolRecord {
  const usedOffsetMs = placed[0]?.usedOffsetMs ?? null;
  return {
    kind: 'results',
    results: placed.map(({ result }) => result),
    provisional: usedOffsetMs === null ? null : { usedOffsetMs, startedMs: placed.map(({ startedMs }) => startedMs) },
  };
}

/** A version whose probe is a TCP check of one second. */
export function version(revision: number, fromMinute: Minute, cron: string | null = null): DefinitionVersion {
  const hosts = [{ type: 'IP4' as const, host: '127.0.0.1', port: 1, timeout: 1000 }];
  return { revision, fromMinute, cron, probe: { kind: 'TCP', config: { hosts } } };
}

export function setOf(definitions: readonly Definition[], generation = 1, epoch = 'epoch-1'): DefinitionSet {
  const stored = definitions.map((definition) => {
    const { monitorId, versions } = definition;
    return { monitorId, epoch, revision: versions.at(-1)?.revision ?? 1, definition, problem: null };
  });
  const hash = hashDefinitions(stored.map(({ monitorId, revision }) => [monitorId, revision]));
  return {
    manifest: { epoch, generation, count: stored.length, hash },
    definitions: new Map(stored.map((one) => [one.monitorId, one])),
  };
}

export function minuteOf(ms: number): Minute {
  return floorMinute(ms / 1000);
}
