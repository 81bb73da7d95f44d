import { authenticate } from '../../api/authenticate.ts';
import { createCheckAnswers } from '../../api/check-answers.ts';
import { hearPublicChanges } from '../../api/services/public-changes.ts';
import { createSiteViews } from '../../api/services/site-views.ts';
import { assetsFolder, readAssets } from '../../api/site/assets.ts';
import { createSite } from '../../api/site/site.ts';
import { createApp } from '../../api/http/app.ts';
import { UNEXPOSED, type Exposure } from '../../api/http/exposure.ts';
import { listen } from '../../api/http/server.ts';
import { apiRoutes } from '../../api/routes.ts';
import type { Services } from '../../api/context.ts';
import { RECURRENCE_MODULE } from '../../core/recurrence.ts';
import { createApiKey } from '../../db/api-keys.ts';
import { openPool } from '../../db/client.ts';
import { createBoundedCalls } from '../../runtime/bounded-calls.ts';
import { createLogger, type Logger } from '../../runtime/logger.ts';
import { createPasswords } from '../../runtime/passwords.ts';
import { createApiClient, type ApiClient } from './api-client.ts';
import buildPrograms from './build-programs.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';

export interface TestApi {
  database: TestDatabase;
  api: ApiClient;
  key: string;
  stop(): Promise<void>;
}

/** What a test may want otherwise than the program has it. */
export interface ApiSettings extends Partial<Pick<Services, 'passwords' | 'publicUrl' | 'meetingPoint'>> {
  log?: Logger;
  exposure?: Partial<Exposure>;
  /** The pages for people as well, built for it where they are not. */
  withPages?: boolean;
}

/** The real server on a port of its own over a database of its own, and a client with a key. */
export async function startApi(settings: ApiSettings = {}): Promise<TestApi> {
  const database = await createTestDatabase();
  const created = await createApiKey(database.pool, 'test');
  if (!created) throw new Error('the test key exists already');
  const server = await serve(database.url, undefined, settings);
  const api = await createApiClient(server.base, created.key);
  return {
    database,
    api,
    key: created.key,
    async stop() {
      await server.stop();
      await database.drop();
    },
  };
}

/** The API over the database at `url`, composed as `api/main.ts` does it. */
export async function serve(
  url: string,
  answerTimeoutMs = 20_000,
  { log = createLogger('api', 'silent'), exposure, withPages = false, ...settings }: ApiSettings = {},
): Promise<{ base: string; stop(): Promise<void> }> {
  const db = openPool({ url, name: 'api', max: 5, statementTimeoutMs: 15_000, answerTimeoutMs });
  const history = openPool({ url, name: 'api-history', max: 3, statementTimeoutMs: 60_000 });
  const recurrence: Services['recurrence'] = createBoundedCalls(RECURRENCE_MODULE, 'expandRecurrence');
  const checkAnswers = createCheckAnswers();
  const end = new AbortController();
  const listening = checkAnswers.run(url, log, end.signal);
  const services: Services = {
    ...{ db, history, recurrence, checkAnswers },
    ...{ passwords: createPasswords(), publicUrl: null, meetingPoint: null, stylesheet: '/assets/site.css' },
    ...(withPages && { stylesheet: readAssets(buildPages()).site.css }),
    ...settings,
  };
  const site = withPages
    ? createSite({ views: createSiteViews(db), folder: buildPages(), publicUrl: services.publicUrl ?? undefined, log })
    : undefined;
  const hearing = site && hearPublicChanges({ url, log, onChange: site.forget }, end.signal);
  const app = createApp({
    ...{ routes: apiRoutes(), services, log, authenticate },
    exposure: { ...UNEXPOSED, ...exposure },
    ...(site && { site: site.router }),
  });
  const server = await listen(app, { host: '127.0.0.1', port: 0 });
  return {
    base: `http://127.0.0.1:${server.address.port}`,
    async stop() {
      await server.close();
      end.abort();
      await Promise.all([db.end(), history.end(), recurrence.close(), listening, hearing]);
    },
  };
}

function buildPages(): string {
  buildPrograms();
  return assetsFolder();
}
