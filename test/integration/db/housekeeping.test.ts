import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import { recordAbsences } from '../../../db/absences.ts';
import { engineOf } from '../../../db/engine.ts';
import { TIME_RELATIONS } from '../../../db/engines/engine.ts';
import { keepHouse } from '../../../db/housekeeping.ts';
import { overwritePoint, overwriteRange, readPoint } from '../../../db/points.ts';
import { purgeDeleted } from '../../../db/purge.ts';
import { rollUp } from '../../../db/rollups.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';

const DAY = 86_400;
const now = floorMinute(Date.now() / 1000);
let database: TestDatabase;
let places: { regionId: number; agentId: number }[];

beforeAll(async () => {
  database = await createTestDatabase();
  places = [await addRegion(database.pool, 'r1'), await addRegion(database.pool, 'r2')];
});
afterAll(() => database.drop());

const place = (index = 0): { regionId: number; agentId: number } => places[index] ?? { regionId: 0, agentId: 0 };

async function count(sql: string, ...values: unknown[]): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(`select count(*) as count ${sql}`, values);
  return rows[0]?.count ?? NaN;
}

/** Compresses what the engine can: everything that ended before now. */
async function compressAll(): Promise<void> {
  const engine = await engineOf(database.pool);
  for (const relation of TIME_RELATIONS) await engine.compressBefore(database.pool, relation, now, 1000);
}

test('a slow reader of history holds up neither ingest, nor new spans, nor housekeeping that ends', async () => {
  const id = await addMonitor(database.pool, 'slow');
  await keepHouse(database.pool);
  await overwritePoint(database.pool, id, now - 395 * DAY, { latencyUs: 1 }, null);
  await rollUp(database.pool);
  await database.pool.query(`insert into system values ('retention_points_days', '100')`);
  const reader = await database.pool.connect();
  try {
    await reader.query('begin');
    await reader.query('declare history cursor for select * from data_points, check_results');
    await reader.query('fetch 1 from history');
    const began = performance.now();
    let done = false;
    const housekeeping = keepHouse(database.pool).finally(() => (done = true));
    // A live minute, and one whose span must be made first, again and again while housekeeping waits for the reader.
    for (let day = 4; !done || day < 8; day++) {
      const rows = [now, now + day * DAY].map((minute) => resultOf({ monitorId: id, minute, ...place() }));
      const sent = performance.now();
      await storeResults(database.pool, rows);
      expect(performance.now() - sent).toBeLessThan(1500);
      await wait(20);
    }
    expect((await housekeeping).held).toBeGreaterThan(0);
    expect(performance.now() - began).toBeLessThan(20_000);
  } finally {
    await reader.query('rollback');
    reader.release();
  }
  expect(await keepHouse(database.pool)).toMatchObject({ dropped: 1, held: 0 });
  expect(await count('from data_points where minute < to_timestamp($1)', now - 200 * DAY)).toBe(0);
  await database.pool.query(`delete from system where key = 'retention_points_days'`);
});

test('retention ends whole spans behind its edge and leaves the roll-ups', async () => {
  const id = await addMonitor(database.pool, 'retention');
  const old = now - 80 * DAY;
  await storeResults(database.pool, [resultOf({ monitorId: id, minute: old, ...place() })]);
  await rollUp(database.pool);
  await database.pool.query(
    `insert into system values ('retention_points_days', '30'), ('retention_results_days', '7')`,
  );
  await keepHouse(database.pool);
  await database.pool.query(`delete from system where key like 'retention%'`);
  expect(await count('from data_points where monitor_id = $1', id)).toBe(0);
  expect(await count('from check_results where monitor_id = $1', id)).toBe(0);
  expect(await count('from data_points_hourly where monitor_id = $1 and up = 1', id)).toBe(1);
});

test('absences are forgotten with the results of their minutes', async () => {
  const { agentId } = place();
  const [over, reaching] = [100, 95].map((days) => now - days * DAY);
  await recordAbsences(database.pool, [
    { agentId, range: { from: over ?? 0, to: now - 91 * DAY }, reason: 'stopped' },
    { agentId, range: { from: reaching ?? 0, to: now - 89 * DAY }, reason: 'stopped' },
  ]);
  await keepHouse(database.pool);
  expect(await count('from absences where from_minute = to_timestamp($1)', over)).toBe(0);
  expect(await count('from absences where from_minute = to_timestamp($1)', reaching)).toBe(1);
});

test('points with a mark that the roller has not worked off outlive their retention', async () => {
  const id = await addMonitor(database.pool, 'marked');
  await overwritePoint(database.pool, id, now - 80 * DAY, { latencyUs: 5 }, null);
  await database.pool.query(`insert into system values ('retention_points_days', '30')`);
  await keepHouse(database.pool);
  await database.pool.query(`delete from system where key like 'retention%'`);
  expect(await readPoint(database.pool, id, now - 80 * DAY)).not.toBeNull();
  await rollUp(database.pool);
});

