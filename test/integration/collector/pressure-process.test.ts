import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/result.ts';
import { tcpResult } from '../../support/check-results.ts';
import { countRows, createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { parseExposition, valueOf } from '../../support/exposition.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { startSourceProgram, type SourceProgram } from '../../support/source-program.ts';
import { createAgent, testIdentityDir } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

const AGENTS = 2;
const BATCH_ROWS = 1000;
/** Far more than the windows of the streams take. */
const BATCHES = 60;
/** Where the database is slow, what is under way must not take it longer than a statement may. */
const SMALL_BATCH_ROWS = 100;
const SMALL_BATCHES = 240;
/** What full windows may cost beside the garbage of a busy process, loosely. */
const ALLOWED_MIB = 200;
/** What no window counts, but the connection has to carry. */
const FILLER = 'x'.repeat(50_000);
/** Unacknowledged batches that a collector takes of one stream. */
const WINDOW = 16;

let database: TestDatabase;
let nats: TestNats;
let collector: SourceProgram;
const agents: WireAgent[] = [];
beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  collector = startSourceProgram('collector', {
    DATABASE_URL: database.url,
    NATS_URL: nats.url,
    FARWATCH_IDENTITY_DIR: testIdentityDir,
    COLLECTOR_LISTEN: '127.0.0.1:0',
  });
  const address = await collector.logged('address');
  for (let index = 0; index < AGENTS; index++) {
    const region = `r${index}`;
    const created = await createAgent(database.pool, `${region}-1`, region);
    if ('problem' in created) throw new Error(created.problem);
    agents.push(await connectWireAgent({ address, token: created.token, region }));
  }
}, 120_000);
afterAll(async () => {
  process.kill(collector.pid, 'SIGCONT');
  for (const agent of agents) await agent.close();
  await collector.stop();
  await nats.stop();
  await database.drop();
}, 120_000);

async function figures(): Promise<(name: string, labels?: Record<string, string>) => number> {
  const address = await collector.logged('healthAddress');
  const families = parseExposition(await (await fetch(`http://${address}/metrics`)).text());
  return (name, labels) => valueOf(families, `farwatch_collector_${name}`, labels);
}

/** Resident memory of the collector, MiB. */
function residentMib(): number {
  const [, kib = ''] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${collector.pid}/status`, 'utf8')) ?? [];
  return Number(kib) / 1024;
}

/** Holds up every writer of results; once released, each of their statements still takes a good while. */
async function slowDown(): Promise<pg.PoolClient> {
  const client = await database.pool.connect();
  await client.query(`begin;
    lock table check_results in access exclusive mode;
    create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(0.2); return null; end $$;
    create trigger dawdle before insert on check_results for each statement execute function dawdle()`);
  return client;
}

/** Looks again and again, for so long or until `done`: memory and what is under way must never pass their bounds. */
async function watch(ms: number, beforeMib: number, done: () => boolean): Promise<void> {
  for (const end = Date.now() + ms; Date.now() < end && !done(); await wait(200)) {
    const look = await figures();
    expect(look('coalescer_rows')).toBeLessThanOrEqual(look('coalescer_capacity_rows'));
    expect(look('batches_in_flight')).toBeLessThanOrEqual(AGENTS * WINDOW);
    expect(residentMib() - beforeMib).toBeLessThan(ALLOWED_MIB);
  }
}

const newest = Math.floor(Date.now() / 60_000) * 60 - 60;

/** Makes monitors that have always been there; returns their ids. */
async function addMonitors(prefix: string, count: number): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
     select $1 || n, 'm', 'ACTIVE', 'API', 'NO', 'NO' from generate_series(1, $2) as n returning id`,
    [prefix, count],
  );
  await database.pool.query(`update monitor_versions set from_minute = 'epoch'`);
  return rows.map(({ id }) => id);
}

function minuteOf(ids: readonly number[], minutesAgo: number): CheckResult[] {
  return ids.map((id) => tcpResult(id, { minute: newest - 60 * minutesAgo }));
}

interface Flood {
  sent: number;
  /** Whether the streams have taken everything. */
  isTaken: boolean;
  /** Resolves when every row is stored, those that were answered `retry` again. */
  settle(): Promise<void>;
}

