import { z } from 'zod';
import { millisecondsOf } from '../../core/outcome.ts';
import { overallStatus, PUBLIC_STATUSES } from '../../core/overall-status.ts';
import { readCurrentStatuses } from '../../db/current-status.ts';
import { commaList } from '../http/query-values.ts';
import { route } from '../http/route.ts';
import { readAllStatuses } from '../services/all-statuses.ts';

const status = z.enum(PUBLIC_STATUSES);

const monitorStatus = z
  .object({
    tag: z.string(),
    name: z.string(),
    status,
    latency: z.number().min(0).nullable().meta({ description: 'Milliseconds, of the newest point' }),
    timestamp: z.int().multipleOf(60).nullable().meta({ description: 'The newest point, however old' }),
  })
  .meta({ id: 'MonitorStatus' });

/** Whoever looks at a page looks again: a cache answers most of them, and points come once a minute. */
const CACHE_CONTROL = 'public, max-age=10';

export const statusRoute = route({
  method: 'GET',
  path: '/api/v4/status',
  summary: 'How everything is now: the visible, active monitors, the worst of them, and that in words',
  access: 'public',
  cacheControl: CACHE_CONTROL,
  query: z.object({ tag: commaList.meta({ description: 'Only these monitors; tags between commas' }) }),
  response: z.object({
    status,
    text: z.string().meta({ examples: ['All Systems Operational'] }),
    monitors: z.array(monitorStatus),
  }),
  handler: async ({ query }, { pool }) => {
    const monitors = query.tag ? await readCurrentStatuses(pool, query.tag) : await readAllStatuses(pool);
    const { status, text } = overallStatus(monitors.map((monitor) => monitor.status));
    return {
      status,
      text,
      monitors: monitors.map(({ tag, name, status, latencyUs, minute }) => {
        const latency = latencyUs === null ? null : millisecondsOf(latencyUs);
        return { tag, name, status, latency, timestamp: minute };
      }),
    };
  },
});
