import type { Minute, MinuteRange } from '../core/minute.ts';
import type { PublicStatus } from '../core/overall-status.ts';
import type { PointStatus } from '../core/outcome.ts';
import { overlaySlices, type OverlayWindow } from '../core/overlay.ts';
import { reportedStatuses } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import type { CountedMonitor } from './counting.ts';
import { pointStatus } from './points.ts';
import { samplesBefore, samplesFrom } from './samples.ts';

export interface ReportedMinute {
  minute: Minute;
  status: PublicStatus;
}

/**
 * Each minute of a range that has a point, with the status that is reported of it: what lies over it, else what is
 * confirmed. For ranges of days, not of months. `windows` are those that touch the range.
 */
export async function readReportedMinutes(
  client: Queryable,
  { id, confirmation_threshold: threshold }: CountedMonitor,
  range: MinuteRange,
  windows: readonly OverlayWindow[],
): Promise<ReportedMinute[]> {
  const { rows } = await client.query<{ minute: number; status: number }>(
    `select extract(epoch from minute)::float8 as minute, status from data_points
     where monitor_id = $1 and minute >= to_timestamp($2) and minute < to_timestamp($3) order by minute`,
    [id, range.from, range.to],
  );
  const slices = overlaySlices(range, windows);
  const points = rows.map(({ minute, status }) => {
    const overlay = slices.find(({ from, to }) => from <= minute && minute < to)?.overlay ?? null;
    return { minute, overlay, measured: pointStatus(status) };
  });
  const samples = points.filter(({ overlay }) => overlay === null).map(({ measured }) => measured);
  const reported = (await confirmed(client, { id, threshold, range }, samples)).values();
  return points.map(({ minute, overlay, measured }) => ({
    minute,
    status: overlay ?? reported.next().value ?? measured,
  }));
}

interface Confirming {
  id: number;
  threshold: number;
  range: MinuteRange;
}

async function confirmed(
  client: Queryable,
  { id, threshold, range }: Confirming,
  samples: readonly PointStatus[],
): Promise<PointStatus[]> {
  if (threshold === 1) return [...samples];
  const before = (await samplesBefore(client, [{ monitorId: id, threshold, minute: range.from }])).get(id) ?? [];
  const after = (await samplesFrom(client, [{ monitorId: id, threshold, minute: range.to }])).get(id) ?? [];
  const runs = [...before, ...samples.map((status) => ({ status, count: 1 })), ...after];
  return reportedStatuses(runs, threshold).slice(before.length, before.length + samples.length);
}
