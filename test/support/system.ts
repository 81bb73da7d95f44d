import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openPool } from '../../db/client.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { provideIdentities, provideKeys } from '../../deploy/local/identities.ts';
import { agentPart, apiPart, collectorPart, natsPart, postgresPart } from '../../deploy/local/parts.ts';
import type { Part } from '../../deploy/local/supervise.ts';
import { createTestDatabase } from './database.ts';
import { restClient, type Rest } from './rest.ts';
import { runningPart, type RunningPart } from './running-part.ts';

/** The three programs as processes, on a real database and a real bus. */
export interface TestSystem {
  /** Null where the database is the run's shared server, which no test may kill. */
  postgres: RunningPart | null;
  nats: RunningPart;
  collector: RunningPart;
  api: RunningPart;
  agents: Map<string, RunningPart>;
  databaseUrl: string;
  pool: pg.Pool;
  rest: Rest;
  dir: string;
  /** Ends everything and removes its files. */
  stop: () => Promise<void>;
}

export interface SystemOptions {
  regions: string[];
  /** A cluster of its own, which the test may kill; otherwise a database on the run's server. */
  ownDatabase: boolean;
}

/** Starts everything, in the order of need, and returns when all parts are up. */
export async function startSystem({ regions, ownDatabase }: SystemOptions): Promise<TestSystem> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-system-'));
  chmodSync(dir, 0o755);
  const closers: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closers.reverse()) await close();
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    return { ...(await startParts({ dir, regions, ownDatabase, closers })), dir, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(options: {
  dir: string;
  regions: string[];
  ownDatabase: boolean;
  closers: (() => Promise<unknown>)[];
}): Promise<Omit<TestSystem, 'dir' | 'stop'>> {
  const { dir, closers } = options;
  const logDir = join(dir, 'logs');
  mkdirSync(logDir);
  const begin = async (part: Part): Promise<RunningPart> => {
    const running = runningPart(part, logDir);
    closers.push(() => running.stop());
    await running.start();
    return running;
  };
  const database = await (options.ownDatabase ? ownDatabase(dir, begin, closers) : sharedDatabase(closers));
  const natsPort = await freePort();
  const { identityDir, fingerprint } = await provideKeys(dir);
  const nats = await begin(natsPart(dir, natsPort, identityDir));
  const natsUrl = `tls://127.0.0.1:${natsPort}`;
  const databaseUrl = database.url;
  const ports = { collector: await freePort(), api: await freePort() };
  const identities = await provideIdentities({
    dir,
    databaseUrl,
    embedded: true,
    regions: options.regions,
    collectorPort: ports.collector,
    identityDir,
  });
  const collector = await begin(collectorPart({ databaseUrl, natsUrl, port: ports.collector, identityDir }));
  const api = await begin(apiPart({ databaseUrl, port: ports.api, collectorPort: ports.collector, fingerprint }));
  const agents = new Map<string, RunningPart>();
  for (const [region, files] of identities.agents) {
    const stateDir = join(dir, 'agents', region);
    agents.set(region, await begin(agentPart({ region, files, natsUrl, collectorPort: ports.collector, stateDir })));
  }
  const rest = restClient(`http://127.0.0.1:${ports.api}`, identities.apiKey);
  const { postgres, pool } = database;
  return { postgres, nats, collector, api, agents, databaseUrl, pool, rest };
}

interface Database {
  url: string;
  pool: pg.Pool;
  postgres: RunningPart | null;
}

async function ownDatabase(
  dir: string,
  begin: (part: Part) => Promise<RunningPart>,
  closers: (() => Promise<unknown>)[],
): Promise<Database> {
  const { part, url } = await postgresPart(dir, await freePort(), () => undefined);
  const postgres = await begin(part);
  const pool = openPool({ url, name: 'test', max: 4, statementTimeoutMs: 0 });
  closers.push(() => pool.end());
  return { url, pool, postgres };
}

async function sharedDatabase(closers: (() => Promise<unknown>)[]): Promise<Database> {
  const database = await createTestDatabase();
  closers.push(() => database.drop());
  return { url: database.url, pool: database.pool, postgres: null };
}
