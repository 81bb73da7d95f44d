import { MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import type { CheckResult } from '../core/result.ts';
import { lateOutcome } from './schedule-accounting.ts';
import type { Owns } from './membership/view.ts';
import { claimOf, createDueCache, dueVersion, type Planned } from './schedule-plan.ts';
import { resultOf } from './schedule-running.ts';

/** A definition that came after minutes in which it already held. */
export interface LateDefinition {
  /** What the agent went by until now; null: it did not know the monitor. */
  before: Planned | null;
  after: Planned;
  /** The minutes to look at: `from` inside, `to` outside. */
  from: Minute;
  to: Minute;
}

/** The minutes a changed definition already held in, before the agent knew; null where there are none. */
export function lateDefinition(
  before: Planned | null,
  after: Planned,
  floor: Minute,
  to: Minute,
): LateDefinition | null {
  const known = before?.definition.versions.at(-1)?.revision ?? 0;
  const changed = after.definition.versions.filter(({ revision }) => revision > known || before === null);
  const from = Math.max(floor, Math.min(...changed.map(({ fromMinute }) => fromMinute)));
  return from < to ? { before, after, from, to } : null;
}

/** The agent's own slots that were due and that nobody ran, because it did not know of them: UNKNOWN (late). */
export function* missedSlots(
  late: LateDefinition,
  owns: Owns,
  isAbsent: (minute: Minute) => boolean,
): Generator<CheckResult> {
  const { before, after, from, to } = late;
  const cacheBefore = createDueCache();
  const cache = createDueCache();
  for (let minute = from; minute < to; minute += MINUTE_SECONDS) {
    const version = isAbsent(minute) ? null : dueVersion(after, minute, cache);
    if (version === null || !owns(claimOf(after, version, minute))) continue;
    if (before !== null && dueVersion(before, minute, cacheBefore) !== null) continue;
    const { monitorId } = after.definition;
    yield resultOf({ monitorId, minute, version }, lateOutcome('its definition came later'));
  }
}
