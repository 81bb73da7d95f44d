import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openPool } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { openCluster } from '../../deploy/local/embedded-postgres.ts';
import { freePort } from '../../deploy/local/free-port.ts';

const TIMESCALE_IMAGE = 'timescale/timescaledb:2.20.3-pg17';
/** What tests need of a server of their own; their data may be lost with the machine. */
const SETTINGS = { fsync: 'off', max_connections: '300', max_locks_per_transaction: '256' };

export interface DatabaseServer {
  /** A database from which others are made. */
  adminUrl: string;
  /** A migrated database to clone. Nobody may connect to it, since a connection would forbid cloning. */
  template: string;
  /** Whether it is the embedded one. */
  embedded: boolean;
  stop(): Promise<void>;
}

/**
 * The server the tests run on, with a migrated template: TEST_DATABASE_URL, else TimescaleDB in a container where a
 * Docker engine answers (unless TEST_DATABASE=embedded), else the embedded PostgreSQL.
 */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const server = await startServer();
  const template = `farwatch_test_${process.pid}_${randomBytes(4).toString('hex')}`;
  try {
    await makeTemplate(server.adminUrl, template);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return {
    adminUrl: server.adminUrl,
    embedded: server.embedded,
    template,
    async stop() {
      await dropDatabases(server.adminUrl, template);
      await server.stop();
    },
  };
}

/** Runs one statement in the server's own database. */
export async function administer(adminUrl: string, sql: string, values: unknown[] = []): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(sql, values);
  } finally {
    await client.end();
  }
}

/** The same server, another database. */
export function databaseUrl(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

interface Server {
  adminUrl: string;
  embedded: boolean;
  stop(): Promise<void>;
}

async function startServer(): Promise<Server> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return { adminUrl: given, embedded: false, stop: async () => undefined };
  if (process.env.TEST_DATABASE !== 'embedded' && (await dockerAnswers())) return startContainer();
  return startEmbedded();
}

async function startEmbedded(): Promise<Server> {
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-test-'));
  const remove = (): void => rmSync(dir, { recursive: true, force: true });
  try {
    const cluster = await openCluster({ dir, port: await freePort(), settings: SETTINGS });
    const server = cluster.spawn('ignore');
    const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()));
    // A run that is broken off does not come to its teardown.
    const killServer = (): void => void server.kill('SIGQUIT');
    process.once('exit', killServer);
    void ended.then(() => process.off('exit', killServer));
    const end = async (): Promise<void> => {
      server.kill('SIGINT');
      await ended;
      remove();
    };
    await cluster.ready(server).catch(async (error: unknown) => {
      await end();
      throw error;
    });
    return { adminUrl: cluster.adminUrl, embedded: true, stop: end };
  } catch (error) {
    remove();
    throw error;
  }
}

async function startContainer(): Promise<Server> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = await new GenericContainer(TIMESCALE_IMAGE)
    .withEnvironment({ POSTGRES_PASSWORD: 'farwatch', TIMESCALEDB_TELEMETRY: 'off' })
    .withCommand(['postgres', ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])])
    .withExposedPorts(5432)
    // The image starts the server twice: first for its own set-up.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  return {
    adminUrl: `postgres://postgres:farwatch@${container.getHost()}:${container.getMappedPort(5432)}/postgres`,
    embedded: false,
    stop: async () => void (await container.stop()),
  };
}

function dockerAnswers(): Promise<boolean> {
  const host = new URL(process.env.DOCKER_HOST ?? 'unix:///var/run/docker.sock');
  const target =
    host.protocol === 'unix:' ? { socketPath: host.pathname } : { host: host.hostname, port: Number(host.port) };
  return new Promise((resolve) => {
    const ping = request({ ...target, path: '/_ping', timeout: 1000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    ping.on('timeout', () => ping.destroy());
    ping.on('error', () => resolve(false));
    ping.end();
  });
}

async function makeTemplate(adminUrl: string, template: string): Promise<void> {
  await administer(adminUrl, `create database ${template}`);
  const url = databaseUrl(adminUrl, template);
  const pool = openPool({ url, name: 'test template', max: 1, statementTimeoutMs: 0 });
  try {
    await migrate(pool);
  } finally {
    await pool.end();
  }
  // TimescaleDB's scheduler holds a connection to every database that it may enter.
  await administer(adminUrl, `alter database ${template} with allow_connections false is_template true`);
  // Waits for each to be gone: a clone is refused as long as one is there.
  const end = 'select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = $1';
  await administer(adminUrl, end, [template]);
}

/** The template and whatever its clones left behind. */
async function dropDatabases(adminUrl: string, template: string): Promise<void> {
  await administer(adminUrl, `alter database ${template} with is_template false`);
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    const found = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [template],
    );
    for (const { datname } of found.rows) await client.query(`drop database ${datname} with (force)`);
  } finally {
    await client.end();
  }
}
