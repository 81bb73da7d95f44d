import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import type { CheckResult } from '../core/result.ts';
import { unknownOutcome, type Outcome } from '../core/outcome.ts';
import type { Owns } from './membership/view.ts';
import {
  claimOf,
  createDueCache,
  dueVersion,
  planMinute,
  type DueCache,
  type Planned,
  type Slot,
} from './schedule-plan.ts';
import { resultOf } from './schedule-running.ts';
import type { AbsentMinutes, SpoolRecord } from './spool/record.ts';

/** What the spool holds of the minutes since the last that was accounted for. */
export class RecordedMinutes {
  readonly #rows = new Map<Minute, Set<number>>();
  readonly #known = new Map<Minute, Set<number>>();
  readonly #absent: AbsentMinutes[] = [];

  add(record: SpoolRecord): void {
    if (record.kind === 'absences') this.#absent.push(...record.absences);
    else for (const result of record.results) this.note(result.minute, result.monitorId, result.status !== 'UNKNOWN');
  }

  note(minute: Minute, monitorId: number, isKnown: boolean): void {
    addTo(this.#rows, minute, monitorId);
    if (isKnown) addTo(this.#known, minute, monitorId);
  }

  /** The earliest minute with any row; null where there is none. */
  first(): Minute | null {
    let first: Minute | null = null;
    for (const minute of this.#rows.keys()) first = Math.min(first ?? minute, minute);
    return first;
  }

  /** The monitors with any row in a minute; undefined where there is none. */
  of(minute: Minute): ReadonlySet<number> | undefined {
    return this.#rows.get(minute);
  }

  /** The monitors that were measured in a minute. */
  measuredIn(minute: Minute): ReadonlySet<number> {
    return this.#known.get(minute) ?? new Set();
  }

  /** The absences that reach beyond `minute`. */
  absencesAfter(minute: Minute): AbsentMinutes[] {
    return this.#absent.filter(({ from, to }) => from > 0 && to > minute);
  }

  isAbsent(minute: Minute): boolean {
    return this.#absent.some(({ from, to }) => from <= minute && minute < to);
  }
}

function addTo(map: Map<Minute, Set<number>>, minute: Minute, monitorId: number): void {
  const set = map.get(minute);
  if (set === undefined) map.set(minute, new Set([monitorId]));
  else set.add(monitorId);
}

export interface Account {
  /** Slots of minutes in which this agent did measure something else. */
  late: CheckResult[];
  absences: AbsentMinutes[];
}

/** Why nothing is recorded of a slot in a minute in which the agent was there. */
export const ENDED = 'the agent ended in this minute';

/** What an agent goes by to account for its past. */
export interface Past {
  recorded: RecordedMinutes;
  planned: readonly Planned[];
  /** Which slots were its own. */
  owns: Owns;
  /** Why it is absent. */
  reason: string;
}

/**
 * Accounts for the minutes [from, to) in which the agent died and was dead: a minute with any row has every missing slot
 * of its own as UNKNOWN (late); the others are absences.
 */
export function accountFor(from: Minute, to: Minute, past: Past): Account {
  const { recorded, reason } = past;
  const account: Account = { late: [], absences: [] };
  const cache = createDueCache();
  for (let minute = from; minute < to; minute += MINUTE_SECONDS) {
    if (recorded.isAbsent(minute)) continue;
    const rows = recorded.of(minute);
    if (rows === undefined) extend(account.absences, minute, reason);
    else account.late.push(...missing(minute, rows, past, cache));
  }
  return account;
}

function missing(minute: Minute, rows: ReadonlySet<number>, { planned, owns }: Past, cache: DueCache): CheckResult[] {
  return planned.flatMap((one) => {
    const version = rows.has(one.definition.monitorId) ? null : dueVersion(one, minute, cache);
    if (version === null || !owns(claimOf(one, version, minute))) return [];
    return [resultOf({ monitorId: one.definition.monitorId, minute, version }, lateOutcome(ENDED))];
  });
}

/** The slots of the minute that an agent begins in: its own, due by now, and of which its last life recorded nothing. */
export function leftIn(minute: Minute, nowMs: number, { recorded, planned, owns }: Omit<Past, 'reason'>): Slot[] {
  const rows = recorded.of(minute) ?? new Set();
  const due = planMinute(planned, minute, createDueCache());
  return due.filter(({ monitorId, startMs, claim }) => startMs <= nowMs && owns(claim) && !rows.has(monitorId));
}

function extend(absences: AbsentMinutes[], minute: Minute, reason: string): void {
  const last = absences.at(-1);
  if (last?.to === minute) last.to = minute + MINUTE_SECONDS;
  else absences.push({ from: minute, to: minute + MINUTE_SECONDS, reason });
}

/** The outcome of a slot that could not be started in its minute. */
export function lateOutcome(detail: string): Outcome {
  return unknownOutcome('late', detail);
}
