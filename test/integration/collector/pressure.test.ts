import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as wait } from 'node:timers/promises';
import type { CheckResult } from '../../../core/result.ts';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let agent: WireAgent;
let token: string;
let monitorIds: number[];
const holds: Hold[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  const created = await createAgent(database.pool, 'eu-1', 'eu');
  if ('problem' in created) throw new Error(created.problem);
  token = created.token;
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'API', 'NO', 'NO' from generate_series(1, 100) as n returning id`,
  );
  monitorIds = rows.map(({ id }) => id);
  await database.pool.query(`update monitor_versions set from_minute = from_minute - interval '2 days'`);
});
beforeEach(async () => {
  collector = await startTestCollector(database.url, nats.url);
  agent = await connectWireAgent({ address: collector.address, token, region: 'eu' });
});
afterEach(async () => {
  for (const hold of holds.splice(0)) await hold.release();
  await agent.close();
  await collector.stop();
  expect(collector.failures).toEqual([]);
});
afterAll(async () => {
  await nats.stop();
  await database.drop();
});

let next = 0;
const newest = Math.floor(Date.now() / 60_000) * 60 - 600;
/** Results that nobody has reported yet, all of the last hours. */
const results = (count: number): CheckResult[] =>
  Array.from({ length: count }, () => {
    const place = next++;
    return {
      monitorId: monitorIds[place % monitorIds.length] ?? 0,
      minute: newest - 60 * Math.floor(place / monitorIds.length),
      revision: 1,
      status: 'UP',
      cause: 'NONE',
      origin: 'REALTIME',
      latencyUs: 1000,
      error: null,
      packets: null,
    };
  });

interface Hold {
  waiting: () => Promise<boolean>;
  release: () => Promise<void>;
}

/** Holds up every writer of results until released. */
async function holdUp(): Promise<Hold> {
  const client = await database.pool.connect();
  await client.query('begin; lock table check_results in access exclusive mode');
  let held = true;
  const hold: Hold = {
    async waiting() {
      // Not inside the holding transaction, which would see its first look at the activity for ever.
      const { rowCount } = await database.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name = 'farwatch-collector-writers'
           and datname = current_database()`,
      );
      return rowCount !== 0;
    },
    async release() {
      if (!held) return;
      held = false;
      await client.query('commit');
      client.release();
    },
  };
  holds.push(hold);
  return hold;
}

const countResults = async (): Promise<number> => {
  const { rows } = await database.pool.query<{ count: number }>('select count(*)::int as count from check_results');
  return rows[0]?.count ?? 0;
};

describe('a collector', () => {
  it('makes an agent wait while the database is held up, and loses nothing', async () => {
    const before = await countResults();
    const hold = await holdUp();
    const answers: Promise<unknown>[] = [];
    let sent = 0;
    const sending = (async () => {
      for (; sent < 300; sent++) {
        answers.push(agent.send(results(100)));
        // As an agent's writer does: the next batch only when the stream takes more.
        await agent.stream.send({
          body: 'checkAnswer',
          checkAnswer: { requestId: 'x'.repeat(50_000), outcome: '', error: '' },
        });
      }
    })();
    await eventually('the writers to wait', 10_000, () => hold.waiting());
    let seen = -1;
    while (seen !== sent) {
      seen = sent;
      await wait(300);
    }
    expect(sent).toBeLessThan(100);
    await hold.release();
    await sending;
    await Promise.all(answers);
    expect((await countResults()) - before).toBe(30_000);
  });

  it('stores a batch whose connection was cut under it', async () => {
    const hold = await holdUp();
    const answers = agent.send(results(10));
    await eventually('the writer to wait', 10_000, () => hold.waiting());
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name like 'farwatch-collector-%' and datname = current_database()`,
    );
    await hold.release();
    expect(new Set((await answers).map(({ answer }) => answer))).toEqual(new Set(['stored']));
  });

  it('asks its agents to leave when it stops, and answers what is in flight', async () => {
    const hold = await holdUp();
    const answers = agent.send(results(5));
    await eventually('the writer to wait', 10_000, () => hold.waiting());
    const stopping = collector.stop();
    await eventually('the wish to leave', 5000, () => agent.others.some(({ body }) => body === 'drain'));
    await hold.release();
    expect((await answers).every(({ answer }) => answer === 'stored')).toBe(true);
    await stopping;
    expect(await agent.ended).toBeUndefined();
  });

  it('stops at once when its agents leave, and soon when they stay', async () => {
    let begun = performance.now();
    await agent.stream.send({ body: 'leave', leave: {} });
    expect(await agent.ended).toBeUndefined();
    await collector.stop();
    expect(performance.now() - begun).toBeLessThan(2500);
    collector = await startTestCollector(database.url, nats.url);
    agent = await connectWireAgent({ address: collector.address, token, region: 'eu' });
    begun = performance.now();
    await collector.stop();
    expect(performance.now() - begun).toBeLessThan(8000);
  });

  it('ends the streams of a database that is no longer the one it was', async () => {
    await database.pool.query(`update system set value = value || '+' where key = 'epoch'`);
    // The collector looks every ten seconds.
    expect(await agent.ended).toMatchObject({ code: 'UNAVAILABLE' });
    const again = await connectWireAgent({ address: collector.address, token, region: 'eu' });
    expect(again.welcome.epoch).toBe(`${agent.welcome.epoch}+`);
    await again.close();
  });
});
