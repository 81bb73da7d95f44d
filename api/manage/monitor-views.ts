import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import {
  MAX_VERSIONS,
  monitorSeries,
  monitorWithCurrent,
  monitorWithVersions,
  type MonitorSeries,
} from '../../core/dashboard-monitor.ts';
import { countMinutes, MINUTE_SECONDS, minuteRange, type MinuteRange } from '../../core/minute.ts';
import { monitorTag } from '../../core/monitor-reference.ts';
import { monitorTags } from '../../core/page.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import { PUBLIC_STATUSES, type PublicStatus } from '../../core/overall-status.ts';
import { timestamp } from '../../core/timestamp.ts';
import { inSnapshot, type Queryable } from '../../db/client.ts';
import { reportCurrent, type CurrentReport } from '../../db/current-status.ts';
import { listVersions } from '../../db/monitor-versions.ts';
import {
  listMonitorNames,
  listMonitors,
  pageMonitors,
  toMonitor,
  type MonitorFilter,
  type MonitorRow,
} from '../../db/monitors.ts';
import type { Paging } from '../../db/paging.ts';
import { readPointSeries, readRegionSeries, type SeriesStep } from '../../db/point-series.ts';
import { storableRange } from '../../db/uptime.ts';
import { monitorSummary, summariseMonitor } from '../services/summarise-monitor.ts';
import { action } from './action.ts';
import { shownReport } from './current-report.ts';
import { filterOf, textFilter } from './filter.ts';
import { paging } from './paging.ts';
import { taggedMonitor } from './tagged-monitor.ts';

/** What the dashboard shows of monitors, beyond the reference. */

/** A chart has at most so many steps. */
const MAX_STEPS = 1500;
const MAX_CHART_DAYS = 400;
/** Minutes that people read a clock by. */
const STEP_MINUTES = [1, 5, 10, 15, 30, 60, 120, 360, 720];

const range = z
  .object({ tag: monitorTag, start_ts: moment('start_ts'), end_ts: moment('end_ts') })
  .refine(({ start_ts, end_ts }) => start_ts < end_ts, {
    path: ['start_ts'],
    message: 'start_ts must be less than end_ts',
  });

export const monitorViewActions = [
  action({
    name: 'getMonitorsPaginated',
    permission: 'monitors.read',
    summary: 'Search monitors, newest first, each with its status now',
    data: z.object({
      ...paging(50, 200),
      search: textFilter,
      current: filterOf(PUBLIC_STATUSES).meta({ description: 'How a monitor that is active is now' }),
      status: textFilter,
      category_name: textFilter,
      monitor_type: textFilter,
      is_hidden: textFilter,
    }),
    result: z.object({ monitors: z.array(monitorWithCurrent), total: z.int() }),
    run: async ({ page, limit, current, ...filter }, { pool }) =>
      inSnapshot(pool, async (client) => {
        if (current !== undefined) return pageCurrent(client, current, filter, { page, limit });
        const { monitors, total } = await pageMonitors(client, filter, { page, limit });
        return { monitors: withReports(monitors, await reportCurrent(client, monitors)), total };
      }),
  }),
  action({
    name: 'getMonitorNames',
    permission: 'monitors.read',
    summary: 'The names of monitors by their tags, or of those that a text is part of',
    data: z.object({ tags: monitorTags('tags').optional(), search: textFilter, limit: paging(20, 200).limit }),
    result: z.array(z.object({ tag: z.string(), name: z.string() })),
    run: ({ tags, search, limit }, { db }) => listMonitorNames(db, { tags, search, limit: tags?.length ?? limit }),
  }),
  action({
    name: 'getMonitor',
    permission: 'monitors.read',
    summary: 'Get a monitor with its status now, and its versions, newest first',
    data: z.object({ tag: monitorTag }),
    result: monitorWithVersions,
    run: async ({ tag }, { pool }) =>
      inSnapshot(pool, async (client) => {
        const row = await taggedMonitor(tag, { db: client });
        const [monitor] = withReports([row], await reportCurrent(client, [row]));
        if (!monitor) throw new Error('a monitor was not reported');
        return { ...monitor, versions: await listVersions(client, row.id, MAX_VERSIONS) };
      }),
  }),
  action({
    name: 'getMonitorSummary',
    permission: 'monitors.read',
    summary: 'Count the minutes of a range, incidents and maintenances laid over them, and compute the uptime',
    data: range,
    result: monitorSummary,
    run: async ({ tag, start_ts: start, end_ts: end }, context) =>
      summariseMonitor(context.history, await taggedMonitor(tag, context), { start, end }),
  }),
  action({
    name: 'getMonitorData',
    permission: 'monitors.read',
    summary: 'What was measured in a range, altogether and by region, in steps that a chart can show',
    data: range,
    result: monitorSeries,
    run: async ({ tag, start_ts, end_ts }, context) => {
      const { id } = await taggedMonitor(tag, context);
      const range = storableRange(minuteRange(start_ts, end_ts));
      const step_seconds = stepOf(range);
      const points = await readPointSeries(context.history, id, range, step_seconds);
      const regions = await readRegionSeries(context.history, id, range, step_seconds);
      return {
        step_seconds,
        points: points.map(shownStep),
        regions: regions.map(({ region, steps }) => ({ region, points: steps.map(shownStep) })),
      };
    },
  }),
];

/** How a monitor is no column says: it is asked of all that match before a part of them is taken. */
async function pageCurrent(
  client: Queryable,
  current: PublicStatus,
  filter: MonitorFilter,
  { page, limit }: Paging,
): Promise<{ monitors: z.output<typeof monitorWithCurrent>[]; total: number }> {
  const active = (await listMonitors(client, filter)).filter(({ status }) => status === 'ACTIVE');
  const reports = await reportCurrent(client, active);
  const found = active.filter(({ id }) => reports.get(id)?.status === current);
  return { monitors: withReports(found.slice((page - 1) * limit, page * limit), reports), total: found.length };
}

function withReports(
  rows: readonly MonitorRow[],
  reports: ReadonlyMap<number, CurrentReport>,
): z.output<typeof monitorWithCurrent>[] {
  return rows.flatMap((row) => {
    const report = reports.get(row.id);
    return report ? [{ ...toMonitor(row), current: shownReport(report) }] : [];
  });
}

function shownStep({ at, latencyUs, ...counts }: SeriesStep): MonitorSeries['points'][number] {
  return { timestamp: at, ...counts, latency: latencyUs === null ? null : millisecondsOf(latencyUs) };
}

function moment(name: string) {
  return timestamp(`${name} must be a valid timestamp (UTC seconds)`, `${name} is required`);
}

/** Seconds. */
function stepOf(range: MinuteRange): number {
  const minutes = countMinutes(range);
  const step = STEP_MINUTES.find((each) => minutes / each <= MAX_STEPS);
  if (step === undefined || minutes > MAX_CHART_DAYS * 1440)
    throw new AppError('BAD_REQUEST', `The range must cover at most ${MAX_CHART_DAYS} days`);
  return step * MINUTE_SECONDS;
}
