import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_SECONDS, type Minute } from '../../../core/minute.ts';
import { unknownOutcome } from '../../../core/outcome.ts';
import { recordAbsences } from '../../../db/absences.ts';
import { keepMinuteBooks, readMinuteBooks, SLICE_SECONDS, type MinuteBook } from '../../../db/minute-books.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, stopClock, storeResults } from '../../support/monitoring-fixture.ts';

/** The slice that the tests look at begins here. */
const T = Math.floor(Date.now() / 1000 / SLICE_SECONDS) * SLICE_SECONDS - 7200;
const minute = (index: number): Minute => T + index * MINUTE_SECONDS;

let database: TestDatabase;
let setClock: (at: number) => Promise<void>;
beforeAll(async () => {
  database = await createTestDatabase();
  setClock = await stopClock(database.pool, T);
});
afterAll(() => database.drop());

let eu: { regionId: number; agentId: number };
let us: { regionId: number; agentId: number };
beforeEach(async () => {
  const { pool } = database;
  await pool.query('delete from monitors');
  await pool.query('truncate minute_books, absences, check_results, check_requests');
  await pool.query('delete from agents');
  await pool.query('delete from regions');
  await pool.query(`update cursors set minute = to_timestamp($1) where name = 'booked_to'`, [T]);
  [eu, us] = [await addRegion(pool, 'eu'), await addRegion(pool, 'us')];
  await pool.query(`update agents set created_at = 'epoch'`);
  await setClock(T + SLICE_SECONDS + 150);
});

/** Stores UP for some minutes of the slice, as indices. */
async function measured(monitorId: number, place: typeof eu, indices: number[]): Promise<void> {
  await storeResults(
    database.pool,
    indices.map((index) => resultOf({ monitorId, minute: minute(index), ...place })),
  );
}

const all = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
const nothing = { due: 0, known: 0, unknown: 0, absent: 0, missing: 0 };

async function books(): Promise<Record<string, Omit<MinuteBook, 'region'>>> {
  await keepMinuteBooks(database.pool);
  const read = await readMinuteBooks(database.pool, 72);
  return Object.fromEntries(read.books.map(({ region, ...book }) => [region, book]));
}

const noNewSlices = () =>
  database.pool.query(`update cursors set minute = now() + interval '1 year' where name = 'booked_to'`);

