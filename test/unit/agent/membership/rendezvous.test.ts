import { describe, expect, it } from 'vitest';
import { View, type Claim } from '../../../../agent/membership/view.ts';
import { tenureOf } from '../../../support/division.ts';

const MONITORS = 10_000;

function claim(monitorId: number): Claim {
  return { monitorId, kind: 'TCP', turnMs: 1_000_000, sinceGeneration: 1 };
}

/** The owner of each monitor among agents with these ids. */
function ownersAmong(ids: readonly number[]): number[] {
  const view = new View(
    'session-1',
    ids.map((id) => tenureOf(id)),
  );
  return Array.from({ length: MONITORS }, (_, index) => view.ownerOf(claim(index + 1))?.agentId ?? 0);
}

describe('division by rendezvous hashing', () => {
  it.each([[[1, 2]], [[1, 2, 3]], [[7, 8, 9, 10, 11]], [[3, 1000, 70_000, 2_000_000_000]]])(
    'gives each of the agents %j about the same share',
    (ids) => {
      const owners = ownersAmong(ids);
      const fair = MONITORS / ids.length;
      for (const id of ids) {
        const share = owners.filter((owner) => owner === id).length;
        expect(Math.abs(share - fair) / fair).toBeLessThan(0.1);
      }
    },
  );

  it('moves only the share of the agent that goes, to all that stay, and only to the agent that comes', () => {
    const three = ownersAmong([1, 2, 3]);
    const two = ownersAmong([1, 3]);
    const moved = three.flatMap((owner, index) => (owner === two[index] ? [] : [{ owner, to: two[index] }]));
    expect(moved.every(({ owner }) => owner === 2)).toBe(true);
    expect(moved).toHaveLength(three.filter((owner) => owner === 2).length);
    const toFirst = moved.filter(({ to }) => to === 1).length;
    expect(toFirst / moved.length).toBeGreaterThan(0.45);
    expect(toFirst / moved.length).toBeLessThan(0.55);
  });

  it('does not depend on the order in which agents are known', () => {
    expect(ownersAmong([3, 1, 2])).toEqual(ownersAmong([1, 2, 3]));
  });

  it('leaves agents without a monitor where there are more of them than monitors', () => {
    const ids = Array.from({ length: 20 }, (_, index) => index + 1);
    const owners = new Set(ownersAmong(ids).slice(0, 5));
    expect(owners.size).toBeLessThanOrEqual(5);
  });
});
