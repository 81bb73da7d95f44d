import { z } from 'zod';
import { AppError } from '../../core/app-error.ts';
import { minuteRange } from '../../core/minute.ts';
import { findRegionId } from '../../db/agents.ts';
import { streamPoints } from '../../db/point-stream.ts';
import { overwritePoint, readPoint } from '../../db/points.ts';
import type { Context } from '../context.ts';
import { JsonStream, route } from '../http/route.ts';
import { overwriteBetween } from '../services/overwrite-points.ts';
import { monitorInPath } from './monitors.ts';
import {
  dataPoint,
  dataQuery,
  pointOverwrite,
  rangeOverwrite,
  regionalPoint,
  timestampParameter,
  toDataPoint,
} from './point-schemas.ts';

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
      const { start_ts: start, end_ts: end, status, latency: latencyUs, deviation } = body;
      const point = { status, latencyUs, deviationUs: deviation ?? 0 };
      const updated_count = await overwriteBetween(history, resource.id, { start, end }, point);
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
