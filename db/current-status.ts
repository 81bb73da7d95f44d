import type pg from 'pg';
import { lastButOneDue } from '../core/cron.ts';
import { floorMinute, MINUTE_SECONDS, type Minute } from '../core/minute.ts';
import type { PointStatus } from '../core/outcome.ts';
import type { PublicStatus } from '../core/overall-status.ts';
import { overlayAt, type Overlay } from '../core/overlay.ts';
import { reportedStatuses } from '../core/reported-status.ts';
import { inTransaction, type Queryable } from './client.ts';
import type { MonitorRow } from './monitors.ts';
import { readOverlayWindows } from './overlay-windows.ts';
import { pointStatus } from './points.ts';
import { samplesBefore } from './samples.ts';
import { findVisibleMonitors } from './visible-monitors.ts';

/** How a monitor is now. */
export interface CurrentReport {
  status: PublicStatus;
  /** Of the newest point; null where the status is not measured. */
  latencyUs: number | null;
  /** The newest point, however old; null where there never was one. */
  minute: Minute | null;
}

/** How a publicly visible monitor is now. */
export interface CurrentStatus extends CurrentReport {
  tag: string;
  name: string;
}

/** A point is stored at the latest so many seconds after the start of its minute. */
const SETTLING_SECONDS = 120;

/**
 * The current status of the visible, active monitors, or of those of them with one of the tags; newest monitors first,
 * in one snapshot. It is what is reported of the newest point (reference §12): what lies over it, else what is confirmed,
 * where that point lies within the last two due minutes, else NO_DATA; `default_status` where there never was a point.
 * The number of statements does not grow with the number of monitors.
 */
export async function readCurrentStatuses(
  pool: pg.Pool,
  tags: readonly string[] | undefined,
): Promise<CurrentStatus[]> {
  return inTransaction(pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    const monitors = await findVisibleMonitors(client, tags);
    const current = await reportCurrent(client, monitors);
    return monitors
      .flatMap((monitor) => {
        const report = current.get(monitor.id);
        return report ? [{ tag: monitor.tag, name: monitor.name, ...report }] : [];
      })
      .reverse();
  });
}

/** What is reported of each of the monitors now, by id, as `readCurrentStatuses` has it; the client's transaction is one snapshot. */
export async function reportCurrent(
  client: Queryable,
  monitors: readonly ReportedMonitor[],
): Promise<Map<number, CurrentReport>> {
  const { rows } = await client.query<NewestPoint>(NEWEST, [monitors.map(({ id }) => id)]);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const newest = monitors.flatMap((monitor) => {
    const point = byId.get(monitor.id);
    return point ? [{ ...monitor, ...point }] : [];
  });
  const reported = await reportedOf(client, livePoints(newest));
  return new Map(
    newest.map(({ id, minute, latency_us, default_status }): [number, CurrentReport] => {
      const status = reported.get(id);
      if (status) return [id, { minute, latencyUs: latency_us, status }];
      const absent = minute === null ? (default_status ?? 'NO_DATA') : 'NO_DATA';
      return [id, { minute, latencyUs: null, status: absent }];
    }),
  );
}

/** What decides of a monitor what is reported of it. */
export type ReportedMonitor = Pick<MonitorRow, 'id' | 'cron' | 'default_status' | 'confirmation_threshold'>;

interface NewestPoint {
  id: number;
  /** The database's clock, unix seconds. */
  now: number;
  /** Null, as what follows, where there never was a point. */
  minute: Minute | null;
  status_code: number | null;
  latency_us: number | null;
}

/** A point written for a minute that has not begun is not what is now. */
const NEWEST = `
select id, extract(epoch from now)::float8 as now,
  extract(epoch from minute)::int8 as minute, newest.status as status_code, latency_us
from (select service_now() as now) clock
cross join unnest($1::int[]) as asked (id)
left join lateral (
  select minute, status, latency_us from data_points
  where monitor_id = asked.id and minute <= now order by minute desc limit 1
) newest on true`;

interface LivePoint {
  id: number;
  minute: Minute;
  measured: PointStatus;
  threshold: number;
}

/** The newest points that still say how their monitors are. */
function livePoints(rows: readonly (NewestPoint & ReportedMonitor)[]): LivePoint[] {
  const oldest = new Map<string | null, Minute>();
  return rows.flatMap(({ id, minute, status_code, cron, now, confirmation_threshold: threshold }) => {
    if (minute === null || status_code === null) return [];
    const due = oldest.get(cron) ?? lastButOneDue(cron, floorMinute(now - SETTLING_SECONDS)) ?? Infinity;
    oldest.set(cron, due);
    return minute >= due ? [{ id, minute, measured: pointStatus(status_code), threshold }] : [];
  });
}

/** What is reported of each of the points, by monitor id. */
async function reportedOf(client: Queryable, live: readonly LivePoint[]): Promise<Map<number, PublicStatus>> {
  const overlays = await overlaysOf(client, live);
  const confirming = live.filter(({ id, threshold }) => threshold > 1 && !overlays.has(id));
  const asked = confirming.map(({ id, threshold, minute }) => ({
    monitorId: id,
    threshold,
    minute: minute + MINUTE_SECONDS,
  }));
  const runs = await samplesBefore(client, asked);
  return new Map(
    live.map(({ id, measured, threshold }) => {
      const confirmed = reportedStatuses(runs.get(id) ?? [], threshold).at(-1);
      return [id, overlays.get(id) ?? confirmed ?? measured];
    }),
  );
}

/** What lies over each of the points, by monitor id; those with nothing over them are absent. */
async function overlaysOf(client: Queryable, live: readonly LivePoint[]): Promise<Map<number, Overlay>> {
  if (live.length === 0) return new Map();
  const from = live.reduce((least, { minute }) => Math.min(least, minute), Infinity);
  const last = live.reduce((most, { minute }) => Math.max(most, minute), 0);
  const range = { from, to: last + MINUTE_SECONDS };
  const windows = await readOverlayWindows(
    client,
    live.map(({ id }) => id),
    range,
  );
  return new Map(
    live.flatMap(({ id, minute }): [number, Overlay][] => {
      const overlay = overlayAt(minute, windows.get(id) ?? []);
      return overlay ? [[id, overlay]] : [];
    }),
  );
}
