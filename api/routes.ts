import { z } from 'zod';
import { linkRoutes } from './auth/links.ts';
import { loginRoutes } from './auth/login.ts';
import { setupRoutes } from './auth/setup.ts';
import { badgeRoutes } from './badges/badges.ts';
import { docsRoutes } from './docs/docs.ts';
import { healthRoute } from './health.ts';
import { openApiDocument } from './http/openapi.ts';
import { route, type Route } from './http/route.ts';
import { ACTIONS } from './manage/actions.ts';
import { dispatchRoute } from './manage/dispatch.ts';
import { rssRoutes } from './rss/rss.ts';
import { agentRoutes } from './v4/agents.ts';
import { commentRoutes } from './v4/comments.ts';
import { dataRoutes } from './v4/data.ts';
import { incidentRoutes } from './v4/incidents.ts';
import { allEventsRoute, eventRoutes } from './v4/maintenance-events.ts';
import { maintenanceRoutes } from './v4/maintenances.ts';
import { monitorRoutes } from './v4/monitors.ts';
import { pageRoutes } from './v4/pages.ts';
import { statusRoute } from './v4/status.ts';
import { summaryRoute } from './v4/summary.ts';

const VERSION = '4.0.0';

/** Everything the program answers: mounted, documented and tested from this list. */
export function apiRoutes(publicUrl?: string): Route[] {
  const routes: Route[] = [
    healthRoute,
    ...monitorRoutes,
    ...dataRoutes,
    summaryRoute,
    ...incidentRoutes,
    ...commentRoutes,
    allEventsRoute,
    ...maintenanceRoutes,
    ...eventRoutes,
    ...pageRoutes,
    statusRoute,
    ...agentRoutes,
    ...badgeRoutes,
    ...rssRoutes,
    dispatchRoute(ACTIONS),
    ...loginRoutes,
    ...setupRoutes,
    ...linkRoutes,
  ];
  routes.push(...docsRoutes);
  const documentRoute = route({
    method: 'GET',
    path: '/openapi.json',
    summary: 'This document',
    access: 'public',
    cacheControl: 'public, max-age=60',
    response: z.looseObject({ openapi: z.string().meta({ examples: ['3.1.0'] }) }),
    handler: async () => document,
  });
  routes.push(documentRoute);
  const document = { openapi: '3.1.0', ...openApiDocument(routes, VERSION, publicUrl) };
  return routes;
}
