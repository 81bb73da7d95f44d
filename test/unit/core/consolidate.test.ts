import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { consolidate, downVotesNeeded, type Quorum, type Vote } from '../../../core/consolidate.ts';
import type { Origin, Status } from '../../../core/outcome.ts';

const vote = (status: Status, latencyUs: number | null = 1000, origin: Origin = 'REALTIME'): Vote => ({
  status,
  latencyUs: status === 'UNKNOWN' ? null : latencyUs,
  origin,
});

const votes = (...statuses: Status[]): Vote[] => statuses.map((status) => vote(status));

const anyVote = fc.record({
  status: fc.constantFrom<Status>('UP', 'DOWN', 'DEGRADED', 'UNKNOWN'),
  latencyUs: fc.integer({ min: 0, max: 2_147_483_000 }),
  origin: fc.constantFrom<Origin>('REALTIME', 'API', 'TIMEOUT', 'ERROR'),
});
const anyQuorum = fc.oneof(fc.constantFrom<Quorum>('any', 'majority', 'all'), fc.integer({ min: 1, max: 9 }));

describe('downVotesNeeded', () => {
  it.each<[Quorum, number, number, number]>([
    ['majority', 1, 1, 1],
    ['majority', 1, 3, 2],
    ['majority', 2, 3, 2],
    ['majority', 3, 3, 2],
    ['majority', 4, 4, 3],
    ['all', 1, 1, 1],
    ['all', 1, 3, 2],
    ['all', 3, 3, 3],
    ['any', 3, 3, 1],
    [2, 1, 3, 2],
    [5, 3, 3, 3],
  ])('with quorum %s, %d known of %d is %d', (quorum, known, runsIn, needed) => {
    expect(downVotesNeeded(quorum, known, runsIn)).toBe(needed);
  });
});

describe('consolidate', () => {
  it.each<[string, Vote[], Quorum, number, string | undefined]>([
    ['no vote makes no point', [], 'majority', 3, undefined],
    ['UNKNOWN alone makes no point', votes('UNKNOWN', 'UNKNOWN'), 'majority', 2, undefined],
    ['all UP is UP', votes('UP', 'UP', 'UP'), 'majority', 3, 'UP'],
    ['UP beside UNKNOWN is UP', votes('UP', 'UNKNOWN'), 'majority', 2, 'UP'],
    ['two of three DOWN is DOWN', votes('DOWN', 'DOWN', 'UP'), 'majority', 3, 'DOWN'],
    ['one of three DOWN is DEGRADED', votes('DOWN', 'UP', 'UP'), 'majority', 3, 'DEGRADED'],
    ['one voice of three does not make DOWN while the others are cut off', votes('DOWN'), 'majority', 3, 'DEGRADED'],
    ['the only region makes DOWN', votes('DOWN'), 'majority', 1, 'DOWN'],
    ['one of two DOWN is DEGRADED', votes('DOWN', 'UP'), 'majority', 2, 'DEGRADED'],
    ['DEGRADED anywhere is DEGRADED', votes('DEGRADED', 'UP', 'UP'), 'majority', 3, 'DEGRADED'],
    ['quorum any makes one DOWN enough', votes('DOWN', 'UP', 'UP'), 'any', 3, 'DOWN'],
    ['quorum all wants every known region', votes('DOWN', 'DOWN', 'UP'), 'all', 3, 'DEGRADED'],
    ['a number is that many', votes('DOWN', 'UP', 'UP'), 1, 3, 'DOWN'],
  ])('%s', (_name, given, quorum, runsIn, expected) => {
    expect(consolidate(given, quorum, runsIn)?.status).toBe(expected);
  });

  it('takes the latency from the regions that reached the target', () => {
    const point = consolidate([vote('UP', 1000), vote('DEGRADED', 2001), vote('DOWN', 9_000_000)], 'majority', 3);
    expect(point).toMatchObject({ status: 'DEGRADED', latencyUs: 1501, known: 3 });
  });

  it('says ERROR only where every deciding region does', () => {
    const error = vote('DOWN', 0, 'ERROR');
    expect(consolidate([error, error, vote('UP')], 'majority', 3)?.origin).toBe('ERROR');
    expect(consolidate([error, vote('DOWN'), vote('UP')], 'majority', 3)?.origin).toBe('REALTIME');
  });

  it('does not depend on the order of the votes', () => {
    fc.assert(
      fc.property(
        fc.array(anyVote, { maxLength: 7 }),
        anyQuorum,
        fc.integer({ min: 1, max: 7 }),
        (given, quorum, runsIn) => {
          expect(consolidate(given.toReversed(), quorum, runsIn)).toEqual(consolidate(given, quorum, runsIn));
        },
      ),
    );
  });

  it('never lets an UNKNOWN vote change the point', () => {
    fc.assert(
      fc.property(
        fc.array(anyVote, { maxLength: 7 }),
        anyQuorum,
        fc.integer({ min: 1, max: 7 }),
        (given, quorum, runsIn) => {
          expect(consolidate([...given, vote('UNKNOWN')], quorum, runsIn)).toEqual(consolidate(given, quorum, runsIn));
        },
      ),
    );
  });

  it('makes DOWN only with enough DOWN votes, and never without one', () => {
    fc.assert(
      fc.property(
        fc.array(anyVote, { maxLength: 7 }),
        anyQuorum,
        fc.integer({ min: 1, max: 7 }),
        (given, quorum, runsIn) => {
          const known = given.filter(({ status }) => status !== 'UNKNOWN').length;
          const down = given.filter(({ status }) => status === 'DOWN').length;
          const point = consolidate(given, quorum, runsIn);
          const expected = down > 0 && down >= downVotesNeeded(quorum, known, runsIn);
          expect(point?.status === 'DOWN').toBe(expected);
        },
      ),
    );
  });

  it('keeps the latency between the smallest and the largest vote', () => {
    fc.assert(
      fc.property(fc.array(anyVote, { minLength: 1, maxLength: 7 }), anyQuorum, (given, quorum) => {
        const point = consolidate(given, quorum, given.length);
        if (!point) return;
        const latencies = given.filter(({ status }) => status !== 'UNKNOWN').map(({ latencyUs }) => latencyUs);
        expect(point.latencyUs).toBeGreaterThanOrEqual(Math.min(...latencies));
        expect(point.latencyUs).toBeLessThanOrEqual(Math.max(...latencies));
        expect(Number.isSafeInteger(point.latencyUs)).toBe(true);
      }),
    );
  });
});
