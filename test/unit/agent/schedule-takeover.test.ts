import { describe, expect, it } from 'vitest';
import { View, type Tenure } from '../../../agent/membership/view.ts';
import { createDueCache, planMinute, type Planned, type Slot } from '../../../agent/schedule-plan.ts';
import { isYoung, redivide } from '../../../agent/schedule-takeover.ts';
import { MINUTE } from '../../support/check-results.ts';
import { tenureOf } from '../../support/division.ts';
import { version } from '../../support/schedule-world.ts';

const slots = planMinute(
  Array.from({ length: 60 }, (_, index): Planned => ({
    definition: { monitorId: index + 1, versions: [version(1, 0)] },
    fraction: index / 60,
    problem: null,
    sinceGeneration: 1,
  })),
  MINUTE,
  createDueCache(),
);
const HALF_MS = MINUTE * 1000 + 20_000;

function viewOf(...tenures: Tenure[]): View {
  return new View('session-1', [tenureOf(1), ...tenures]);
}

const idsOf = (list: readonly Slot[]): number[] => list.map(({ monitorId }) => monitorId);

function ownedBy(view: View, agentId: number): number[] {
  return idsOf(slots.filter(({ claim }) => view.ownerOf(claim)?.agentId === agentId));
}

describe('the slots of a minute, divided anew', () => {
  const both = viewOf(tenureOf(2));
  const others = ownedBy(both, 2);

  it('are all to be run where one is gone: what it owed at once, what is to come in its time', () => {
    const { own, takenOver, passed } = redivide(slots, both, viewOf(), HALF_MS);
    const due = idsOf(slots.filter(({ startMs }) => startMs <= HALF_MS));
    expect(idsOf(takenOver)).toEqual(others.filter((id) => due.includes(id)));
    expect(idsOf([...own, ...takenOver]).sort((a, b) => a - b)).toEqual(idsOf(slots));
    expect(passed).toEqual([]);
    expect(takenOver.every(({ latestStartMs }) => latestStartMs === MINUTE * 1000 + 70_000)).toBe(true);
  });

  it('that were due at one who is still there are not run again by one who only now can run them', () => {
    const mute = new View('session-1', [tenureOf(1, { kinds: [] }), tenureOf(2)]);
    const { own, takenOver, passed } = redivide(slots, mute, both, HALF_MS);
    expect(takenOver).toEqual([]);
    expect(idsOf([...passed, ...own])).toEqual(ownedBy(both, 1));
    expect(passed.every(({ startMs }) => startMs <= HALF_MS)).toBe(true);
    expect(passed.length).toBeGreaterThan(0);
  });

  it('are left to another from the moment on that it was named, not before', () => {
    const coming = viewOf(tenureOf(2, { fromMs: HALF_MS }));
    const { own, takenOver, passed } = redivide(slots, viewOf(), coming, HALF_MS - 5000);
    const later = idsOf(slots.filter(({ claim }) => claim.turnMs >= HALF_MS));
    expect(idsOf(own)).toEqual(idsOf(slots).filter((id) => !(later.includes(id) && others.includes(id))));
    expect([...takenOver, ...passed]).toEqual([]);
  });

  it('are all its own where nothing was known of others until now', () => {
    expect(idsOf(redivide(slots, null, viewOf(), HALF_MS).own)).toEqual(idsOf(slots));
  });
});

describe('a minute', () => {
  it('is made up for until it is 70 seconds old', () => {
    expect(isYoung(MINUTE, MINUTE * 1000 + 69_999)).toBe(true);
    expect(isYoung(MINUTE, MINUTE * 1000 + 70_000)).toBe(false);
  });
});