/** Sends the batches, each by every agent, as fast as the streams take them. */
function flood(batches: readonly CheckResult[][]): Flood {
  const delivered: Promise<void>[] = [];
  const retried: (() => Promise<void>)[] = [];
  const running: Flood = {
    sent: 0,
    isTaken: false,
    async settle() {
      await taken;
      await Promise.all(delivered);
      for (let again = retried.splice(0); again.length > 0; again = retried.splice(0))
        for (const send of again) await send();
    },
  };
  const deliver = async (agent: WireAgent, rows: CheckResult[]): Promise<void> => {
    running.sent += rows.length;
    const answers = await agent.send(rows);
    expect(answers.filter(({ answer }) => answer === 'dropped')).toEqual([]);
    if (answers.some(({ answer }) => answer === 'retry')) retried.push(() => deliver(agent, rows));
  };
  const pour = async (agent: WireAgent): Promise<void> => {
    for (const rows of batches) {
      delivered.push(deliver(agent, rows));
      // As an agent's writer does: more only when the stream takes more.
      await agent.stream.send({ body: 'checkAnswer', checkAnswer: { requestId: FILLER, outcome: '', error: '' } });
    }
  };
  const taken = Promise.all(agents.map(pour)).then(() => (running.isTaken = true));
  return running;
}

it('stays within its memory while the database stands or dawdles, agents flood it, and it is itself stopped', async () => {
  const ids = await addMonitors('m', BATCH_ROWS / 2);
  // Two minutes, of which the next batch has one again.
  const batches = Array.from({ length: BATCHES }, (_, number) => [
    ...minuteOf(ids, number),
    ...minuteOf(ids, number + 1),
  ]);
  const held = await slowDown();
  const before = residentMib();
  const running = flood(batches);
  await watch(8000, before, () => running.isTaken);
  process.kill(collector.pid, 'SIGSTOP');
  await wait(2000);
  process.kill(collector.pid, 'SIGCONT');
  await watch(3000, before, () => false);
  expect(running.isTaken).toBe(false);
  await held.query('commit');
  held.release();
  await watch(120_000, before, () => running.isTaken);
  await running.settle();
  await watch(1000, before, () => false);
  const end = await figures();
  // Every row that was sent is counted under its answer, and none was dropped.
  expect(end('rows_total')).toBe(running.sent);
  expect(end('rows_total', { answer: 'dropped' })).toBe(0);
  expect(end('coalescer_rows')).toBe(0);
  expect(end('batches_in_flight')).toBe(0);
  expect(end('streams')).toBe(AGENTS);
  expect(await countRows(database.pool, 'check_results')).toBe((AGENTS * (BATCHES + 1) * BATCH_ROWS) / 2);
  await database.pool.query('drop trigger dawdle on check_results');
}, 300_000);

/** A tenth is asked for; what is written at once comes in lumps. */
const SLOWER = 16;
const PAUSE_SECONDS = 0.05;
const SLOW_MS = 12_000;

/** Lets the database write so many rows a second at most, whoever writes them. Returns how to end that. */
async function slowDownTo(rowsASecond: number): Promise<() => Promise<unknown>> {
  const rows = Math.max(1, Math.floor(rowsASecond * PAUSE_SECONDS));
  await database.pool.query(`
    create sequence rows_written;
    create function take_time() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock(1);
      if nextval('rows_written') % ${rows} = 0 then perform pg_sleep(${PAUSE_SECONDS}); end if;
      return new;
    end $$;
    create trigger take_time before insert on check_results for each row execute function take_time()`);
  // Dropping the trigger would deadlock with those who write partitions.
  return () =>
    database.pool.query(
      'create or replace function take_time() returns trigger language plpgsql as $$ begin return new; end $$',
    );
}

it('stays within its memory while the database writes at less than a tenth of its rate', async () => {
  const ids = await addMonitors('slow', SMALL_BATCH_ROWS);
  const free = Array.from({ length: SMALL_BATCHES / 4 }, (_, number) => minuteOf(ids, number));
  const slow = Array.from({ length: SMALL_BATCHES }, (_, number) => minuteOf(ids, free.length + number));
  const startedMs = performance.now();
  const unhindered = flood(free);
  await unhindered.settle();
  const freeRate = (unhindered.sent / (performance.now() - startedMs)) * 1000;

  const hasten = await slowDownTo(freeRate / SLOWER);
  const before = residentMib();
  const running = flood(slow);
  const [first, firstMs] = [(await figures())('rows_total'), performance.now()];
  await watch(SLOW_MS, before, () => false);
  const slowRate = (((await figures())('rows_total') - first) / (performance.now() - firstMs)) * 1000;
  expect(running.isTaken).toBe(false);
  expect(slowRate).toBeGreaterThan(0);
  expect(slowRate).toBeLessThan(freeRate / 10);
  await hasten();
  await watch(120_000, before, () => running.isTaken);
  await running.settle();
  const of = `check_results where monitor_id between ${ids[0]} and ${ids.at(-1)}`;
  expect(await countRows(database.pool, of)).toBe(AGENTS * (free.length + slow.length) * SMALL_BATCH_ROWS);
}, 300_000);