test('a year is overwritten where it is compressed, and only that monitor changes', { timeout: 180_000 }, async () => {
  const ids = [await addMonitor(database.pool, 'year-1'), await addMonitor(database.pool, 'year-2')] as const;
  const range = { from: now - 365 * DAY, to: now };
  const point = { status: 'UP', latencyUs: 1000, deviationUs: 0 } as const;
  await overwriteRange(database.pool, ids[0], range, point);
  await overwriteRange(database.pool, ids[1], { ...range, from: now - 100 * DAY }, point);
  await compressAll();
  expect(await overwriteRange(database.pool, ids[0], range, { ...point, status: 'DOWN', latencyUs: 7 })).toBe(525_600);
  const changed = 'from data_points where monitor_id = $1 and status = 4 and latency_us = 7 and origin = 5';
  expect(await count(changed, ids[0])).toBe(525_600);
  expect(await count('from data_points where monitor_id = $1', ids[0])).toBe(525_600);
  expect(await count(changed, ids[1])).toBe(0);
  await rollUp(database.pool);
  expect(await count('from data_points_hourly where monitor_id = $1 and down = 60', ids[0])).toBeGreaterThan(8750);
});

test('late rows find their place in what is compressed: new, better, and no better', async () => {
  const id = await addMonitor(database.pool, 'late');
  const minutes = Array.from({ length: 300 }, (_, index) => now - 40 * DAY + index * 60);
  const row = (minute: number, given: Parameters<typeof resultOf>[0] | object = {}) =>
    resultOf({ monitorId: id, minute, ...place(), ...given });
  const down = { status: 'DOWN', latencyUs: 0 };
  await storeResults(
    database.pool,
    minutes.filter((_, index) => index % 2 === 0).map((minute) => row(minute, down)),
  );
  await compressAll();
  const answers = await storeResults(
    database.pool,
    minutes.map((minute, index) => row(minute, index % 4 === 0 ? {} : down)),
  );
  expect(answers).toEqual(minutes.map((_, index) => (index % 4 === 2 ? 'duplicate' : 'stored')));
  await storeResults(
    database.pool,
    minutes.map((minute) => row(minute, place(1))),
  );
  const points = await Promise.all(minutes.slice(0, 4).map((minute) => readPoint(database.pool, id, minute)));
  expect(points.map((stored) => stored?.status)).toEqual(['UP', 'DEGRADED', 'DEGRADED', 'DEGRADED']);
  expect(await count('from check_results where monitor_id = $1', id)).toBe(600);
  expect(await count('from data_points where monitor_id = $1 and known = 2', id)).toBe(300);
});

test('a deleted monitor leaves nothing behind, compressed or not, and its late results are dropped', async () => {
  const ids = [await addMonitor(database.pool, 'deleted'), await addMonitor(database.pool, 'kept')] as const;
  const range = { from: now - 60 * DAY, to: now };
  for (const monitorId of ids) {
    await overwriteRange(database.pool, monitorId, range, { status: 'UP', latencyUs: 1, deviationUs: 0 });
    const old = [now - 60, now - 20 * DAY].map((minute) => resultOf({ monitorId, minute, ...place() }));
    await storeResults(database.pool, old);
  }
  await rollUp(database.pool);
  await compressAll();
  await overwritePoint(database.pool, ids[0], now - 40 * DAY, { latencyUs: 2 }, null);
  await database.pool.query('delete from monitors where id = $1', [ids[0]]);
  const late = resultOf({ monitorId: ids[0], minute: now - 120, ...place() });
  expect(await storeResults(database.pool, [late])).toEqual(['dropped']);
  while ((await count('from purges where not done')) > 0) await purgeDeleted(database.pool);
  for (const relation of [...TIME_RELATIONS, 'data_points_hourly', 'dirty_hours']) {
    expect(await count(`from ${relation} where monitor_id = $1`, ids[0])).toBe(0);
  }
  expect(await count('from data_points where monitor_id = $1', ids[1])).toBe(60 * 1440);
});

test('a deletion is remembered until the last transaction that may have seen the monitor has ended', async () => {
  const id = await addMonitor(database.pool, 'raced');
  const writer = await database.pool.connect();
  try {
    await writer.query('begin');
    await writer.query('select pg_current_xact_id()');
    await database.pool.query('delete from monitors where id = $1', [id]);
    await purgeDeleted(database.pool);
    await purgeDeleted(database.pool);
    await writer.query(
      `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
       values (to_timestamp($1), $2, 1, 2, 1, 1)`,
      [now, id],
    );
    await writer.query('commit');
  } finally {
    writer.release();
  }
  while ((await count('from purges where not done')) > 0) await purgeDeleted(database.pool);
  expect(await count('from data_points where monitor_id = $1', id)).toBe(0);
});
