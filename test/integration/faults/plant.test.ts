import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { STATUS_CODE } from '../../../core/outcome.ts';
import { makeRoom } from '../../../db/room.ts';
import type { Stored, Wrong } from '../../faults/ledger.ts';
import { PLANTS, unseenPlants } from '../../faults/plant.ts';
import { readStored } from '../../faults/stored.ts';
import { judge } from '../../faults/verdict.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { stopClock } from '../../support/monitoring-fixture.ts';
import { FIRST, smallRun } from '../../support/small-run.ts';

const { ledger, stored } = smallRun();
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await stopClock(database.pool, ledger.to);
  await store(database.pool, stored);
});
afterAll(() => database.drop());

/** Two of its agents stand by, and are stuck in the judge's eyes with a plant and without. */
const look = (found: Stored): Wrong[] => judge(ledger, found, ledger.to * 1000).wrongs;

async function store(pool: pg.Pool, { results, points }: Stored): Promise<void> {
  for (const relation of ['check_results', 'data_points'] as const)
    await makeRoom(pool, relation, [FIRST - 60, ...points.map(({ minute }) => minute)]);
  for (const name of ledger.regions)
    await pool.query(`insert into regions (name, from_minute) values ($1, 'epoch')`, [name]);
  for (const { minute, monitorId, agentId, region, revision, latencyUs, status } of results)
    await pool.query(
      `insert into check_results (minute, monitor_id, agent_id, region_id, revision, latency_us, status, origin, cause)
       values (to_timestamp($1), $2, $3, (select id from regions where name = $4), $5, $6, $7, 1, 1)`,
      [minute, monitorId, agentId, region, revision, latencyUs, STATUS_CODE[status]],
    );
  for (const { minute, monitorId, latencyUs, status, known } of points)
    await pool.query(
      `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
       values (to_timestamp($1), $2, $3, $4, 1, $5)`,
      [minute, monitorId, latencyUs, STATUS_CODE[status], known],
    );
}

test('the judge sees everything that is planted, and nothing of it stays', async () => {
  const before = await readStored(database.pool);
  expect(before.results).toHaveLength(stored.results.length);
  expect(await unseenPlants(database.pool, ledger, look)).toEqual([]);
  expect(await readStored(database.pool)).toEqual(before);
});

test('a judge that sees nothing is told so of each plant', async () => {
  const texts = (await unseenPlants(database.pool, ledger, () => [])).map(({ text }) => text);
  expect(texts).toEqual(PLANTS.map((what) => `the ledger does not see a planted ${what}`));
});

test('a judge that looks at due minutes only is blind for what nobody asked for', async () => {
  const isDue = ({ minute }: { minute: number }): boolean => minute >= ledger.from;
  const blind = await unseenPlants(database.pool, ledger, (found) =>
    look({ ...found, results: found.results.filter(isDue), points: found.points.filter(isDue) }),
  );
  expect(blind.map(({ text }) => text.split(' ').at(-1))).toEqual(['undue-result', 'undue-point']);
});
