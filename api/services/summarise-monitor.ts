import type pg from 'pg';
import { z } from 'zod';
import { minuteRange } from '../../core/minute.ts';
import { millisecondsOf } from '../../core/outcome.ts';
import { uptimeOf } from '../../core/uptime.ts';
import type { MonitorRow } from '../../db/monitors.ts';
import { countRange, storableRange } from '../../db/uptime.ts';

const minutes = z.int().min(0);
const milliseconds = z.number().min(0).nullable();

/** What a range of minutes of a monitor amounts to. */
export const monitorSummary = z
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

/** Counts the minutes between two timestamps, incidents and maintenances laid over them, and computes the uptime. */
export async function summariseMonitor(
  history: pg.Pool,
  monitor: MonitorRow,
  { start, end }: { start: number; end: number },
): Promise<z.output<typeof monitorSummary>> {
  const range = storableRange(minuteRange(start, end));
  const [counted] = await countRange(history, [monitor], range);
  if (!counted) throw new Error('a monitor was not counted');
  const { latencyUs, ...counts } = counted;
  const { percent, text } = uptimeOf(counts, monitor);
  return {
    monitor_tag: monitor.tag,
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
  };
}
