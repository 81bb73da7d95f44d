import type { PointStatus } from './outcome.ts';

/**
 * What is reported of what was measured (reference §6 and §12, `confirmation_threshold`): a change between UP and the
 * other statuses counts once so many samples in a row are on the new side, and then from the first of them. Until then,
 * and where it never comes so far, the status from before stands. Minutes without a point, or with one that something
 * lies over, are no samples.
 */

/** Neighbouring samples of one status. */
export interface SampleRun {
  status: PointStatus;
  count: number;
}

/**
 * The reported status of each run. A monitor's first samples are reported as they are: nothing stands from before. So
 * they are where `runs` begin with history, or with what `isConfirmed`.
 */
export function reportedStatuses(runs: readonly SampleRun[], threshold: number): PointStatus[] {
  let standing: PointStatus | undefined;
  return sidesOf(runs).flatMap((side) => {
    const counts = standing === undefined || isUp(standing) === isUp(side[0]?.status) || samplesIn(side) >= threshold;
    const before = standing;
    if (counts) standing = side.at(-1)?.status;
    return side.map(({ status }) => (counts ? status : (before ?? status)));
  });
}

/** Whether some samples in a row are enough to count whatever came before: nothing earlier matters after them. */
export function isConfirmed(runs: readonly SampleRun[], threshold: number): boolean {
  return sidesOf(runs).some((side) => samplesIn(side) >= threshold);
}

/** Samples as runs, in their order. */
export function runsOf(samples: Iterable<PointStatus>): SampleRun[] {
  const runs: SampleRun[] = [];
  for (const status of samples) {
    const last = runs.at(-1);
    if (last?.status === status) last.count += 1;
    else runs.push({ status, count: 1 });
  }
  return runs;
}

/** Neighbouring runs that are all UP, or all not. */
function sidesOf(runs: readonly SampleRun[]): SampleRun[][] {
  const sides: SampleRun[][] = [];
  for (const run of runs) {
    const last = sides.at(-1);
    if (last && isUp(last[0]?.status) === isUp(run.status)) last.push(run);
    else sides.push([run]);
  }
  return sides;
}

function samplesIn(runs: readonly SampleRun[]): number {
  return runs.reduce((sum, { count }) => sum + count, 0);
}

function isUp(status: PointStatus | undefined): boolean {
  return status === 'UP';
}
