import { z } from 'zod';
import { millisecondsOf } from '../../core/outcome.ts';
import { PUBLIC_STATUSES } from '../../core/overall-status.ts';
import type { CurrentReport } from '../../db/current-status.ts';

/** How a monitor is now. */
export const currentReport = z.object({
  status: z.enum(PUBLIC_STATUSES),
  latency: z.number().min(0).nullable().meta({ description: 'Of the newest point, milliseconds' }),
  timestamp: z.int().nullable().meta({ description: 'The newest point, however old' }),
});

export function shownReport({ status, latencyUs, minute }: CurrentReport): z.output<typeof currentReport> {
  return { status, latency: latencyUs === null ? null : millisecondsOf(latencyUs), timestamp: minute };
}
