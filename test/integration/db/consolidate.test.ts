import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { consolidate, type Quorum, type Vote } from '../../../core/consolidate.ts';
import { floorMinute, type Minute } from '../../../core/minute.ts';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE } from '../../../core/outcome.ts';
import { sweep } from '../../../db/consolidate.ts';
import { overwritePoint, readPoint } from '../../../db/points.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, stopClock, storeResults } from '../../support/monitoring-fixture.ts';
import { pickBelow, pickOne, seededRandom } from '../../support/seeded-random.ts';

let database: TestDatabase;
let setClock: (at: number) => Promise<void>;
const now = floorMinute(Date.now() / 1000);
const regions: { regionId: number; agentId: number }[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  setClock = await stopClock(database.pool, now);
  for (const name of ['r1', 'r2', 'r3', 'r4']) regions.push(await addRegion(database.pool, name));
});
afterAll(() => database.drop());
beforeEach(async () => {
  await setClock(now);
  await setSweptTo(now - 3600);
});

async function setSweptTo(minute: Minute): Promise<void> {
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [minute]);
}

const region = (index: number): { regionId: number; agentId: number } => regions[index] ?? { regionId: 0, agentId: 0 };

test('SQL and core/consolidate.ts make the same points of random votes under every quorum', async () => {
  const random = seededRandom(7);
  const quorums: (Quorum | null)[] = [null, 'any', 'majority', 'all', 1, 2, 3, 9];
  const minutes = Array.from({ length: 120 }, (_, index) => now - 7200 + index * 30).map(floorMinute);
  const rows = [];
  const expected = new Map<string, unknown>();
  for (const [index, quorum] of quorums.entries()) {
    const monitorId = await addMonitor(database.pool, `quorum-${index}`, quorum === null ? {} : { quorum });
    for (const minute of new Set(minutes)) {
      const votes = regions.flatMap((place) => (random() < 0.2 ? [] : [{ ...place, ...randomVote(random) }]));
      for (const vote of votes) rows.push(resultOf({ monitorId, minute, ...vote }));
      const point = consolidate(votes, quorum ?? 'majority', regions.length);
      if (point) expected.set(`${monitorId} ${minute}`, { ...point });
    }
  }
  await storeResults(database.pool, rows);
  expect(await storedPoints()).toEqual(expected);
});

function randomVote(random: () => number): Vote & { origin: 'REALTIME' | 'API' | 'TIMEOUT' | 'ERROR' } {
  const status = pickOne(random, ['UP', 'UP', 'DEGRADED', 'DOWN', 'DOWN', 'UNKNOWN'] as const);
  const origin = pickOne(random, ['REALTIME', 'API', 'TIMEOUT', 'ERROR', 'ERROR'] as const);
  return { status, origin, latencyUs: status === 'UNKNOWN' ? null : pickBelow(random, 2_147_483_000) };
}

async function storedPoints(): Promise<Map<string, unknown>> {
  const { rows } = await database.pool.query<
    Record<'monitor_id' | 'at' | 'status' | 'origin' | 'latency' | 'known', number>
  >(
    `select monitor_id, extract(epoch from minute)::int8 as at, status, origin, latency_us as latency, known from data_points`,
  );
  const name = (codes: Record<string, number>, code: number): string | undefined =>
    Object.keys(codes).find((key) => codes[key] === code);
  return new Map(
    rows.map((row) => [
      `${row.monitor_id} ${row.at}`,
      {
        status: name(STATUS_CODE, row.status),
        origin: name(ORIGIN_CODE, row.origin),
        latencyUs: row.latency,
        known: row.known,
      },
    ]),
  );
}

async function ingest(monitorId: number, minute: Minute, ...indexes: number[]): Promise<void> {
  await storeResults(
    database.pool,
    indexes.map((index) => resultOf({ monitorId, minute, ...region(index) })),
  );
}

test('a young minute becomes a point when the last awaited region answers, and not before', async () => {
  const id = await addMonitor(database.pool, 'young');
  await ingest(id, now, 0, 1, 2);
  expect(await readPoint(database.pool, id, now)).toBeNull();
  await ingest(id, now, 3);
  expect(await readPoint(database.pool, id, now)).toMatchObject({ status: 'UP' });
});

