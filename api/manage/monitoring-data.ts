import { z } from 'zod';
import { floorMinute, MINUTE_SECONDS, type MinuteRange } from '../../core/minute.ts';
import { monitorTag } from '../../core/monitor-reference.ts';
import { POINT_STATUSES } from '../../core/outcome.ts';
import { timestamp } from '../../core/timestamp.ts';
import { deletePoints } from '../../db/point-deletion.ts';
import { listPoints } from '../../db/point-list.ts';
import { storableRange } from '../../db/uptime.ts';
import { overwriteBetween } from '../services/overwrite-points.ts';
import { dataPoint, latency, toDataPoint } from '../v4/point-schemas.ts';
import { ACKNOWLEDGED, acknowledged } from './acknowledged.ts';
import { action } from './action.ts';
import { filterOf } from './filter.ts';
import { paging } from './paging.ts';
import { taggedMonitor } from './tagged-monitor.ts';

const start = moment('start');
const end = moment('end');

export const monitoringDataActions = [
  action({
    name: 'getMonitoringDataPaginated',
    permission: 'monitors.read',
    summary: "List a monitor's points, the newest first; both ends of the time belong to it",
    data: z.object({
      monitor_tag: monitorTag,
      ...paging(50, 1000),
      status: filterOf(POINT_STATUSES),
      start_time: moment('start_time').nullish(),
      end_time: moment('end_time').nullish(),
    }),
    result: z.object({ data: z.array(dataPoint), total: z.int() }),
    run: async ({ monitor_tag, status, start_time, end_time, ...part }, context) => {
      const monitor = await taggedMonitor(monitor_tag, context);
      const filter = { monitorId: monitor.id, range: rangeOf(start_time, end_time), status };
      const { points, total } = await listPoints(context.history, filter, part);
      return { data: points.map((point) => toDataPoint(monitor, point)), total };
    },
  }),
  action({
    name: 'updateMonitoringData',
    permission: 'monitors.write',
    summary: 'Write every minute of a range by hand',
    data: z
      .object({
        monitor_tag: monitorTag,
        start,
        end,
        newStatus: z.enum(POINT_STATUSES, `newStatus must be one of: ${POINT_STATUSES.join(', ')}`),
        latency: latency('latency must be a non-negative number').nullish(),
        deviation: latency('deviation must be a non-negative number').nullish(),
      })
      .refine(({ start, end }) => start < end, { path: ['start'], message: 'start must be less than end' }),
    result: z.object({ updated_count: z.int() }),
    about: ({ monitor_tag: tag, start, end, newStatus: status }) => ({ tag, start, end, status }),
    run: async ({ monitor_tag, newStatus, ...given }, context) => {
      const { id } = await taggedMonitor(monitor_tag, context);
      const point = { status: newStatus, latencyUs: given.latency ?? 0, deviationUs: given.deviation ?? 0 };
      return { updated_count: await overwriteBetween(context.history, id, given, point) };
    },
  }),
  action({
    name: 'deleteMonitorData',
    permission: 'monitors.write',
    summary: "Delete a monitor's points and what was measured for them; both ends of the time belong to it",
    data: z.object({
      tag: monitorTag,
      start: start.nullish(),
      end: end.nullish(),
      status: filterOf(POINT_STATUSES),
    }),
    result: acknowledged,
    about: ({ tag, start, end, status }) => ({ tag, start, end, status }),
    run: async ({ tag, start, end, status }, context) => {
      const { id } = await taggedMonitor(tag, context);
      await deletePoints(context.history, { monitorId: id, range: rangeOf(start, end), status });
      return ACKNOWLEDGED;
    },
  }),
];

/** The minutes from the one to the other, that one too. */
function rangeOf(from: number | null = null, to: number | null = null): MinuteRange {
  const end = to === null ? Infinity : floorMinute(to) + MINUTE_SECONDS;
  return storableRange({ from: from === null ? 0 : floorMinute(from), to: end });
}

function moment(name: string) {
  return timestamp(`${name} must be a valid timestamp (UTC seconds)`, `${name} is required`);
}
