import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { floorHour } from '../../../core/minute.ts';
import { inTransaction, type Queryable } from '../../../db/client.ts';
import { createCountBook, readThrough, type CountBook } from '../../../db/count-book.ts';
import { overwriteRange } from '../../../db/points.ts';
import { rollUp } from '../../../db/rollups.ts';
import { countSlices, readRollState } from '../../../db/slice-counts.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor } from '../../support/monitoring-fixture.ts';

const HOUR = 3600;
const T = floorHour(Date.now() / 1000) - 24 * HOUR;
const up = { status: 'UP', latencyUs: 1000, deviationUs: 0 } as const;
const down = { status: 'DOWN', latencyUs: 0, deviationUs: 0 } as const;

let database: TestDatabase;
let id: number;
let book: CountBook;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  const { pool } = database;
  book = createCountBook();
  id = await addMonitor(pool, `m${performance.now()}`.replace('.', '-'));
  await pool.query(`update cursors set minute = to_timestamp($1)`, [T + 10 * HOUR]);
  await overwriteRange(pool, id, { from: T, to: T + 6 * HOUR }, up);
  await rollUp(pool);
});

/** How many minutes of the hours were UP and DOWN, by what is kept and what is read; and how many slices were read. */
async function count(client: Queryable, fromHour: number, toHour: number) {
  const state = await readRollState(client, [id]);
  const open = await book.open(client, state);
  const slices = [{ monitorId: id, from: T + fromHour * HOUR, to: T + toHour * HOUR }];
  let read = 0;
  const [counts] = await readThrough(open, open.counts, slices, (missing) => {
    read += missing.length;
    return countSlices(client, missing, state);
  });
  return { up: counts?.up, down: counts?.down, read };
}

const inSnapshot = <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(database.pool, async (client) => {
    await client.query('set transaction isolation level repeatable read, read only');
    return work(client);
  });
const look = (fromHour: number, toHour: number) => inSnapshot((client) => count(client, fromHour, toHour));

it('reads a slice once, and again when one of its minutes has changed', async () => {
  expect(await look(0, 2)).toEqual({ up: 120, down: 0, read: 1 });
  expect(await look(0, 2)).toEqual({ up: 120, down: 0, read: 0 });
  expect(await look(2, 4)).toEqual({ up: 120, down: 0, read: 1 });
  await overwriteRange(database.pool, id, { from: T + HOUR, to: T + HOUR + 600 }, down);
  expect(await look(0, 2)).toEqual({ up: 110, down: 10, read: 1 });
  expect(await look(0, 2), 'not kept while it is marked').toMatchObject({ read: 1 });
  await rollUp(database.pool);
  expect(await look(0, 2)).toEqual({ up: 110, down: 10, read: 1 });
  expect(await look(0, 2)).toEqual({ up: 110, down: 10, read: 0 });
  expect(await look(2, 4), 'what has not changed stays').toEqual({ up: 120, down: 0, read: 0 });
});

it('keeps nothing of hours that are not rolled up', async () => {
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'rolled_to'`, [T + HOUR]);
  for (let times = 0; times < 2; times += 1) expect(await look(0, 2)).toEqual({ up: 120, down: 0, read: 1 });
});

it('keeps nothing that an older snapshot read and a newer one has seen change', async () => {
  await inSnapshot(async (older) => {
    await older.query('select from cursors');
    await overwriteRange(database.pool, id, { from: T, to: T + HOUR }, down);
    await rollUp(database.pool);
    expect(await look(0, 1)).toEqual({ up: 0, down: 60, read: 1 });
    expect(await count(older, 0, 2)).toEqual({ up: 120, down: 0, read: 1 });
  });
  expect(await look(0, 2)).toEqual({ up: 60, down: 60, read: 1 });
});

it('forgets everything when the database counts on from an earlier transaction', async () => {
  expect(await look(0, 2)).toMatchObject({ read: 1 });
  const restored: Queryable = {
    // Only the number of the snapshot is another.
    query: ((sql: string, values?: unknown[]) =>
      sql.includes('pg_current_snapshot')
        ? Promise.resolve({ rows: [{ text: '3:3:', started: 1e12 }] })
        : database.pool.query(sql, values)) as Queryable['query'],
  };
  expect(await count(restored, 0, 2)).toMatchObject({ read: 1 });
});
