import { z } from 'zod';
import { dashboardOverview, MAX_TROUBLES } from '../../core/dashboard-overview.ts';
import type { PublicStatus } from '../../core/overall-status.ts';
import { listAgentStates, listRegionStates } from '../../db/agent-states.ts';
import { inSnapshot } from '../../db/client.ts';
import { reportCurrent } from '../../db/current-status.ts';
import { listMonitorStates } from '../../db/monitors.ts';
import { action } from './action.ts';
import { shownReport } from './current-report.ts';

/** What the dashboard shows of the whole, beyond the reference. */

export const overviewActions = [
  action({
    name: 'getDashboardOverview',
    permission: 'monitors.read',
    summary: 'How everything is now: monitors by their status, those in trouble, regions and agents',
    data: z.object({}),
    result: dashboardOverview,
    run: async (_data, { pool }) =>
      inSnapshot(pool, async (client) => {
        const monitors = await listMonitorStates(client);
        const active = monitors.filter(({ status }) => status === 'ACTIVE');
        const reports = await reportCurrent(client, active);
        const shown = active.flatMap(({ id, tag, name, is_hidden }) => {
          const report = reports.get(id);
          return report ? [{ id, tag, name, is_hidden, ...shownReport(report) }] : [];
        });
        const agents = (await listAgentStates(client)).filter(({ revoked_at }) => revoked_at === null);
        return {
          monitors: {
            total: monitors.length,
            active: active.length,
            hidden: monitors.filter(({ is_hidden }) => is_hidden === 'YES').length,
            by_status: countStatuses(shown),
          },
          troubles: TROUBLES.flatMap((status) => shown.filter((one) => one.status === status)).slice(0, MAX_TROUBLES),
          agents: {
            total: agents.length,
            connected: agents.filter(({ connected }) => connected).length,
            problems: agents.filter(({ state }) => state !== null && state.problems.length > 0).length,
          },
          regions: await listRegionStates(client),
        };
      }),
  }),
];

const TROUBLES = ['DOWN', 'DEGRADED', 'NO_DATA'] as const;

function countStatuses(shown: readonly { status: PublicStatus }[]): Record<PublicStatus, number> {
  const counts = { UP: 0, DOWN: 0, DEGRADED: 0, MAINTENANCE: 0, NO_DATA: 0 };
  for (const { status } of shown) counts[status] += 1;
  return counts;
}
