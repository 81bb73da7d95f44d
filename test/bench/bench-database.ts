import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { openPool } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { openCluster } from '../../deploy/local/embedded-postgres.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { administer, databaseUrl } from '../support/database-server.ts';

/** What a bench closes at its end, last first. */
export type Closers = (() => Promise<unknown> | void)[];

/** Runs a bench and closes what it opened, whatever became of it. */
export async function closing(closers: Closers, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** A migrated database of a bench's own; what it opens is closed by `closers`, last first. */
export interface BenchDatabase {
  url: string;
  pool: pg.Pool;
}

/** On the server that TEST_DATABASE_URL names, else on an embedded one with its defaults. */
export async function openBenchDatabase(closers: Closers): Promise<BenchDatabase> {
  return makeBenchDatabase(await openBenchServer(closers), 'only', closers);
}

/** On a server that is there already; `purpose` tells a bench's databases apart. */
export async function makeBenchDatabase(adminUrl: string, purpose: string, closers: Closers): Promise<BenchDatabase> {
  const name = `farwatch_bench_${purpose}_${process.pid}`;
  await administer(adminUrl, `create database ${name}`);
  closers.push(() => administer(adminUrl, `drop database if exists ${name} with (force)`));
  const url = databaseUrl(adminUrl, name);
  const pool = openPool({ url, name: 'bench', max: 4, statementTimeoutMs: 0 });
  closers.push(() => pool.end());
  await migrate(pool);
  return { url, pool };
}

/** The admin URL of the server that TEST_DATABASE_URL names, else of an embedded one with its defaults. */
export async function openBenchServer(closers: Closers): Promise<string> {
  const given = process.env.TEST_DATABASE_URL;
  if (given) return given;
  const dir = mkdtempSync(join(tmpdir(), 'farwatch-bench-'));
  closers.push(() => rmSync(dir, { recursive: true, force: true }));
  const cluster = await openCluster({ dir, port: await freePort() });
  const server = cluster.spawn('ignore');
  closers.push(async () => {
    server.kill('SIGINT');
    if (server.exitCode === null) await once(server, 'exit');
  });
  await cluster.ready(server);
  return cluster.adminUrl;
}

/** Monitors that are never checked. Returns their ids, ascending. */
export async function addBenchMonitors(pool: pg.Pool, count: number): Promise<number[]> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'API', 'NO', 'NO' from generate_series(1, $1) as n returning id`,
    [count],
  );
  return rows.map(({ id }) => id);
}

/**
 * Points of every monitor for `days` days up to `end`, in the order in which life writes them: minute by minute, all
 * monitors. Latencies have microsecond resolution, a daily wave, noise, and no constant runs.
 */
export async function writeHistory(
  pool: pg.Pool,
  monitorIds: readonly number[],
  end: number,
  days: number,
): Promise<void> {
  for (let day = days; day > 0; day--) {
    await pool.query(
      `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
       select to_timestamp(at), id,
         (20000 + 500 * (id % 40) + 8000 * sin(at / 13750.0) + 3000 * random() + 60000 * (0.01 + 0.99 * random()) ^ 40)::int,
         case when random() < 0.998 then 2 when random() < 0.5 then 3 else 4 end, 1, 3
       from generate_series($1::int8, $2::int8 - 60, 60) as at cross join unnest($3::int[]) as id order by at, id`,
      [end - day * 86_400, end - (day - 1) * 86_400, monitorIds],
    );
  }
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