const addAgent = async (regionId: number, name: string, createdAt: number, revokedAt: number | null = null) => {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into agents (region_id, name, created_at, revoked_at)
     values ($1, $2, to_timestamp($3), to_timestamp($4)) returning id`,
    [regionId, name, createdAt, revokedAt],
  );
  return rows[0]?.id ?? NaN;
};

describe('the books of minutes', () => {
  it('wait until the minutes of a slice have settled', async () => {
    await addMonitor(database.pool, 'm');
    await setClock(T + SLICE_SECONDS + 149);
    expect(await books()).toEqual({ eu: nothing, us: nothing });
    await setClock(T + SLICE_SECONDS + 150);
    expect((await books()).eu).toMatchObject({ due: 10, missing: 10 });
    expect((await readMinuteBooks(database.pool, 72)).bookedTo).toBe(T + SLICE_SECONDS);
  });

  it('tell for each region what was measured, what could not be, and what is missing', async () => {
    const id = await addMonitor(database.pool, 'm');
    await measured(id, eu, all);
    await measured(id, us, [0, 1, 2, 3, 4, 5]);
    await storeResults(database.pool, [
      { ...resultOf({ monitorId: id, minute: minute(6), ...us }), ...unknownOutcome('offline', 'so') },
    ]);
    expect(await books()).toEqual({
      eu: { due: 10, known: 10, unknown: 0, absent: 0, missing: 0 },
      us: { due: 10, known: 6, unknown: 1, absent: 0, missing: 3 },
    });
  });

  it('count the minutes that a cron expression names', async () => {
    const id = await addMonitor(database.pool, 'm');
    await database.pool.query(`update monitor_versions set cron = '*/5 * * * *' where monitor_id = $1`, [id]);
    await measured(id, eu, [0, 1, 2]);
    expect((await books()).eu).toEqual({ due: 2, known: 1, unknown: 0, absent: 0, missing: 1 });
  });

  it('count only regions that a monitor runs in, and only monitors that have a probe', async () => {
    await addMonitor(database.pool, 'here', { regions: ['us'] });
    const api = await addMonitor(database.pool, 'api');
    await database.pool.query(`update monitor_versions set monitor_type = 'API' where monitor_id = $1`, [api]);
    expect(await books()).toEqual({ eu: nothing, us: { ...nothing, due: 10, missing: 10 } });
  });

  it('go by the version that held in each minute', async () => {
    const id = await addMonitor(database.pool, 'm');
    const change = (revision: number, index: number, active: boolean, regions: string[] | null) =>
      database.pool.query(
        `insert into monitor_versions (monitor_id, revision, from_minute, active, monitor_type, type_data, regions)
         values ($1, $2, to_timestamp($3), $4, 'TCP', '{}', $5)`,
        [id, revision, minute(index), active, regions],
      );
    await change(2, 3, false, null);
    await change(3, 5, true, ['eu']);
    await change(4, 5, true, ['us']);
    await change(5, 30, false, null);
    await measured(id, eu, all);
    // Minutes 0 to 2 in both regions; then paused; revision 3 never held, since 4 began in the same minute.
    expect(await books()).toEqual({
      eu: { due: 3, known: 3, unknown: 0, absent: 0, missing: 0 },
      us: { due: 8, known: 0, unknown: 0, absent: 0, missing: 8 },
    });
  });

  it('begin with the region and with its first agent, and end when the last one is revoked', async () => {
    await addMonitor(database.pool, 'm');
    await database.pool.query('delete from agents');
    await database.pool.query(`update regions set from_minute = to_timestamp($1) where name = 'eu'`, [minute(4)]);
    await addAgent(eu.regionId, 'a', minute(1) + 30, minute(9));
    await addAgent(us.regionId, 'b', minute(2) + 1, minute(8) + 59);
    expect(await books()).toMatchObject({ eu: { due: 5 }, us: { due: 5 } });
  });

  it('excuse what an agent that was alone has said of its absence, as far as it has come into being', async () => {
    const id = await addMonitor(database.pool, 'm');
    await database.pool.query('update agents set created_at = to_timestamp($1) where id = $2', [minute(2), us.agentId]);
    await recordAbsences(database.pool, [
      { agentId: us.agentId, range: { from: 0, to: minute(5) }, reason: 'unborn' },
      { agentId: us.agentId, range: { from: minute(7), to: minute(8) }, reason: 'stopped' },
    ]);
    await measured(id, us, [5, 6]);
    expect((await books()).us).toEqual({ due: 8, known: 2, unknown: 0, absent: 4, missing: 2 });
  });

  it('excuse an absence only where no other agent of the region was there', async () => {
    const id = await addMonitor(database.pool, 'm');
    const second = await addAgent(eu.regionId, 'eu-2', 0);
    await recordAbsences(database.pool, [
      { agentId: eu.agentId, range: { from: minute(0), to: minute(6) }, reason: 'stopped' },
      { agentId: second, range: { from: minute(4), to: minute(8) }, reason: 'stopped' },
    ]);
    await measured(id, eu, [0, 1]);
    // 2 and 3: the second was there; 4 and 5: nobody; 6 and on: the first was.
    expect((await books()).eu).toEqual({ due: 10, known: 2, unknown: 0, absent: 2, missing: 6 });
  });

  it('reckon again what was missing until it has come, or can come no more', async () => {
    const id = await addMonitor(database.pool, 'm', { regions: ['eu'] });
    expect((await books()).eu).toMatchObject({ missing: 10 });
    await measured(id, eu, all);
    expect((await books()).eu).toMatchObject({ missing: 10 });
    await noNewSlices();
    await setClock(T + SLICE_SECONDS + 450);
    expect((await books()).eu).toMatchObject({ known: 10, missing: 0 });
    await database.pool.query('delete from check_results');
    await setClock(T + SLICE_SECONDS + 4500);
    expect((await books()).eu).toMatchObject({ missing: 0 });
  });

  it('leave alone what is older than any spool', async () => {
    const id = await addMonitor(database.pool, 'm', { regions: ['eu'] });
    await books();
    await measured(id, eu, all);
    await noNewSlices();
    await setClock(T + 74 * 3600);
    await keepMinuteBooks(database.pool);
    const read = await readMinuteBooks(database.pool, 100);
    expect(read.books[0]).toMatchObject({ region: 'eu', missing: 10 });
  });

  it('forget deleted monitors with what was due of them', async () => {
    const id = await addMonitor(database.pool, 'm');
    await books();
    await database.pool.query('delete from monitors where id = $1', [id]);
    await noNewSlices();
    await setClock(T + SLICE_SECONDS + 4500);
    expect(await books()).toEqual({ eu: nothing, us: nothing });
  });

  it('catch up after the service was down, and are kept by one of several collectors at a time', async () => {
    await addMonitor(database.pool, 'm', { regions: ['eu'] });
    await setClock(T + 6 * SLICE_SECONDS + 150);
    const reckoned = await Promise.all([1, 2, 3].map(() => keepMinuteBooks(database.pool)));
    expect(reckoned.reduce((a, b) => a + b)).toBe(6);
    expect((await books()).eu).toMatchObject({ due: 60, missing: 60 });
  });
});
