import { z } from 'zod';
import { minuteRange } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import { uptimeOf } from '../../core/uptime.ts';
import { countRange, storableRange } from '../../db/uptime.ts';
import { route } from '../http/route.ts';
import { monitorInPath } from './monitors.ts';
import { rangeQuery } from './point-schemas.ts';

const minutes = z.int().min(0);
const milliseconds = z.number().min(0).nullable();

const summary = z
  .object({
    monitor_tag: z.string(),
    start_ts: z.int().meta({ description: 'The first minute that counts' }),
    end_ts: z.int().meta({ description: 'The first minute after those that count' }),
    total: minutes.meta({ description: 'How many minutes have a point' }),
    up: minutes,
    down: minutes,
    degraded: minutes,
    maintenance: minutes,
    uptime: z
      .number()
      .nullable()
      .meta({ description: 'Percent, by the formulas of the monitor; null without a minute' }),
    uptime_text: z.string().meta({ examples: ['99.9'] }),
    latency: z.object({ avg: milliseconds, min: milliseconds, max: milliseconds }),
  })
  .meta({ id: 'Summary' });

export const summaryRoute = route({
  method: 'GET',
  path: '/api/v4/monitors/{tag}/summary',
  summary: 'Count the minutes of a range, incidents and maintenances laid over them, and compute the uptime',
  permission: 'monitors.read',
  resource: monitorInPath,
  query: rangeQuery,
  response: z.object({ summary }),
  handler: async ({ resource, query }, { history }) => {
    const range = storableRange(minuteRange(query.start_ts, query.end_ts));
    const [counted] = await countRange(history, [resource], range);
    if (!counted) throw new Error('a monitor was not counted');
    const { latencyUs, ...counts } = counted;
    const { percent, text } = uptimeOf(counts, resource);
    return {
      summary: {
        monitor_tag: resource.tag,
        start_ts: range.from,
        end_ts: range.to,
        total: counts.up + counts.down + counts.degraded + counts.maintenance,
        ...counts,
        uptime: percent,
        uptime_text: text,
        latency: {
          avg: latencyUs && millisecondsOf(latencyUs.avg),
          min: latencyUs && millisecondsOf(latencyUs.min),
          max: latencyUs && millisecondsOf(latencyUs.max),
        },
      },
    };
  },
});
