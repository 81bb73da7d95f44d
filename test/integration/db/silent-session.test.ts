import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import { inTransaction, isTransient, openPool } from '../../../db/client.ts';
import { lockMinutes } from '../../../db/locks.ts';
import { startProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';

const minute = floorMinute(Date.now() / 1000) - 60;
let database: TestDatabase;
let place: { regionId: number; agentId: number };

beforeAll(async () => {
  database = await createTestDatabase();
  place = await addRegion(database.pool, 'r1');
});
afterAll(() => database.drop());

async function rowOf(tag: string) {
  return resultOf({ monitorId: await addMonitor(database.pool, tag), minute, ...place });
}

test('a program that falls silent within a transaction holds a minute up for no longer than it may', async () => {
  const row = await rowOf('held-up');
  const proxy = await startProxy(database.url);
  const pool = openPool({
    ...{ url: proxy.url, name: 'silent', max: 1, statementTimeoutMs: 0 },
    ...{ answerTimeoutMs: 1000, idleInTransactionMs: 1000 },
  });
  try {
    const silent = inTransaction(pool, async (client) => {
      await lockMinutes(client, [minute]);
      proxy.freeze();
      const begun = performance.now();
      expect(await storeResults(database.pool, [row])).toEqual(['stored']);
      expect(performance.now() - begun).toBeGreaterThan(500);
      await client.query('select 1');
    });
    expect(isTransient(await silent.catch((error: unknown) => error))).toBe(true);
  } finally {
    await pool.end();
    await proxy.close();
  }
}, 20_000);

test('the word with which the server ends it counts as a fault that passes', async () => {
  const pool = openPool({ url: database.url, name: 'idle', max: 1, statementTimeoutMs: 0, idleInTransactionMs: 200 });
  const client = await pool.connect();
  try {
    const told = new Promise((resolve) => client.once('error', resolve));
    await client.query('begin');
    const error = await told;
    expect(error).toMatchObject({ code: '25P03' });
    expect(isTransient(error)).toBe(true);
  } finally {
    client.release(true);
    await pool.end();
  }
});

test('the server looks for a silent host within half a minute', async () => {
  const settings = ['tcp_keepalives_idle', 'tcp_keepalives_interval', 'tcp_keepalives_count', 'tcp_user_timeout'];
  const { rows } = await database.pool.query<{ set: string[] }>(
    'select array(select current_setting(name) from unnest($1::text[]) as name) as set',
    [settings],
  );
  expect(rows[0]?.set).toEqual(['10', '5', '4', '30000']);
});

test('a write whose COPY is not answered is given up once, and stored once when it is written again', async () => {
  const row = await rowOf('unanswered');
  const pool = openPool({ url: database.url, name: 'heard', max: 1, statementTimeoutMs: 0, answerTimeoutMs: 3000 });
  const holder = await database.pool.connect();
  try {
    // With its partitions at hand the COPY is the first that meets the lock.
    expect(await storeResults(pool, [await rowOf('answered')])).toEqual(['stored']);
    await holder.query('begin; lock table check_results in access exclusive mode');
    const begun = performance.now();
    const failure = await storeResults(pool, [row]).catch((error: unknown) => error);
    expect(isTransient(failure)).toBe(true);
    expect(performance.now() - begun).toBeLessThan(5900);
    await holder.query('commit');
    expect(await storeResults(pool, [row])).toEqual(['stored']);
  } finally {
    holder.release();
    await pool.end();
  }
});
