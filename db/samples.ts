import type { Minute } from '../core/minute.ts';
import type { PointStatus } from '../core/outcome.ts';
import { overlaySlices, type OverlayWindow } from '../core/overlay.ts';
import { isConfirmed, runsOf, type SampleRun } from '../core/reported-status.ts';
import type { Queryable } from './client.ts';
import { readOverlayWindows } from './overlay-windows.ts';
import { pointStatus } from './points.ts';

/** Whose samples are asked for, and where they begin or end. */
export interface SamplesAsked {
  monitorId: number;
  /** The monitor's confirmation_threshold. */
  threshold: number;
  minute: Minute;
}

/** So many thresholds' worth of samples are read first; most monitors change seldom. */
const FIRST_REACH = 2;
const REACH_GROWTH = 8;

/**
 * The samples before `minute`, as many as decide what stands there, by monitor id and ascending: from a change that
 * counts whatever came before it, or from the beginning. One statement for all monitors; a further one for those that
 * changed too often.
 */
export function samplesBefore(db: Queryable, asked: readonly SamplesAsked[]): Promise<Map<number, SampleRun[]>> {
  return readSamples(db, asked, BEFORE);
}

/** The samples from `minute` on, as many as decide whether what stood before it still changed. As `samplesBefore`. */
export function samplesFrom(db: Queryable, asked: readonly SamplesAsked[]): Promise<Map<number, SampleRun[]>> {
  return readSamples(db, asked, FROM);
}

const BEFORE = pointsSql('p.minute < to_timestamp(asked.minute)', 'desc');
const FROM = pointsSql('p.minute >= to_timestamp(asked.minute)', 'asc');

function pointsSql(side: string, order: 'asc' | 'desc'): string {
  return `
  select asked.monitor_id, array_agg(extract(epoch from p.minute)::float8 order by p.minute) as minutes,
    array_agg(status order by p.minute) as statuses
  from unnest($1::int[], $2::int8[], $3::int[]) as asked (monitor_id, minute, most)
  cross join lateral (
    select minute, status from data_points p
    where p.monitor_id = asked.monitor_id and ${side} order by p.minute ${order} limit asked.most) p
  group by asked.monitor_id`;
}

interface PointsRow {
  monitor_id: number;
  minutes: number[];
  statuses: number[];
}

async function readSamples(
  db: Queryable,
  asked: readonly SamplesAsked[],
  sql: string,
): Promise<Map<number, SampleRun[]>> {
  const found = new Map<number, SampleRun[]>();
  let open = [...asked];
  for (let reach = FIRST_REACH; open.length > 0; reach *= REACH_GROWTH) {
    const most = open.map(({ threshold }) => threshold * reach);
    const ids = open.map(({ monitorId }) => monitorId);
    const { rows } = await db.query<PointsRow>(sql, [ids, open.map(({ minute }) => minute), most]);
    const byId = new Map(rows.map((row) => [row.monitor_id, row]));
    const windows = await windowsOver(db, rows);
    open = open.filter(({ monitorId, threshold }, at) => {
      const row = byId.get(monitorId);
      const runs = row ? runsOf(samplesOf(row, windows.get(monitorId) ?? [])) : [];
      found.set(monitorId, runs);
      return row?.minutes.length === most[at] && !isConfirmed(runs, threshold);
    });
  }
  return found;
}

async function windowsOver(db: Queryable, rows: readonly PointsRow[]): Promise<Map<number, OverlayWindow[]>> {
  if (rows.length === 0) return new Map();
  const from = rows.reduce((least, { minutes }) => Math.min(least, minutes[0] ?? least), Infinity);
  const last = rows.reduce((most, { minutes }) => Math.max(most, minutes.at(-1) ?? most), -Infinity);
  const ids = rows.map(({ monitor_id }) => monitor_id);
  return readOverlayWindows(db, ids, { from, to: last + 1 });
}

/** The statuses of the points that nothing lies over. */
function* samplesOf({ minutes, statuses }: PointsRow, windows: readonly OverlayWindow[]): Generator<PointStatus> {
  const slices = overlaySlices({ from: minutes[0] ?? 0, to: (minutes.at(-1) ?? 0) + 1 }, windows).values();
  let slice = slices.next().value;
  for (const [at, minute] of minutes.entries()) {
    while (slice && slice.to <= minute) slice = slices.next().value;
    if (slice?.overlay === null) yield pointStatus(statuses[at] ?? NaN);
  }
}
