import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { countMinutes, minuteRange } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import { findRegionId } from '../../db/agents.ts';
import type { MonitorRow } from '../../db/monitors.ts';
import { overwritePoint, overwriteRange, readPoint, streamPoints, type StoredPoint } from '../../db/points.ts';
import type { Context } from '../context.ts';
import { JsonStream, route } from '../http/route.ts';
import { monitorInPath } from './monitors.ts';
import {
  dataPoint,
  dataQuery,
  pointOverwrite,
  rangeOverwrite,
  regionalPoint,
  timestampParameter,
} from './point-schemas.ts';

/** Reference §12, "Limits". */
const MAX_OVERWRITE_DAYS = 366;
/** Timestamps beyond are no dates to PostgreSQL; no point is stored so far out. */
const FIRST_SECOND = 0;
const LAST_SECOND = Date.UTC(9999, 11, 31) / 1000;

export const dataRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/monitors/{tag}/data',
    summary: 'Read the points of a range, one a minute, ascending; a minute without a point is absent',
    permission: 'monitors.read',
    resource: monitorInPath,
    query: dataQuery,
    response: z.object({ data: z.array(z.union([dataPoint, regionalPoint])) }),
    handler: async ({ resource: { id, tag }, query }, { db, history }) => {
      const regionId = query.region === undefined ? null : await regionOf(db, query.region);
      const range = minuteRange(query.start_ts, query.end_ts);
      return new JsonStream(asData(streamPoints(history, { monitorId: id, tag, range, regionId })));
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/monitors/{tag}/data',
    summary: 'Write every minute of a range by hand',
    permission: 'monitors.write',
    resource: monitorInPath,
    body: rangeOverwrite,
    example: { start_ts: 1_795_082_400, end_ts: 1_795_086_000, status: 'DEGRADED', latency: 120, deviation: 10 },
    response: z.object({ message: z.literal('Monitoring data updated successfully'), updated_count: z.int() }),
    handler: async ({ resource, body }, { history }) => {
      const range = minuteRange(body.start_ts, body.end_ts);
      if (countMinutes(range) > MAX_OVERWRITE_DAYS * 24 * 60) throw tooLong();
      const point = { status: body.status, latencyUs: body.latency, deviationUs: body.deviation ?? 0 };
      const updated_count = await overwriteRange(history, resource.id, range, point);
      return { message: 'Monitoring data updated successfully' as const, updated_count };
    },
  }),
  route({
    method: 'GET',
    path: '/api/v4/monitors/{tag}/data/{timestamp}',
    summary: 'Read the point of one minute',
    permission: 'monitors.read',
    resource: monitorInPath,
    params: timestampParameter,
    response: z.object({ data: dataPoint }),
    handler: async ({ resource, params }, { db }) => {
      const point = await readPoint(db, resource.id, within(params.timestamp));
      if (point && point.minute === params.timestamp) return { data: toDataPoint(resource, point) };
      const message = `No monitoring data found for monitor '${resource.tag}' at timestamp ${params.timestamp}`;
      throw new AppError('NOT_FOUND', message);
    },
  }),
  route({
    method: 'PATCH',
    path: '/api/v4/monitors/{tag}/data/{timestamp}',
    summary: 'Write the point of one minute by hand; what is omitted keeps its value',
    permission: 'monitors.write',
    resource: monitorInPath,
    params: timestampParameter,
    body: pointOverwrite,
    example: { status: 'UP', latency: 21.5 },
    response: z.object({ data: dataPoint }),
    handler: async ({ resource, params, body }, { pool }) => {
      const change = { status: body.status, latencyUs: body.latency };
      const point = await overwritePoint(pool, resource.id, params.timestamp, change, resource.default_status);
      return { data: toDataPoint(resource, point) };
    },
  }),
];

async function regionOf(db: Context['db'], name: string): Promise<number> {
  // No region's name holds a NUL, and PostgreSQL takes none.
  const id = name.includes('\0') ? undefined : await findRegionId(db, name);
  if (id === undefined) throw new AppError('BAD_REQUEST', `Region '${name}' does not exist`);
  return id;
}

function within(seconds: number): number {
  return Math.min(Math.max(seconds, FIRST_SECOND), LAST_SECOND);
}

function tooLong(): AppError {
  return new AppError('BAD_REQUEST', `The range must cover at most ${MAX_OVERWRITE_DAYS} days`);
}

/** The envelope of a list around pieces of it; nothing goes out before the first piece is there. */
async function* asData(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer | string> {
  let open = '{"data":[';
  for await (const piece of pieces) {
    if (open) yield open;
    open = '';
    yield piece;
  }
  yield `${open}]}`;
}

function toDataPoint({ tag }: MonitorRow, point: StoredPoint): z.output<typeof dataPoint> {
  return {
    monitor_tag: tag,
    timestamp: point.minute,
    status: point.status,
    latency: millisecondsOf(point.latencyUs),
    type: point.origin,
  };
}
