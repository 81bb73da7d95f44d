import type { Minute, MinuteRange } from '../core/minute.ts';
import type { PublicStatus } from '../core/overall-status.ts';
import type { PointStatus } from '../core/outcome.ts';
import { overlaySlices, type Overlay, type OverlaySlice, type OverlayWindow } from '../core/overlay.ts';
import { reportedStatuses, type SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import type { CountedMonitor } from './counting.ts';
import { pointStatus } from './points.ts';
import { samplesBefore, samplesFrom } from './samples.ts';

export interface ReportedMinute {
  minute: Minute;
  status: PublicStatus;
}

/** Whose minutes are asked for, and which. */
export interface MinutesAsked {
  monitor: CountedMonitor;
  range: MinuteRange;
}

/**
 * Each minute of a monitor's range that has a point, with the status that is reported of it: what lies over it, else what
 * is confirmed; by monitor id, each monitor asked for once. For ranges of days, not of months. `windows` are those that
 * touch the ranges. The number of statements does not grow with the number of monitors.
 */
export async function readReportedMinutes(
  client: Queryable,
  asked: readonly MinutesAsked[],
  windows: ReadonlyMap<number, readonly OverlayWindow[]>,
): Promise<Map<number, ReportedMinute[]>> {
  if (asked.length === 0) return new Map();
  const { rows } = await client.query<PointsRow>(POINTS, [
    asked.map(({ monitor }) => monitor.id),
    asked.map(({ range }) => range.from),
    asked.map(({ range }) => range.to),
    asked.reduce((least, { range }) => Math.min(least, range.from), Infinity),
    asked.reduce((most, { range }) => Math.max(most, range.to), -Infinity),
  ]);
  const found = new Map(rows.map((row) => [row.id, row]));
  const around = await samplesAround(client, asked);
  return new Map(
    asked.map(({ monitor, range }) => {
      const points = pointsOf(found.get(monitor.id), overlaySlices(range, windows.get(monitor.id) ?? []));
      return [monitor.id, reported(points, monitor, around)];
    }),
  );
}

interface PointsRow {
  id: number;
  minutes: Minute[];
  statuses: number[];
}

/** $4 and $5 bound all ranges, so that few partitions are planned. */
const POINTS = `
select id, minutes, statuses from unnest($1::int[], $2::int8[], $3::int8[]) as asked (id, since, until)
cross join lateral (
  select array_agg(extract(epoch from minute)::float8 order by minute) as minutes,
    array_agg(status order by minute) as statuses
  from data_points p
  where p.monitor_id = id and minute >= to_timestamp(since) and minute < to_timestamp(until)
    and minute >= to_timestamp($4) and minute < to_timestamp($5)) own
where minutes is not null`;

interface Point {
  minute: Minute;
  measured: PointStatus;
  overlay: Overlay | null;
}

function pointsOf(row: PointsRow | undefined, slices: readonly OverlaySlice[]): Point[] {
  if (!row) return [];
  const left = slices.values();
  let slice = left.next().value;
  return row.minutes.map((minute, at) => {
    while (slice && slice.to <= minute) slice = left.next().value;
    return { minute, measured: pointStatus(row.statuses[at] ?? NaN), overlay: slice?.overlay ?? null };
  });
}

interface Samples {
  before: ReadonlyMap<number, SampleRun[]>;
  after: ReadonlyMap<number, SampleRun[]>;
}

/** What beside the ranges decides what is confirmed in them. */
async function samplesAround(client: Queryable, asked: readonly MinutesAsked[]): Promise<Samples> {
  const confirming = asked
    .filter(({ monitor }) => monitor.confirmation_threshold > 1)
    .map(({ monitor, range }) => ({ monitorId: monitor.id, threshold: monitor.confirmation_threshold, ...range }));
  return {
    before: await samplesBefore(
      client,
      confirming.map(({ from, ...one }) => ({ ...one, minute: from })),
    ),
    after: await samplesFrom(
      client,
      confirming.map(({ to, ...one }) => ({ ...one, minute: to })),
    ),
  };
}

function reported(
  points: readonly Point[],
  { id, confirmation_threshold: threshold }: CountedMonitor,
  around: Samples,
): ReportedMinute[] {
  const [before, after] = [around.before.get(id) ?? [], around.after.get(id) ?? []];
  const samples = points
    .filter(({ overlay }) => overlay === null)
    .map(({ measured }) => ({ status: measured, count: 1 }));
  const statuses = reportedStatuses([...before, ...samples, ...after], threshold)
    .slice(before.length, before.length + samples.length)
    .values();
  return points.map(({ minute, measured, overlay }) => ({
    minute,
    status: overlay ?? statuses.next().value ?? measured,
  }));
}