test('UNKNOWN is no answer: the minute waits until it is 75 seconds old', async () => {
  const id = await addMonitor(database.pool, 'unknown');
  await ingest(id, now, 0, 1, 2);
  const unknown = resultOf({ monitorId: id, minute: now, ...region(3), status: 'UNKNOWN', latencyUs: null });
  await storeResults(database.pool, [unknown]);
  await setClock(now + 74);
  await sweep(database.pool, 200);
  expect(await readPoint(database.pool, id, now)).toBeNull();
  await setClock(now + 75);
  await sweep(database.pool, 200);
  expect(await readPoint(database.pool, id, now)).toMatchObject({ status: 'UP' });
});

test('a point that was written by hand before its results stays, and those of the same batch are made', async () => {
  const ids = [await addMonitor(database.pool, 'by-hand'), await addMonitor(database.pool, 'beside')] as const;
  await overwritePoint(database.pool, ids[0], now, { status: 'DOWN', latencyUs: 7 }, null);
  const rows = ids.flatMap((monitorId) => regions.map((place) => resultOf({ monitorId, minute: now, ...place })));
  expect(await storeResults(database.pool, rows)).toEqual(rows.map(() => 'stored'));
  expect(await readPoint(database.pool, ids[0], now)).toMatchObject({ status: 'DOWN', latencyUs: 7 });
  expect(await readPoint(database.pool, ids[1], now)).toMatchObject({ status: 'UP' });
});

test('a sweep that is days behind begins with the newest ripe minute, and goes on where it was', async () => {
  const id = await addMonitor(database.pool, 'behind');
  await ingest(id, now, 0);
  await setSweptTo(now - 3 * 86_400);
  await setClock(now + 80);
  expect(await sweep(database.pool, 2)).toBe(2);
  expect(await readPoint(database.pool, id, now)).toMatchObject({ status: 'UP' });
  const { rows } = await database.pool.query(`select minute from cursors where name = 'swept_to'`);
  expect(rows).toEqual([{ minute: new Date((now - 3 * 86_400 + 120) * 1000) }]);
});

test('a region whose agents were silent for ten minutes is not waited for', async () => {
  const id = await addMonitor(database.pool, 'silent', { regions: ['r1', 'quiet'] });
  const quiet = await addRegion(database.pool, 'quiet', new Date((now - 601) * 1000).toISOString());
  await ingest(id, now, 0);
  expect(await readPoint(database.pool, id, now)).not.toBeNull();
  await database.pool.query('update agents set last_seen = to_timestamp($1) where id = $2', [now - 599, quiet.agentId]);
  await ingest(id, now + 60, 0);
  expect(await readPoint(database.pool, id, now + 60)).toBeNull();
  await database.pool.query('update agents set last_seen = null where id = $1', [quiet.agentId]);
});

test('a late result corrects its point, and a result that retention has taken never lowers one', async () => {
  const id = await addMonitor(database.pool, 'late');
  const minute = now - 600;
  const down = (index: number) => resultOf({ monitorId: id, minute, ...region(index), status: 'DOWN', latencyUs: 0 });
  await ingest(id, minute, 0);
  await storeResults(database.pool, [down(1), down(2)]);
  expect(await readPoint(database.pool, id, minute)).toMatchObject({ status: 'DOWN' });
  await database.pool.query('delete from check_results where monitor_id = $1', [id]);
  await ingest(id, minute, 3);
  expect(await readPoint(database.pool, id, minute)).toMatchObject({ status: 'DOWN' });
});

test('a minute in which the monitor was paused makes no point', async () => {
  const id = await addMonitor(database.pool, 'paused');
  await database.pool.query(`update monitors set status = 'INACTIVE' where id = $1`, [id]);
  await database.pool.query('update monitor_versions set from_minute = to_timestamp($1) where revision = 2', [
    now - 300,
  ]);
  await ingest(id, now - 360, 0);
  await ingest(id, now - 300, 0);
  expect(await readPoint(database.pool, id, now - 360)).not.toBeNull();
  expect(await readPoint(database.pool, id, now - 300)).toBeNull();
});

test('the codes that the statement spells out are those of core/outcome.ts', () => {
  expect(STATUS_CODE).toEqual({ UNKNOWN: 1, UP: 2, DEGRADED: 3, DOWN: 4 });
  expect(ORIGIN_CODE).toEqual({ REALTIME: 1, API: 2, TIMEOUT: 3, ERROR: 4, MANUAL: 5 });
  expect(CAUSE_CODE).toEqual({ NONE: 1, TARGET: 2, RESOLVER: 3, AGENT: 4 });
});
