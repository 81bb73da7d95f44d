import type { ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openCluster, type Cluster } from '../../../../deploy/local/embedded-postgres.ts';
import { freePort } from '../../../../deploy/local/free-port.ts';

/** As a data folder in somebody's home stands: nobody else may enter. */
const dir = mkdtempSync(join(tmpdir(), 'farwatch-cluster-'));
chmodSync(dir, 0o700);
let port: number;
let server: ChildProcess;
let cluster: Cluster;

beforeAll(async () => {
  port = await freePort();
  await start();
});

afterAll(async () => {
  await end('SIGINT');
  rmSync(dir, { recursive: true, force: true });
});

test('the server runs as somebody other than root, below a folder of mode 700', () => {
  const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))?.[1]);
  expect(uid).not.toBe(0);
  expect(statSync(join(dir, 'postgres'))).toMatchObject({ uid });
});

test('it is durable, listens on loopback alone and has room for the locks of many partitions', async () => {
  const settings = await query(
    `select name, setting from pg_settings where name in
       ('fsync', 'synchronous_commit', 'listen_addresses', 'unix_socket_directories', 'max_locks_per_transaction')`,
  );
  expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
    fsync: 'on',
    synchronous_commit: 'on',
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_locks_per_transaction: '256',
  });
});

test('nobody comes in without the password, which only its owner can read', async () => {
  const url = new URL(cluster.url);
  url.password = 'guessed';
  await expect(query('select 1', url.href)).rejects.toMatchObject({ code: '28P01' });
  expect(statSync(join(dir, 'postgres.secret')).mode & 0o777).toBe(0o600);
});

test('what was committed is there after a kill', async () => {
  await query('create table kept (n int)');
  await query('insert into kept values (1)');
  await end('SIGKILL');
  await start();
  expect(await query('select n from kept')).toEqual([{ n: 1 }]);
});

test('a server that outlived its launcher is taken over', async () => {
  const before = server;
  await start();
  expect(before.exitCode).toBe(0);
  expect(await query('select n from kept')).toEqual([{ n: 1 }]);
});

test('a pid file whose number belongs to another process by now does not stand in the way', async () => {
  await end('SIGKILL');
  const file = join(dir, 'postgres/postmaster.pid');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/^\d+/, String(process.pid)));
  await start();
  expect(await query('select n from kept')).toEqual([{ n: 1 }]);
});

async function start(): Promise<void> {
  cluster = await openCluster({ dir, port });
  server = cluster.spawn('ignore');
  await cluster.ready(server);
}

function end(signal: NodeJS.Signals): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    server.once('exit', () => resolve());
    server.kill(signal);
  });
}

async function query(sql: string, url = cluster.url): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}
