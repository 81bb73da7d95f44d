import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { endLeftover } from './leftover-postmaster.ts';
import { postgresBinaries } from './postgres-binaries.ts';
import { databaseUser, type UserIds } from './unprivileged-user.ts';

const ROLE = 'farwatch';
const READY_LIMIT_MS = 60_000;

/** Loopback only, password only, no socket file; durable, as production is. */
const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  max_locks_per_transaction: '256',
  fsync: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  jit: 'off',
};

/** A database cluster of the embedded PostgreSQL in a folder of its own. */
export interface Cluster {
  /** Of the database `farwatch`, with the password. */
  readonly url: string;
  /** Of the server's own database, for creating others. */
  readonly adminUrl: string;
  /** Starts the server; the caller owns the process and ends it with SIGINT. */
  spawn(stdio: StdioOptions): ChildProcess;
  /** Waits until the server answers. Rejects when the process ends before. */
  ready(server: ChildProcess): Promise<void>;
}

export interface ClusterOptions {
  /** Holds `postgres/` (the cluster) and `postgres.secret` (its password, 0600). */
  dir: string;
  port: number;
  settings?: Record<string, string>;
  say?: (line: string) => void;
}

/**
 * Makes the cluster ready to start: created if it is not there, its programs reachable for the user it runs as, and
 * whatever still runs on it from a launcher that was killed ended.
 */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const { dir, port, settings = {}, say = () => undefined } = options;
  const dataDir = join(dir, 'postgres');
  const user = databaseUser(dataDir);
  const binaries = postgresBinaries(user, say);
  const password = readSecret(join(dir, 'postgres.secret'));
  if (existsSync(dataDir)) await endLeftover(dataDir, say);
  else await createCluster({ dataDir, binaries, user, password });
  const url = (database: string): string => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  const flags = Object.entries({ ...SETTINGS, ...settings, port: String(port) });
  return {
    url: url(ROLE),
    adminUrl: url('postgres'),
    spawn: (stdio) =>
      run(
        join(binaries, 'bin/postgres'),
        flags.flatMap(([name, value]) => ['-c', `${name}=${value}`]),
        { dataDir, user, stdio },
      ),
    ready: (server) => waitUntilReady(server, url('postgres')),
  };
}

function readSecret(file: string): string {
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString('hex'), { mode: 0o600 });
  return readFileSync(file, 'utf8').trim();
}

/** Created beside its place and renamed, so that a cluster is there whole or not at all. */
async function createCluster(cluster: {
  dataDir: string;
  binaries: string;
  user: UserIds | null;
  password: string;
}): Promise<void> {
  const { user } = cluster;
  const growing = `${cluster.dataDir}.new`;
  rmSync(growing, { recursive: true, force: true });
  mkdirSync(growing, { recursive: true, mode: 0o700 });
  const secretDir = mkdtempSync(join(tmpdir(), 'farwatch-initdb-'));
  try {
    const secret = join(secretDir, 'password');
    writeFileSync(secret, cluster.password, { mode: 0o600 });
    if (user) for (const path of [growing, secretDir, secret]) chownSync(path, user.uid, user.gid);
    const initdb = run(
      join(cluster.binaries, 'bin/initdb'),
      [
        `--username=${ROLE}`,
        `--pwfile=${secret}`,
        '--auth=scram-sha-256',
        '--encoding=UTF8',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--locale=C',
      ],
      { dataDir: growing, user, stdio: ['ignore', 'pipe', 'pipe'] },
    );
    const output = await outputOf(initdb);
    if (initdb.exitCode !== 0) throw new Error(`initdb failed: ${output}`);
  } finally {
    rmSync(secretDir, { recursive: true, force: true });
  }
  renameSync(growing, cluster.dataDir);
}

/**
 * Runs a PostgreSQL program inside its data folder. On Linux the folder is named through /proc/self/cwd: the
 * unprivileged user may then stand in it without being able to walk there through a home of mode 700.
 */
function run(
  program: string,
  args: string[],
  { dataDir, user, stdio }: { dataDir: string; user: UserIds | null; stdio: StdioOptions },
): ChildProcess {
  return spawn(program, ['-D', process.platform === 'linux' ? '/proc/self/cwd' : dataDir, ...args], {
    cwd: dataDir,
    ...(user ?? {}),
    stdio,
    // A group of its own, so that Ctrl-C reaches the launcher alone and the database ends last.
    detached: true,
    env: { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' },
  });
}

function outputOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    const keep = (chunk: Buffer): void => void (output += chunk.toString());
    child.stdout?.on('data', keep);
    child.stderr?.on('data', keep);
    child.once('error', reject);
    child.once('close', () => resolve(output));
  });
}

async function waitUntilReady(server: ChildProcess, adminUrl: string): Promise<void> {
  let failure: Error | null = null;
  server.once('error', (error) => (failure = error));
  const deadline = Date.now() + READY_LIMIT_MS;
  while (Date.now() < deadline) {
    if (failure !== null) throw new Error('PostgreSQL could not be started', { cause: failure });
    if (server.exitCode !== null || server.signalCode !== null) throw new Error('PostgreSQL ended while starting');
    if (await createDatabase(adminUrl)) return;
    await wait(50);
  }
  throw new Error('PostgreSQL did not answer in time');
}

/** True once the server answers and has the database; false where it is not yet there. */
async function createDatabase(adminUrl: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: adminUrl, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query('select from pg_database where datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`create database ${ROLE}`);
    return true;
  } catch (error) {
    // Refused or still recovering (57P03): not ready yet. Anything else will not become better by waiting.
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === '28P01') throw new Error('PostgreSQL on this port has another password', { cause: error });
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
