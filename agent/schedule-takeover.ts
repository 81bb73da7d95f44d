import type { View } from './membership/view.ts';
import type { Slot } from './schedule-plan.ts';

/** A minute is made up for by others until it is this old. */
const TAKEOVER_MS = 70_000;

/** What becomes of the slots of a minute, as far as this agent has not begun them, when the view of who is there changes. */
export interface Redivided {
  /** Run as if it had always been so. */
  own: Slot[];
  /** Were due at an agent that cannot run them any more: to be run at once. */
  takenOver: Slot[];
  /** Were due at an agent that is still there. */
  passed: Slot[];
}

/** Divides slots anew. `before` null: nothing was known of the others until now. */
export function redivide(slots: readonly Slot[], before: View | null, after: View, nowMs: number): Redivided {
  const divided: Redivided = { own: [], takenOver: [], passed: [] };
  for (const slot of slots) {
    if (!after.isOwn(slot.claim)) continue;
    if (before === null || slot.startMs > nowMs || before.isOwn(slot.claim)) divided.own.push(slot);
    else if (isBereft(slot, before, after)) divided.takenOver.push(atOnce(slot));
    else divided.passed.push(slot);
  }
  return divided;
}

/** True where the agent that was to run it is gone, or has lost what it takes. */
function isBereft({ claim }: Slot, before: View, after: View): boolean {
  const owner = before.ownerOf(claim);
  return owner === null || !after.stillHolds(owner, claim);
}

/** A slot whose own time is over, to be run as long as its minute can be made up for. */
export function atOnce(slot: Slot): Slot {
  return { ...slot, latestStartMs: slot.minute * 1000 + TAKEOVER_MS };
}

/** Whether the slots of a minute can still be made up for. */
export function isYoung(minute: number, nowMs: number): boolean {
  return nowMs < minute * 1000 + TAKEOVER_MS;
}
