import type { z } from 'zod';
import type { dashboardComment, dashboardIncident } from '../../../core/dashboard-incident.ts';
import type { dashboardMaintenance } from '../../../core/dashboard-maintenance.ts';
import type { monitorWithCurrent, monitorWithVersions } from '../../../core/dashboard-monitor.ts';
import type { dashboardPage } from '../../../core/dashboard-page.ts';

/** What the dashboard's actions answer, by the server's own schemas. */
export type DashboardMonitor = z.output<typeof monitorWithCurrent>;
export type MonitorDetail = z.output<typeof monitorWithVersions>;
export type DashboardIncident = z.output<typeof dashboardIncident>;
export type DashboardComment = z.output<typeof dashboardComment>;
export type DashboardMaintenance = z.output<typeof dashboardMaintenance>;
export type DashboardPage = z.output<typeof dashboardPage>;
