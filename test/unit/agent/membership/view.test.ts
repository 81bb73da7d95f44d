import { describe, expect, it } from 'vitest';
import { View, type Claim, type Tenure } from '../../../../agent/membership/view.ts';
import { tenureOf } from '../../../support/division.ts';

const NOW = 1_000_000;

function claim(more: Partial<Claim> = {}): Claim {
  return { monitorId: 1, kind: 'PING', turnMs: NOW, sinceGeneration: 5, ...more };
}

/** The agents that own any of a hundred monitors. */
function ownersOf(tenures: Tenure[], more: Partial<Claim> = {}): (number | undefined)[] {
  const view = new View('session-1', tenures);
  const owners = Array.from(
    { length: 100 },
    (_, index) => view.ownerOf(claim({ ...more, monitorId: index + 1 }))?.agentId,
  );
  return [...new Set(owners)].sort();
}

describe('a slot', () => {
  it('that is a PING belongs to an agent that can ping, if there is one', () => {
    const mute = ['TCP', 'DNS'];
    expect(ownersOf([tenureOf(1, { kinds: mute }), tenureOf(2), tenureOf(3)])).toEqual([2, 3]);
    expect(ownersOf([tenureOf(1, { kinds: mute }), tenureOf(2, { kinds: mute })])).toEqual([1, 2]);
    expect(ownersOf([tenureOf(1, { kinds: mute }), tenureOf(2)], { kind: 'TCP' })).toEqual([1, 2]);
    expect(ownersOf([tenureOf(1, { kinds: [] }), tenureOf(2)], { kind: null })).toEqual([1, 2]);
  });

  it('belongs to an agent whose time has begun at its turn, and to one that is still to begin where there is no other', () => {
    const coming = tenureOf(2, { fromMs: NOW + 1 });
    expect(ownersOf([tenureOf(1), coming])).toEqual([1]);
    expect(ownersOf([tenureOf(1), coming], { turnMs: NOW + 1 })).toEqual([1, 2]);
    expect(ownersOf([tenureOf(1, { fromMs: null }), coming])).toEqual([1, 2]);
  });

  it('is an agent’s that leaves until the moment it has named, and never after it', () => {
    const leaving = tenureOf(2, { untilMs: NOW + 1 });
    expect(ownersOf([tenureOf(1), leaving])).toEqual([1, 2]);
    expect(ownersOf([tenureOf(1), leaving], { turnMs: NOW + 1 })).toEqual([1]);
    expect(ownersOf([leaving], { turnMs: NOW + 1 })).toEqual([undefined]);
  });

  it('of a new definition belongs to an agent that has adopted it, before everything else', () => {
    const behind = tenureOf(2, { lacksAfter: 4 });
    expect(ownersOf([tenureOf(1, { kinds: [] }), behind])).toEqual([1]);
    expect(ownersOf([tenureOf(1), behind], { sinceGeneration: 4 })).toEqual([1, 2]);
    expect(ownersOf([behind])).toEqual([2]);
  });
});

describe('an agent that is known from an earlier view', () => {
  it('still holds a slot unless it is gone, has left before, or lacks what it had', () => {
    const before = tenureOf(2);
    const holds = (...tenures: Tenure[]): boolean =>
      new View('session-1', [tenureOf(1), ...tenures]).stillHolds(before, claim());
    expect(holds(tenureOf(2))).toBe(true);
    expect(holds(tenureOf(2, { untilMs: NOW + 1 }))).toBe(true);
    expect(holds()).toBe(false);
    expect(holds(tenureOf(2, { session: 'another life' }))).toBe(false);
    expect(holds(tenureOf(2, { untilMs: NOW }))).toBe(false);
    expect(holds(tenureOf(2, { kinds: ['TCP'] }))).toBe(false);
    expect(holds(tenureOf(2, { lacksAfter: 4 }))).toBe(false);
  });
});
