import { unknownOutcome, type Outcome } from '../core/outcome.ts';
import type { CheckResult } from '../core/result.ts';
import type { ProbeConfig } from '../core/type-data.ts';
import type { Logger } from '../runtime/logger.ts';
import type { Slot } from './schedule-plan.ts';
import type { ServiceClock } from './service-clock.ts';
import type { PlacedResult } from './spool/grouping.ts';

export type Check = (probe: ProbeConfig, signal: AbortSignal) => Promise<Outcome>;

/** Beyond its worst case a check may wait for proof of the connection and for the sandbox. */
const GRACE_MS = 15_000;
/** After the process itself stood still, checks get this long to notice what happened meanwhile. */
const AFTER_STALL_MS = 3000;
/** How long a cut check may take to say so. */
const CUT_GRACE_MS = 1000;

export interface RunningCheck {
  slot: Slot;
  startedMs: number;
  usedOffsetMs: number | null;
}

interface Entry extends RunningCheck {
  ended: (result: PlacedResult) => void;
  controller: AbortController;
  deadlineMs: number;
}

/** The checks under way: each ends in exactly one result, whatever its probe does. */
export class RunningChecks {
  readonly #clock: ServiceClock;
  readonly #check: Check;
  readonly #logger: Logger;
  readonly #running = new Map<Slot, Entry>();
  #cut = false;

  constructor(clock: ServiceClock, check: Check, logger: Logger) {
    this.#clock = clock;
    this.#check = check;
    this.#logger = logger;
  }

  get size(): number {
    return this.#running.size;
  }

  list(): RunningCheck[] {
    return [...this.#running.values()];
  }

  /** Begins a check; `ended` gets its result, once. */
  start(slot: Slot, probe: ProbeConfig, ended: (result: PlacedResult) => void): void {
    const startedMs = this.#clock.monotonicMs();
    const entry: Entry = {
      ended,
      slot,
      startedMs,
      usedOffsetMs: this.#clock.known ? null : this.#clock.offsetMs(),
      controller: new AbortController(),
      deadlineMs: startedMs + slot.worstMs + GRACE_MS,
    };
    this.#running.set(slot, entry);
    this.#check(probe, entry.controller.signal).then(
      (outcome) => this.#end(entry, outcome),
      (error: unknown) => {
        // A probe rejects only when it is broken: the fault is this agent's, the others go on.
        this.#logger.error({ err: error, monitorId: slot.monitorId }, 'check failed');
        this.#end(entry, unknownOutcome('stalled', 'the check itself failed'));
      },
    );
  }

  #end(entry: Entry, outcome: Outcome): void {
    if (!this.#running.delete(entry.slot)) return;
    const isCut = this.#cut && outcome.status === 'DOWN';
    entry.ended(placed(entry, isCut ? unknownOutcome('cut', 'the agent was stopped') : outcome));
  }

  /** Ends what takes too long. `stalled`: the process itself stood still until just now. */
  sweep(stalled: boolean): void {
    const nowMs = this.#clock.monotonicMs();
    for (const entry of this.#running.values()) {
      if (stalled) entry.deadlineMs = Math.max(entry.deadlineMs, nowMs + AFTER_STALL_MS);
      if (nowMs < entry.deadlineMs) continue;
      entry.controller.abort();
      this.#end(entry, unknownOutcome('stalled', 'the check did not end'));
    }
  }

  /** Cuts all checks short and resolves when each has its result. */
  async cut(): Promise<void> {
    this.#cut = true;
    for (const { controller } of this.#running.values()) controller.abort();
    const endMs = this.#clock.monotonicMs() + CUT_GRACE_MS;
    while (this.#running.size > 0 && this.#clock.monotonicMs() < endMs) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    for (const entry of [...this.#running.values()]) this.#end(entry, unknownOutcome('cut', 'the agent was stopped'));
  }
}

function placed({ slot, startedMs, usedOffsetMs }: RunningCheck, outcome: Outcome): PlacedResult {
  return { result: resultOf(slot, outcome), startedMs, usedOffsetMs };
}

/** An outcome in its place. */
export function resultOf(
  { monitorId, minute, version }: Pick<Slot, 'monitorId' | 'minute' | 'version'>,
  outcome: Outcome,
): CheckResult {
  return { ...outcome, monitorId, minute, revision: version.revision };
}
