import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import type { RegionalResult } from '../../../core/result.ts';
import { deletePoints } from '../../../db/point-deletion.ts';
import { lockMinutes, lockRoller } from '../../../db/locks.ts';
import { listPoints } from '../../../db/point-list.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';

const START = floorMinute(Date.now() / 1000) - 7200;
const RANGE = { from: START, to: START + 3600 };
const ALL = { from: 0, to: START + 86_400 };

let database: TestDatabase;
let places: { regionId: number; agentId: number }[];
beforeAll(async () => {
  database = await createTestDatabase();
  places = [await addRegion(database.pool, 'eu'), await addRegion(database.pool, 'us')];
});
afterAll(() => database.drop());

const batch = (monitorId: number, given: Partial<RegionalResult> = {}, regions = places): RegionalResult[] =>
  Array.from({ length: 60 }, (_, at) =>
    regions.map((place) => resultOf({ monitorId, minute: START + at * 60, ...place, ...given })),
  ).flat();

async function stateOf(monitorId: number): Promise<{ points: number; results: number; votes: number[] }> {
  const { total } = await listPoints(database.pool, { monitorId, range: ALL }, { page: 1, limit: 1 });
  const results = await database.pool.query('select from check_results where monitor_id = $1', [monitorId]);
  const { rows } = await database.pool.query<{ known: number }>(
    'select distinct known from data_points where monitor_id = $1 order by known',
    [monitorId],
  );
  return { points: total, results: results.rowCount ?? 0, votes: rows.map(({ known }) => known) };
}

test('what was measured goes with its points, and what comes late is judged alone', async () => {
  const monitorId = await addMonitor(database.pool, 'alone');
  await storeResults(database.pool, batch(monitorId));
  expect(await stateOf(monitorId)).toEqual({ points: 60, results: 120, votes: [2] });
  expect(await deletePoints(database.pool, { monitorId, range: { from: START + 600, to: START + 1200 } })).toBe(10);
  expect(await stateOf(monitorId)).toEqual({ points: 50, results: 100, votes: [2] });
  expect(await deletePoints(database.pool, { monitorId, range: RANGE })).toBe(50);
  expect(await stateOf(monitorId)).toEqual({ points: 0, results: 0, votes: [] });
  await storeResults(database.pool, batch(monitorId, {}, places.slice(0, 1)));
  expect(await stateOf(monitorId)).toEqual({ points: 60, results: 60, votes: [1] });
});

test('the results of the other statuses stay', async () => {
  const monitorId = await addMonitor(database.pool, 'by-status');
  const rows = batch(monitorId).map((row) => ({ ...row, ...(row.minute < START + 600 && DOWN) }));
  await storeResults(database.pool, rows);
  expect(await deletePoints(database.pool, { monitorId, range: ALL, status: 'DOWN' })).toBe(10);
  expect(await stateOf(monitorId)).toEqual({ points: 50, results: 100, votes: [2] });
});

/** What a transaction does that is under way when a deletion begins, and that the deletion has to wait for. */
async function deleteBehind(
  monitorId: number,
  holds: (client: pg.PoolClient) => Promise<unknown>,
  writes: (client: pg.PoolClient) => Promise<unknown>,
): Promise<number> {
  const other = await database.pool.connect();
  await other.query('begin');
  await holds(other);
  const deleted = deletePoints(database.pool, { monitorId, range: RANGE });
  await eventually('the deletion does not wait', 10_000, async () => {
    const { rowCount } = await database.pool.query('select from pg_locks where not granted limit 1');
    return rowCount === 1;
  });
  await writes(other);
  await other.query('commit');
  other.release();
  return deleted;
}

const writePoints = (client: pg.PoolClient, monitorId: number, minutes: number): Promise<unknown> =>
  client.query(
    `insert into data_points (monitor_id, minute, status, origin, latency_us, known)
     select $1, to_timestamp($2::int8 + 60 * at), 2, 1, 1, 1 from generate_series(0, $3 - 1) as at
     on conflict (monitor_id, minute) do update set status = excluded.status`,
    [monitorId, START, minutes],
  );

test('a point that is being made of results goes with them', async () => {
  const monitorId = await addMonitor(database.pool, 'being-made');
  const deleted = await deleteBehind(
    monitorId,
    // It has looked at the results, and is about to write what they amount to.
    (client) => lockMinutes(client, [START]),
    (client) => writePoints(client, monitorId, 1),
  );
  expect(deleted).toBe(1);
  expect(await stateOf(monitorId)).toEqual({ points: 0, results: 0, votes: [] });
});

test('points that are being written by hand go all of them', async () => {
  const monitorId = await addMonitor(database.pool, 'by-hand');
  await storeResults(database.pool, batch(monitorId).slice(0, 20));
  const deleted = await deleteBehind(
    monitorId,
    async (client) => {
      await client.query('select from monitors where id = $1 for key share', [monitorId]);
      await writePoints(client, monitorId, 20);
    },
    () => Promise.resolve(),
  );
  expect(deleted).toBe(20);
  expect((await stateOf(monitorId)).points).toBe(0);
});

test('what is being rolled up goes too', async () => {
  const monitorId = await addMonitor(database.pool, 'rolled');
  await storeResults(database.pool, batch(monitorId));
  await deleteBehind(monitorId, lockRoller, (client) =>
    client.query(
      `insert into data_points_hourly (monitor_id, hour, up, down, degraded, latency_count, latency_sum)
       select distinct $1::int, date_trunc('hour', minute, 'UTC'), 60, 0, 0, 60, 60 from data_points where monitor_id = $1`,
      [monitorId],
    ),
  );
  const { rowCount } = await database.pool.query('select from data_points_hourly where monitor_id = $1', [monitorId]);
  expect(rowCount).toBe(0);
});

test('with results coming in meanwhile no point is left whose results are not', async () => {
  for (let round = 0; round < 8; round++) {
    const monitorId = await addMonitor(database.pool, `race-${round}`);
    await storeResults(database.pool, batch(monitorId, {}, places.slice(0, 1)));
    await Promise.all([
      deletePoints(database.pool, { monitorId, range: RANGE }),
      storeResults(database.pool, batch(monitorId, { status: 'UP' }, places.slice(1))),
      storeResults(database.pool, batch(monitorId, {}, places.slice(0, 1))),
    ]);
    const { rows } = await database.pool.query(
      `select minute from data_points p where monitor_id = $1 and known <>
         (select count(*) from check_results r where r.monitor_id = p.monitor_id and r.minute = p.minute)`,
      [monitorId],
    );
    expect(rows).toEqual([]);
  }
});

const DOWN = { status: 'DOWN', cause: 'TARGET' } as const;
