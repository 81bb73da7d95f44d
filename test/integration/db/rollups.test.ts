import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorHour } from '../../../core/minute.ts';
import { overwriteRange } from '../../../db/points.ts';
import { rollUp } from '../../../db/rollups.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor } from '../../support/monitoring-fixture.ts';

let database: TestDatabase;
const hour = floorHour(Date.now() / 1000) - 7200;

beforeAll(async () => {
  database = await createTestDatabase();
  await setCursors(hour, hour);
});
afterAll(() => database.drop());

async function setCursors(rolledTo: number, sweptTo: number): Promise<void> {
  await database.pool.query(
    `update cursors set minute = to_timestamp(case name when 'rolled_to' then $1 else $2 end::float8)`,
    [rolledTo, sweptTo],
  );
}

async function stored(monitorId: number): Promise<unknown[]> {
  const { rows } = await database.pool.query<Record<string, number>>(
    `select extract(epoch from hour)::int8 as hour, up, down, degraded, latency_count, latency_sum, latency_min, latency_max
     from data_points_hourly where monitor_id = $1 order by hour`,
    [monitorId],
  );
  return rows;
}

test('an hour is rolled up once it was swept whole, and again whenever one of its points changes', async () => {
  const id = await addMonitor(database.pool, 'rolled');
  const write = (
    from: number,
    minutes: number,
    status: 'UP' | 'DOWN' | 'DEGRADED',
    latencyUs: number,
  ): Promise<number> =>
    overwriteRange(database.pool, id, { from, to: from + minutes * 60 }, { status, latencyUs, deviationUs: 0 });
  await write(hour, 40, 'UP', 1000);
  await write(hour + 2400, 20, 'DOWN', 0);
  await write(hour + 3600, 5, 'UP', 7);
  await setCursors(hour, hour + 3540);
  await rollUp(database.pool);
  expect(await stored(id)).toEqual([]);
  await setCursors(hour, hour + 3600);
  await rollUp(database.pool);
  const rolled = { hour, degraded: 0, latency_count: 40, latency_sum: 40_000, latency_min: 1000, latency_max: 1000 };
  expect(await stored(id)).toEqual([{ ...rolled, up: 40, down: 20 }]);
  await write(hour + 60, 1, 'DEGRADED', 5);
  expect(await stored(id)).toEqual([{ ...rolled, up: 40, down: 20 }]);
  await rollUp(database.pool);
  expect(await stored(id)).toEqual([{ ...rolled, up: 39, down: 20, degraded: 1, latency_sum: 39_005, latency_min: 5 }]);
});

test('two rollers at once and a writer under way leave the next hour to a later call, not to chance', async () => {
  const id = await addMonitor(database.pool, 'busy');
  await setCursors(hour, hour + 3600);
  const writer = await database.pool.connect();
  try {
    await writer.query('begin');
    await writer.query('select pg_advisory_xact_lock_shared(7261004::bigint)');
    await writer.query(
      `insert into data_points (minute, monitor_id, latency_us, status, origin, known) values (to_timestamp($1), $2, 9, 2, 1, 1)`,
      [hour, id],
    );
    await Promise.all([rollUp(database.pool), rollUp(database.pool)]);
    expect(await stored(id)).toEqual([]);
    await writer.query('commit');
  } finally {
    writer.release();
  }
  await rollUp(database.pool);
  expect(await stored(id)).toMatchObject([{ hour, up: 1, latency_sum: 9 }]);
});
