import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/result.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { parseExposition, valueOf } from '../../support/exposition.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { startSourceProgram, type SourceProgram } from '../../support/source-program.ts';
import { createAgent, testIdentityDir } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

const AGENTS = 2;
const BATCH_ROWS = 1000;
/** Far more than the windows of the streams take. */
const BATCHES = 60;
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

it('stays within its memory while the database stands or dawdles, agents flood it, and it is itself stopped', async () => {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'API', 'NO', 'NO' from generate_series(1, ${BATCH_ROWS / 2}) as n returning id`,
  );
  await database.pool.query(`update monitor_versions set from_minute = 'epoch'`);
  const newest = Math.floor(Date.now() / 60_000) * 60 - 60;
  // Two minutes, of which the next batch has one again.
  const batch = (number: number): CheckResult[] =>
    Array.from({ length: BATCH_ROWS }, (_, index) => ({
      ...{
        monitorId: rows[index % rows.length]?.id ?? 0,
        minute: newest - 60 * (number + Number(index >= rows.length)),
      },
      ...({ status: 'UP', cause: 'NONE', origin: 'REALTIME', revision: 1 } as const),
      ...{ latencyUs: 1000, error: null, packets: null },
    }));
  const batches = Array.from({ length: BATCHES }, (_, number) => batch(number));
  let sent = 0;
  const retried: (() => Promise<void>)[] = [];
  const deliver = async (agent: WireAgent, number: number): Promise<void> => {
    sent += BATCH_ROWS;
    const answers = await agent.send(batches[number] ?? []);
    expect(answers.filter(({ answer }) => answer === 'dropped')).toEqual([]);
    if (answers.some(({ answer }) => answer === 'retry')) retried.push(() => deliver(agent, number));
  };
  const held = await slowDown();
  const before = residentMib();
  const delivered: Promise<void>[] = [];
  let flooded = false;
  const flooding = Promise.all(
    agents.map(async (agent) => {
      for (let number = 0; number < BATCHES; number++) {
        delivered.push(deliver(agent, number));
        // As an agent's writer does: more only when the stream takes more.
        const checkAnswer = { requestId: FILLER, outcome: '', error: '' };
        await agent.stream.send({ body: 'checkAnswer', checkAnswer });
      }
    }),
  ).then(() => (flooded = true));
  await watch(8000, before, () => flooded);
  process.kill(collector.pid, 'SIGSTOP');
  await wait(2000);
  process.kill(collector.pid, 'SIGCONT');
  await watch(3000, before, () => false);
  expect(flooded).toBe(false);
  await held.query('commit');
  held.release();
  await watch(120_000, before, () => flooded);
  await flooding;
  await Promise.all(delivered);
  for (let again = retried.splice(0); again.length > 0; again = retried.splice(0))
    for (const send of again) await send();
  await watch(1000, before, () => false);
  const end = await figures();
  // Every row that was sent is counted under its answer, and none was dropped.
  expect(end('rows_total')).toBe(sent);
  expect(end('rows_total', { answer: 'dropped' })).toBe(0);
  expect(end('coalescer_rows')).toBe(0);
  expect(end('batches_in_flight')).toBe(0);
  expect(end('streams')).toBe(AGENTS);
  const { rows: counted } = await database.pool.query<{ count: number }>('select count(*)::int from check_results');
  expect(counted[0]?.count).toBe((AGENTS * (BATCHES + 1) * BATCH_ROWS) / 2);
}, 300_000);
