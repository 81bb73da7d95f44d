import type { MinuteRange } from '../core/minute.ts';
import type { PointStatus } from '../core/outcome.ts';
import type { OverlaySlice } from '../core/overlay.ts';
import { reportedStatuses, type SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import type { MonitorRow } from './monitors.ts';
import { pointStatus } from './points.ts';
import { samplesBefore, samplesFrom } from './samples.ts';

export type MonitorSlice = OverlaySlice & { monitorId: number };

/** So many minutes were measured as one status and are reported as another. */
export interface Change {
  measured: PointStatus;
  reported: PointStatus;
  count: number;
}

/**
 * The minutes of a range whose status is not the one that is reported, by monitor id: changes that were not confirmed
 * (core/reported-status.ts). `slices` cut the range of each monitor by what lies over it. Monitors that confirm with one
 * sample need none of this, and only they are told by roll-ups: of the others every point of the range is looked at.
 */
export async function unconfirmedChanges(
  client: Queryable,
  monitors: readonly Pick<MonitorRow, 'id' | 'confirmation_threshold'>[],
  slices: readonly MonitorSlice[],
  range: MinuteRange,
): Promise<Map<number, Change[]>> {
  const confirming = monitors.filter(({ confirmation_threshold }) => confirmation_threshold > 1);
  if (confirming.length === 0 || slices.length === 0) return new Map();
  const at = (minute: number) =>
    confirming.map(({ id, confirmation_threshold: threshold }) => ({ monitorId: id, threshold, minute }));
  const ids = new Set(confirming.map(({ id }) => id));
  const uncovered = slices.filter(({ monitorId, overlay }) => overlay === null && ids.has(monitorId));
  const inside = await runsInside(client, uncovered, range);
  const before = await samplesBefore(client, at(range.from));
  const after = await samplesFrom(client, at(range.to));
  return new Map(
    confirming.map(({ id, confirmation_threshold }) => {
      const runs = [before, inside, after].map((part) => part.get(id) ?? []);
      return [id, changesOf(runs, confirmation_threshold)];
    }),
  );
}

function changesOf([before = [], inside = [], after = []]: SampleRun[][], threshold: number): Change[] {
  const reported = reportedStatuses([...before, ...inside, ...after], threshold).slice(before.length);
  return inside.flatMap(({ status, count }, at) => {
    const said = reported[at] ?? status;
    return said === status ? [] : [{ measured: status, reported: said, count }];
  });
}

/** Where the status of a monitor's points changes, with the point's number and the number of all. */
const RUNS = `
select monitor_id, status, number, total from (
  select s.monitor_id, p.status, lag(p.status) over ascending as before, row_number() over ascending as number,
    count(*) over (partition by s.monitor_id) as total
  from unnest($1::int[], $2::int8[], $3::int8[]) as s (monitor_id, low, high)
  join data_points p on p.monitor_id = s.monitor_id
    and p.minute >= to_timestamp(s.low) and p.minute < to_timestamp(s.high)
    and p.minute >= to_timestamp($4) and p.minute < to_timestamp($5)
  window ascending as (partition by s.monitor_id order by p.minute)
) points
where status is distinct from before
order by monitor_id, number`;

interface RunRow {
  monitor_id: number;
  status: number;
  number: number;
  total: number;
}

async function runsInside(
  client: Queryable,
  slices: readonly MonitorSlice[],
  range: MinuteRange,
): Promise<Map<number, SampleRun[]>> {
  const { rows } = await client.query<RunRow>(RUNS, [
    slices.map(({ monitorId }) => monitorId),
    slices.map(({ from }) => from),
    slices.map(({ to }) => to),
    range.from,
    range.to,
  ]);
  const runs = new Map<number, SampleRun[]>();
  for (const [at, { monitor_id, status, number, total }] of rows.entries()) {
    const next = rows[at + 1];
    const end = next?.monitor_id === monitor_id ? next.number : total + 1;
    const run = { status: pointStatus(status), count: end - number };
    const known = runs.get(monitor_id);
    if (known) known.push(run);
    else runs.set(monitor_id, [run]);
  }
  return runs;
}
