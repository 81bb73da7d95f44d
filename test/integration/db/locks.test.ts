import { expect, test } from 'vitest';
import type pg from 'pg';
import { floorHour } from '../../../core/minute.ts';
import { STATUS_CODE } from '../../../core/outcome.ts';
import { makeRoom } from '../../../db/room.ts';
import { createTestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';
import { persist } from '../../support/persist.ts';
import { seededRandom } from '../../support/seeded-random.ts';
import { stepThrough } from '../../support/stepped-database.ts';

test('two writers at once store no point that misses a vote', async () => {
  expect(await votesMissed(true)).toBe(0);
});

test('without the minute locks they do', async () => {
  expect(await votesMissed(false)).toBeGreaterThan(0);
});

test('of two better results that come at once the best one stands', async () => {
  const database = await createTestDatabase();
  try {
    const { pool } = database;
    const minute = floorHour(Date.now() / 1000) - 3600;
    const region = await addRegion(pool, 'r1');
    for (let seed = 1; seed <= 12; seed++) {
      const monitorId = await addMonitor(pool, `raced-${seed}`);
      const row = resultOf({ monitorId, minute, ...region, status: 'UNKNOWN', latencyUs: null });
      await storeResults(pool, [row]);
      const stepped = stepThrough(database.url, pool, seededRandom(seed));
      for (const status of ['DEGRADED', 'UP', 'DOWN'] as const) {
        const better = { ...row, status, latencyUs: 1 };
        stepped.add(status, (own) => persist(() => storeResults(own, [better])));
      }
      await stepped.run();
    }
    const { rows } = await pool.query('select distinct status from check_results');
    expect(rows).toEqual([{ status: STATUS_CODE.UP }]);
  } finally {
    await database.drop();
  }
});

/** Two writers with one region each, on one minute after another. Returns how many points lack a vote at the end. */
async function votesMissed(locked: boolean): Promise<number> {
  const database = await createTestDatabase();
  try {
    const { pool } = database;
    const start = floorHour(Date.now() / 1000) - 3600;
    const regions = [await addRegion(pool, 'r1'), await addRegion(pool, 'r2')];
    const monitorId = await addMonitor(pool, 'plain');
    await makeRoom(pool, 'check_results', [start]);
    await makeRoom(pool, 'data_points', [start]);
    if (!locked) await removeMinuteLocks(pool);
    for (let seed = 1; seed <= 12; seed++) {
      const stepped = stepThrough(database.url, pool, seededRandom(seed));
      for (const region of regions) {
        const row = resultOf({ monitorId, minute: start + seed * 60, ...region });
        stepped.add(`writer ${region.regionId}`, (own) => persist(() => storeResults(own, [row])));
      }
      await stepped.run();
    }
    const { rows } = await pool.query<{ missed: number }>(
      'select count(*) as missed from data_points where monitor_id = $1 and known < 2',
      [monitorId],
    );
    return rows[0]?.missed ?? NaN;
  } finally {
    await database.drop();
  }
}

/** The functions of the first schema on the path hide the real ones. */
async function removeMinuteLocks(pool: pg.Pool): Promise<void> {
  await pool.query(`create schema unlocked`);
  await pool.query(`create function unlocked.pg_advisory_xact_lock(int, int) returns void language sql as 'select'`);
  const { rows } = await pool.query<{ name: string }>('select current_database() as name');
  await pool.query(`alter database ${rows[0]?.name ?? ''} set search_path = unlocked, pg_catalog, public`);
}
