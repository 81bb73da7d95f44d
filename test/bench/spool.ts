import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { engineOf } from '../../db/engine.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import buildPrograms from '../support/build-programs.ts';
import { startNats } from '../support/nats.ts';
import { openSpoolOutage, startSpoolingAgent, type SpoolOutage } from '../support/spool-outage.ts';
import { SECONDS_OF_CHECKS, syntheticResult } from '../support/synthetic-results.ts';
import { createAgent, tlsOf } from '../support/test-identity.ts';
import { addBenchMonitors, closing, openBenchDatabase, say, type Closers } from './bench-database.ts';
import { startCollector } from './bench-programs.ts';

/**
 * An outage of 72 hours. First against a collector that only counts, with 50,000 monitors: the agent's time is simulated
 * while the collector is away, its disk and its stream are real; when the collector is back it measures on in real time
 * while the backlog drains. Then 1,000 monitors into the real collector and database. Aims: at most 16 bytes a result on
 * the disk, the backlog at 20 times real time or faster, fresh results within seconds, every minute once.
 * TEST_DATABASE_URL names another server, else an embedded one runs.
 */
const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '50000' },
    hours: { type: 'string', default: '72' },
    'stored-monitors': { type: 'string', default: '1000' },
  },
});
const MONITORS = Number(options.monitors);
const STORED_MONITORS = Number(options['stored-monitors']);
const MINUTES = Number(options.hours) * 60;
const MAX_BYTES_A_RESULT = 16;
const MIN_TIMES_REAL_TIME = 20;
const MAX_LATE_MS = 10_000;
const CUTS = 3;

const closers: Closers = [];
await closing(closers, async () => {
  say(`load ${loadavg()[0]?.toFixed(2)}`);
  if (MONITORS > 0) await drainIntoCounter();
  if (STORED_MONITORS > 0) await drainIntoDatabase();
});

async function drainIntoCounter(): Promise<void> {
  const outage = await openSpoolOutage({ monitors: MONITORS, minutes: MINUTES });
  closers.push(() => outage.close());
  const results = MONITORS * MINUTES;
  say(`${MONITORS} monitors, ${MINUTES / 60} hours, ${whole(results)} results`);
  await fill(outage, results);
  await outage.end();
  for (let cut = 0; cut < CUTS; cut += 1) await outage.sink.tell({ order: 'cut' });
  await outage.whole();
  await wait(10_000);
  const counted = await outage.settle();
  const { made, spool } = await outage.agent.tell({ order: 'report' });
  const seconds = (counted.wholeMs - counted.firstMs) / 1000;
  const times = results / seconds / (MONITORS / 60);
  const { p50, p99, max } = counted.lateMs;
  say(`drained in ${seconds.toFixed(0)} s: ${whole(results / seconds)} results/s, ${times.toFixed(0)} times real time`);
  say(`${counted.live} fresh results meanwhile, after ${p50} ms (half), ${p99} ms (99 %), ${max} ms (all)`);
  say(`agent's memory: ${whole(outage.agent.memoryMib().most)} MiB at most`);
  const missing = made - counted.backlog - counted.live;
  const wrong = `missing ${missing}, doubled ${counted.doubled}, invented ${counted.invented}`;
  say(`${wrong}; ${counted.repeated} came again after ${CUTS} lost windows; left in the spool ${spool.rows}`);
  demand(missing + counted.doubled + counted.invented === 0, 'every minute once');
  demand(times >= MIN_TIMES_REAL_TIME, `${MIN_TIMES_REAL_TIME} times real time`);
  demand(p99 <= MAX_LATE_MS, 'fresh results first');
}

async function fill(outage: SpoolOutage, results: number): Promise<void> {
  const seconds = await timed(() => outage.pass());
  const { spool } = await outage.agent.tell({ order: 'report' });
  const bytes = spool.bytes / results;
  const commits = MINUTES * SECONDS_OF_CHECKS;
  const raw = await writeRaw(spool.bytes, commits);
  say(
    `filled in ${seconds.toFixed(0)} s, ${((MINUTES * 60) / seconds).toFixed(0)} times real time; ${bytes.toFixed(1)} bytes a ` +
      `result; the same ${whole(spool.bytes / 1e6)} MB raw, in as many synced writes: ${raw.toFixed(0)} s ` +
      `(${(raw / seconds).toFixed(2)} of the time)`,
  );
  demand(spool.rows === results, 'everything is kept');
  demand(bytes <= MAX_BYTES_A_RESULT, `${MAX_BYTES_A_RESULT} bytes a result`);
}

