import { afterAll, beforeAll, expect, it } from 'vitest';
import { findPublicMaintenance } from '../../../db/page-maintenances.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, stopClock } from '../../support/monitoring-fixture.ts';
import { addEvent } from '../../support/overlay-rows.ts';

const HOUR = 3600;
const NOW = Math.floor(Date.now() / 1000 / HOUR) * HOUR + 600;
const SINCE = NOW - 90 * 24 * HOUR;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await stopClock(database.pool, NOW);
});
afterAll(() => database.drop());

it('tells of a maintenance that comes every hour the windows around now', async () => {
  const { pool } = database;
  const start = NOW - 600;
  const shop = await addMonitor(pool, 'shop');
  await addEvent(pool, shop, { from: start, to: start + 900, impact: 'DOWN', status: 'SCHEDULED' });
  await pool.query(
    `insert into maintenance_events (maintenance_id, original_start, start_date_time, end_date_time, status)
     select id, at, at, at + 900, 'SCHEDULED' from maintenances, generate_series($1::int8, $2::int8, 3600) at where at <> $3`,
    [start - 3000 * HOUR, start + 800 * HOUR, start],
  );
  const { rows } = await pool.query<{ id: number }>('select id from maintenances');
  const found = await findPublicMaintenance(pool, rows[0]?.id ?? NaN, SINCE);
  const starts = found?.events.map((event) => event.start) ?? [];
  expect(starts).toEqual(Array.from({ length: 1000 }, (_, at) => start + (at - 499) * HOUR));
  expect(found?.events.find((event) => event.start === start)).toMatchObject({ status: 'ONGOING', end: start + 900 });
});

it('tells of none that ended too long ago, and of all where they are few', async () => {
  const { pool } = database;
  await pool.query('delete from maintenances');
  const shop = await addMonitor(pool, 'mail');
  await addEvent(pool, shop, { from: NOW - HOUR, to: NOW - 60, impact: 'DOWN' });
  const { rows } = await pool.query<{ id: number }>('select id from maintenances');
  const id = rows[0]?.id ?? NaN;
  expect((await findPublicMaintenance(pool, id, SINCE))?.events).toHaveLength(1);
  expect((await findPublicMaintenance(pool, id, NOW - 60))?.events).toEqual([]);
});
