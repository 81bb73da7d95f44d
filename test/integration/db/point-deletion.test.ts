import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute } from '../../../core/minute.ts';
import type { RegionalResult } from '../../../core/result.ts';
import { deletePoints } from '../../../db/point-deletion.ts';
import { listPoints } from '../../../db/point-list.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
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
