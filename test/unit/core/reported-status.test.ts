import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PointStatus } from '../../../core/outcome.ts';
import { isConfirmed, reportedStatuses, runsOf } from '../../../core/reported-status.ts';

const STATUS = { U: 'UP', D: 'DOWN', G: 'DEGRADED' } as const;
const statuses = (letters: string): PointStatus[] =>
  // The tables below hold these letters only.
  Array.from(letters, (letter) => STATUS[letter as keyof typeof STATUS]);

/** What is reported of each sample. */
function reported(samples: readonly PointStatus[], threshold: number): PointStatus[] {
  const runs = runsOf(samples);
  const said = reportedStatuses(runs, threshold);
  return runs.flatMap(({ count }, at) => Array.from({ length: count }, () => said[at] ?? 'UP'));
}

it.each([
  [1, 'UDUGDU', 'UDUGDU'],
  [3, 'UUUDU', 'UUUUU'],
  [3, 'UUUDDU', 'UUUUUU'],
  [3, 'UUUDDDU', 'UUUDDDD'],
  [3, 'UUUDDDUU', 'UUUDDDDD'],
  [3, 'UUUDDDUUU', 'UUUDDDUUU'],
  [3, 'UUUDGD', 'UUUDGD'],
  [3, 'UUUDGDUUD', 'UUUDGDDDD'],
  [3, 'UUUDDGUUDU', 'UUUDDGGGDD'],
  [2, 'UDUDUD', 'UUUUUU'],
  [2, 'DUDUDU', 'DDDDDD'],
  [2, 'GUGDU', 'GGGDD'],
  [60, 'U', 'U'],
  [60, 'D', 'D'],
  [2, '', ''],
])('with a threshold of %i the samples %s are reported as %s', (threshold, samples, expected) => {
  expect(reported(statuses(samples), threshold)).toEqual(statuses(expected));
});

it('is what a reader sample by sample would report who may look ahead', () => {
  const samples = fc.array(fc.constantFrom<PointStatus>('UP', 'UP', 'DOWN', 'DEGRADED'), { maxLength: 40 });
  fc.assert(
    fc.property(samples, fc.integer({ min: 1, max: 6 }), (drawn, threshold) => {
      expect(reported(drawn, threshold)).toEqual(naive(drawn, threshold));
    }),
    { numRuns: 2000 },
  );
});

it('what comes before a confirmed side changes nothing after it', () => {
  const samples = fc.array(fc.constantFrom<PointStatus>('UP', 'UP', 'DOWN', 'DEGRADED'), { maxLength: 20 });
  fc.assert(
    fc.property(samples, samples, samples, fc.integer({ min: 1, max: 4 }), (early, decides, late, threshold) => {
      fc.pre(isConfirmed(runsOf(decides), threshold));
      const all = reported([...early, ...decides, ...late], threshold);
      const known = reported([...decides, ...late], threshold);
      expect(all.slice(early.length + decides.length)).toEqual(known.slice(decides.length));
    }),
  );
});

function naive(samples: readonly PointStatus[], threshold: number): PointStatus[] {
  const up = (status: PointStatus | undefined): boolean => status === 'UP';
  const said: PointStatus[] = [];
  for (const [at, status] of samples.entries()) {
    const standing = said.at(-1) ?? status;
    let [first, last] = [at, at];
    while (first > 0 && up(samples[first - 1]) === up(status)) first -= 1;
    while (last + 1 < samples.length && up(samples[last + 1]) === up(status)) last += 1;
    said.push(up(standing) === up(status) || last - first + 1 >= threshold ? status : standing);
  }
  return said;
}
