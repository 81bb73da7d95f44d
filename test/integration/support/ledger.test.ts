import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeRoom } from '../../../db/room.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { findFaults, type Ledger } from '../../support/ledger.ts';
import { addMonitor, addRegion } from '../../support/monitoring-fixture.ts';

/** Two regions, one monitor, three minutes, of which in the last one the second region's agent was dead. */
const FROM = Math.floor(Date.now() / 60_000) * 60 - 600;
const END = FROM + 180;
const UP = 2;
let database: TestDatabase;
let monitorId: number;
let regions: { regionId: number; agentId: number }[];
let seen: number;
const ledger: Ledger = {
  monitors: [{ tag: 'm', from: FROM, seenIn: () => seen }],
  regions: ['eu', 'us'],
  outages: [{ region: 'us', from: FROM + 130, to: FROM + 170 }],
};

beforeAll(async () => {
  database = await createTestDatabase();
  await makeRoom(database.pool, 'check_results', [FROM - 60, END]);
  await makeRoom(database.pool, 'data_points', [FROM - 60, END]);
  regions = [await addRegion(database.pool, 'eu'), await addRegion(database.pool, 'us')];
  monitorId = await addMonitor(database.pool, 'm');
});
afterAll(() => database.drop());

beforeEach(async () => {
  seen = 2;
  await database.pool.query('truncate check_results, data_points, absences');
  for (const minute of [FROM, FROM + 60, FROM + 120]) {
    await addResult(0, minute);
    await addResult(1, minute);
    await addPoint(minute);
  }
});

test('a run without a fault has none', async () => {
  expect(await faults()).toEqual([]);
});

test('a dead agent may leave an absence or an UNKNOWN with its reason', async () => {
  await remove(1, FROM + 120);
  await sql(`insert into absences values ($1, to_timestamp($2), to_timestamp($3), 'stopped')`, [
    regions[1]?.agentId,
    FROM + 120,
    END,
  ]);
  expect(await faults()).toEqual([]);
  await addResult(1, FROM + 120, 1, 'stopped');
  expect(await faults()).toEqual([]);
});

describe('the ledger finds', () => {
  test('a minute that is lost', async () => {
    await remove(0, FROM + 60);
    expect(await faults()).toEqual([expect.stringMatching(/eu: lost$/)]);
  });

  test('a minute of a dead agent of which no absence tells', async () => {
    await remove(1, FROM + 120);
    expect(await faults()).toEqual([expect.stringMatching(/us: lost, and no absence tells of it$/)]);
  });

  test('an absence that nobody caused', async () => {
    await remove(1, FROM);
    await sql(`insert into absences values ($1, to_timestamp($2), to_timestamp($3), 'stopped')`, [
      regions[1]?.agentId,
      FROM,
      END,
    ]);
    expect(await faults()).toEqual([expect.stringMatching(/us: lost$/)]);
  });

  test('a living agent that does not know, and one that says no reason', async () => {
    await replace(0, FROM, 1, 'asleep');
    await replace(0, FROM + 60, 1, null);
    expect(await faults()).toEqual([
      expect.stringMatching(/UNKNOWN \(asleep\) while its agent lived$/),
      expect.stringMatching(/UNKNOWN without a reason$/),
    ]);
  });

  test('a DOWN of a target that was up', async () => {
    await replace(0, FROM, 4, 'refused');
    expect(await faults()).toEqual([expect.stringMatching(/eu: DOWN \(refused\)$/)]);
  });

  test('answers that the target did not give', async () => {
    seen = 1;
    expect(await faults()).toHaveLength(3);
  });

  test('a point that is missing, and one that is wrong', async () => {
    await sql('delete from data_points where minute = to_timestamp($1)', [FROM]);
    await sql('update data_points set status = 4 where minute = to_timestamp($1)', [FROM + 60]);
    expect(await faults()).toEqual([
      expect.stringMatching(/point undefined, not UP$/),
      expect.stringMatching(/point DOWN, not UP$/),
    ]);
  });

  test('what nobody was to measure', async () => {
    await addResult(0, FROM - 60);
    await addPoint(FROM - 60);
    expect(await faults()).toHaveLength(2);
  });
});

function faults(): Promise<string[]> {
  return findFaults(database.pool, ledger, END);
}

async function sql(text: string, values: unknown[]): Promise<void> {
  await database.pool.query(text, values);
}

async function addResult(region: 0 | 1, minute: number, status = UP, error: string | null = null): Promise<void> {
  await sql(
    `insert into check_results (minute, monitor_id, agent_id, revision, region_id, status, origin, cause, error)
     values (to_timestamp($1), $2, $3, 1, $4, $5, 1, 1, $6)`,
    [minute, monitorId, regions[region]?.agentId, regions[region]?.regionId, status, error],
  );
}

async function remove(region: 0 | 1, minute: number): Promise<void> {
  await sql('delete from check_results where minute = to_timestamp($1) and region_id = $2', [
    minute,
    regions[region]?.regionId,
  ]);
}

async function replace(region: 0 | 1, minute: number, status: number, error: string | null): Promise<void> {
  await remove(region, minute);
  await addResult(region, minute, status, error);
}

async function addPoint(minute: number): Promise<void> {
  await sql(
    `insert into data_points (minute, monitor_id, latency_us, status, origin, known)
     values (to_timestamp($1), $2, 100, 2, 1, 2)`,
    [minute, monitorId],
  );
}
