import type { PointStatus } from '../core/outcome.ts';
import { reportedStatuses, type SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import { readThrough } from './count-book.ts';
import type { CountedMonitor, Counting, PeriodSlice } from './counting.ts';
import { samplesBefore, samplesFrom } from './samples.ts';
import { readSliceRuns } from './slice-runs.ts';

/** So many minutes of a monitor and period were measured as one status and are reported as another. */
export interface Change {
  monitorId: number;
  period: number;
  measured: PointStatus;
  reported: PointStatus;
  count: number;
}

/**
 * The minutes of the slices whose status is not the one that is reported: changes that were not confirmed
 * (core/reported-status.ts). The slices of a monitor are ascending and without gaps. Monitors that confirm with one
 * sample need none of this.
 */
export async function readChanges(
  client: Queryable,
  monitors: readonly CountedMonitor[],
  slices: readonly PeriodSlice[],
  { book, state }: Omit<Counting, 'windows'>,
): Promise<Change[]> {
  const thresholds = new Map(
    monitors.filter((one) => one.confirmation_threshold > 1).map((one) => [one.id, one.confirmation_threshold]),
  );
  const confirming = slices.filter(({ monitorId }) => thresholds.has(monitorId));
  const [from, to] = [confirming[0]?.from, confirming.at(-1)?.to];
  if (from === undefined || to === undefined) return [];
  const uncovered = confirming.filter(({ overlay }) => overlay === null);
  const runs = await readThrough(book, book?.runs, uncovered, (missing) => readSliceRuns(client, missing, state));
  const at = (minute: number) => [...thresholds].map(([monitorId, threshold]) => ({ monitorId, threshold, minute }));
  const before = await samplesBefore(client, at(from));
  const after = await samplesFrom(client, at(to));
  const inside = new Map([...thresholds.keys()].map((id): [number, PlacedRun[]] => [id, []]));
  for (const [index, { monitorId, period }] of uncovered.entries())
    for (const run of runs[index] ?? []) inside.get(monitorId)?.push({ ...run, monitorId, period });
  return [...thresholds].flatMap(([id, threshold]) =>
    changesOf([before.get(id) ?? [], after.get(id) ?? []], inside.get(id) ?? [], threshold),
  );
}

type PlacedRun = SampleRun & Pick<Change, 'monitorId' | 'period'>;

function changesOf([before, after]: [SampleRun[], SampleRun[]], inside: PlacedRun[], threshold: number): Change[] {
  const reported = reportedStatuses([...before, ...inside, ...after], threshold).slice(before.length);
  return inside.flatMap(({ status, ...run }, at) => {
    const said = reported[at] ?? status;
    return said === status ? [] : [{ ...run, measured: status, reported: said }];
  });
}
