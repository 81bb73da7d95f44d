import { z } from 'zod';
import { RECURRENCE_MODULE } from '../core/recurrence.ts';
import { openPool } from '../db/client.ts';
import { createBoundedCalls } from '../runtime/bounded-calls.ts';
import { readConfig } from '../runtime/config.ts';
import { serveHealth, type HealthReport } from '../runtime/health.ts';
import { runProgram } from '../runtime/lifecycle.ts';
import { formatAddress, listenAddress } from '../runtime/listen-address.ts';
import { createLogger, LOG_LEVELS } from '../runtime/logger.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createPasswords } from '../runtime/passwords.ts';
import { authenticate } from './authenticate.ts';
import { createCheckAnswers } from './check-answers.ts';
import type { Services } from './context.ts';
import { createApp } from './http/app.ts';
import { exposureOf, exposureVariables } from './http/exposure.ts';
import { listen } from './http/server.ts';
import { meetingPointOf, meetingVariables } from './meeting-point.ts';
import { exposeApi } from './metrics.ts';
import { apiRoutes } from './routes.ts';
import { hearPublicChanges } from './services/public-changes.ts';
import { createSiteViews } from './services/site-views.ts';
import { assetsFolder, readAssets } from './site/assets.ts';
import { createSite } from './site/site.ts';

/** A request's statement that takes longer than this holds up others for nothing. */
const REQUEST_STATEMENT_MS = 15_000;
/** The longest that a slice of history may take to be read, or a year of points to be written. */
const HISTORY_STATEMENT_MS = 300_000;
const REQUEST_CONNECTIONS = 10;
const HISTORY_CONNECTIONS = 6;

const config = readConfig(
  z.object({
    DATABASE_URL: z.string(),
    API_LISTEN: listenAddress.prefault('127.0.0.1:3000'),
    LOG_LEVEL: z.enum(LOG_LEVELS).default('info'),
    PUBLIC_URL: z.url({ protocol: /^https?$/ }).optional(),
    ...meetingVariables,
    HEALTH_LISTEN: listenAddress.optional(),
    ...exposureVariables,
  }),
  process.env,
);
const log = createLogger('api', config.LOG_LEVEL);

await runProgram(log, async (life) => {
  const url = config.DATABASE_URL;
  const db = openPool({
    url,
    name: 'farwatch-api',
    max: REQUEST_CONNECTIONS,
    statementTimeoutMs: REQUEST_STATEMENT_MS,
    answerTimeoutMs: REQUEST_STATEMENT_MS + 5000,
  });
  life.onClose('request pool', () => db.end());
  const history = openPool({
    url,
    name: 'farwatch-api-history',
    max: HISTORY_CONNECTIONS,
    statementTimeoutMs: HISTORY_STATEMENT_MS,
  });
  life.onClose('history pool', () => history.end());
  const recurrence: Services['recurrence'] = createBoundedCalls(RECURRENCE_MODULE, 'expandRecurrence');
  life.onClose('recurrence', () => recurrence.close());
  const checkAnswers = createCheckAnswers();
  life.run('check answers', (signal) => checkAnswers.run(url, log, signal));
  const { PUBLIC_URL: publicUrl = null } = config;
  const meetingPoint = meetingPointOf(config);
  const folder = assetsFolder();
  const services: Services = {
    ...{ db, history, recurrence, checkAnswers, passwords: createPasswords() },
    ...{ publicUrl, meetingPoint, stylesheet: readAssets(folder).site.css },
  };
  const metrics = createMetrics();
  const measure = exposeApi(metrics, { requests: db, history });
  const site = createSite({ views: createSiteViews(db), folder, publicUrl: config.PUBLIC_URL, log });
  life.run('public changes', (signal) => hearPublicChanges({ url, log, onChange: site.forget }, signal));
  const app = createApp({
    routes: apiRoutes(config.PUBLIC_URL),
    services,
    log,
    authenticate,
    measure,
    exposure: exposureOf(config),
    site: site.router,
  });
  const server = await listen(app, config.API_LISTEN);
  life.onClose('server', () => server.close());
  log.info({ address: formatAddress(server.address) }, 'listening');
  if (config.HEALTH_LISTEN === undefined) return;
  const away = (): string => 'away';
  const check = async (): Promise<HealthReport> => ({ database: await db.query('select 1').then(() => null, away) });
  const health = await serveHealth(config.HEALTH_LISTEN, check, metrics);
  life.onClose('health', () => health.close());
  log.info({ healthAddress: formatAddress(health.address) }, 'health can be asked');
});
