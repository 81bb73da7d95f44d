import { z } from 'zod';
import { route } from '../http/route.ts';
import { monitorSummary, summariseMonitor } from '../services/summarise-monitor.ts';
import { monitorInPath } from './monitors.ts';
import { rangeQuery } from './point-schemas.ts';

export const summaryRoute = route({
  method: 'GET',
  path: '/api/v4/monitors/{tag}/summary',
  summary: 'Count the minutes of a range, incidents and maintenances laid over them, and compute the uptime',
  permission: 'monitors.read',
  resource: monitorInPath,
  query: rangeQuery,
  response: z.object({ summary: monitorSummary }),
  handler: async ({ resource, query }, { history }) => ({
    summary: await summariseMonitor(history, resource, { start: query.start_ts, end: query.end_ts }),
  }),
});
