import { z } from 'zod';
import { regionResource } from './agent-resource.ts';
import { currentReport } from './dashboard-monitor.ts';
import { YES_NO } from './monitor.ts';

/** How everything is now, as the dashboard's first view shows it. */

/** More troubles than these are one trouble. */
export const MAX_TROUBLES = 100;

const count = z.int().min(0);
const trouble = currentReport.extend({
  id: z.int(),
  tag: z.string(),
  name: z.string(),
  is_hidden: z.enum(YES_NO),
});

export const dashboardOverview = z.object({
  monitors: z.object({
    total: count,
    active: count,
    hidden: count,
    by_status: z
      .object({ UP: count, DOWN: count, DEGRADED: count, MAINTENANCE: count, NO_DATA: count })
      .meta({ description: 'Of the active ones' }),
  }),
  troubles: z
    .array(trouble)
    .max(MAX_TROUBLES)
    .meta({ description: 'Active monitors that are DOWN, DEGRADED or without data, the worst first' }),
  agents: z.object({ total: count, connected: count, problems: count }),
  regions: z.array(regionResource),
});
export type DashboardOverview = z.output<typeof dashboardOverview>;