/** Seconds that a file of that size takes in so many writes, each made to last. */
async function writeRaw(bytes: number, writes: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'farwatch-raw-'));
  const file = await open(join(folder, 'raw'), 'w');
  try {
    const chunk = Buffer.alloc(Math.round(bytes / writes), 0x5a);
    return await timed(async () => {
      for (let written = 0; written < writes; written += 1) {
        await file.write(chunk);
        await file.datasync();
      }
    });
  } finally {
    await file.close();
    rmSync(folder, { recursive: true });
  }
}

async function drainIntoDatabase(): Promise<void> {
  buildPrograms();
  const { url, pool } = await openBenchDatabase(closers);
  const nats = await startNats();
  closers.push(() => nats.stop());
  const created = await createAgent(pool, 'eu-1', 'eu');
  if ('problem' in created) throw new Error(created.problem);
  await addBenchMonitors(pool, STORED_MONITORS);
  await pool.query(`update regions set from_minute = from_minute - interval '10 days'`);
  await pool.query(`update monitor_versions set from_minute = from_minute - interval '10 days'`);
  const { rows } = await pool.query<{ value: string }>(`select value from system where key = 'epoch'`);
  const port = await freePort();
  const firstMinute = Math.floor(Date.now() / 60_000) * 60 - (MINUTES + 10) * 60;
  const { agent, close } = await startSpoolingAgent({
    ...{ firstMinute, port, region: 'eu', tls: tlsOf(created.token) },
    ...{ epoch: rows[0]?.value ?? '', monitors: STORED_MONITORS },
  });
  closers.push(close);
  await agent.tell({ order: 'pass', minutes: MINUTES });
  const seconds = await timed(async () => {
    await startCollector(url, nats.url, port, closers);
    while ((await agent.tell({ order: 'report' })).spool.rows > 0) await wait(100);
  });
  const results = STORED_MONITORS * MINUTES;
  const times = (MINUTES * 60) / seconds;
  say(`${STORED_MONITORS} monitors, ${MINUTES / 60} hours, ${whole(results)} results into ${await versionOf(pool)}`);
  say(`stored in ${seconds.toFixed(0)} s: ${whole(results / seconds)} results/s, ${times.toFixed(0)} times real time`);
  await compare(pool, firstMinute);
  demand(times >= MIN_TIMES_REAL_TIME, `${MIN_TIMES_REAL_TIME} times real time`);
}

/** Every minute of every monitor is there once and says what was measured, and has its point where it is known. */
async function compare(pool: pg.Pool, firstMinute: number): Promise<void> {
  const wanted = { minutes: MINUTES, results: STORED_MONITORS * MINUTES, known: 0, latency: 0 };
  for (let minute = firstMinute; minute < firstMinute + MINUTES * 60; minute += 60)
    for (let id = 1; id <= STORED_MONITORS; id += 1) {
      const { status, latencyUs } = syntheticResult(id, minute);
      if (status !== 'UNKNOWN') wanted.known += 1;
      wanted.latency += latencyUs ?? 0;
    }
  const { rows } = await pool.query<typeof wanted>(
    `select count(distinct minute)::int as minutes, count(*)::int as results, sum(latency_us)::float8 as latency,
       count(*) filter (where status <> 1)::int as known from check_results`,
  );
  say(`stored ${JSON.stringify(rows[0])}`);
  demand(
    JSON.stringify(Object.entries(rows[0] ?? {}).sort()) === JSON.stringify(Object.entries(wanted).sort()),
    'every minute once',
  );
  const seconds = await timed(async () => {
    while ((await countPoints(pool)) < wanted.known) await wait(500);
  });
  say(`${whole(wanted.known)} points, the last ${seconds.toFixed(0)} s later`);
  demand((await countPoints(pool)) === wanted.known, 'a point for every known minute');
}

async function countPoints(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>('select count(*)::int as count from data_points');
  return rows[0]?.count ?? 0;
}

async function versionOf(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ server_version: string }>('show server_version');
  return `PostgreSQL ${rows[0]?.server_version}, ${(await engineOf(pool)).name}`;
}

function demand(holds: boolean, what: string): void {
  if (holds) return;
  say(`MISSED: ${what}`);
  process.exitCode = 1;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
