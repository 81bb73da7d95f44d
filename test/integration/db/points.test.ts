import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorMinute, type MinuteRange } from '../../../core/minute.ts';
import { streamPoints } from '../../../db/point-stream.ts';
import { overwritePoint, overwriteRange, readPoint } from '../../../db/points.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, storeResults } from '../../support/monitoring-fixture.ts';

let database: TestDatabase;
let place: { regionId: number; agentId: number };
const now = floorMinute(Date.now() / 1000);
const DAY = 86_400;

beforeAll(async () => {
  database = await createTestDatabase();
  place = await addRegion(database.pool, 'r1');
});
afterAll(() => database.drop());

async function read(monitorId: number, range: MinuteRange, regionId: number | null = null): Promise<unknown[]> {
  const pieces: Buffer[] = [];
  const selection = { monitorId, tag: `it's "x"`, range, regionId };
  for await (const piece of streamPoints(database.pool, selection)) pieces.push(piece);
  // The test reads what the API would send.
  return JSON.parse(`[${Buffer.concat(pieces).toString()}]`) as unknown[];
}

test('a range is read half-open and ascending, with exactly the members of a data point', async () => {
  const id = await addMonitor(database.pool, 'read');
  const rows = [0, 1, 2].map((back) =>
    resultOf({ monitorId: id, minute: now - 600 - back * 60, ...place, latencyUs: 1000 * back + 1 }),
  );
  await storeResults(database.pool, rows);
  expect(await read(id, { from: now - 720, to: now - 600 })).toEqual([
    { monitor_tag: `it's "x"`, timestamp: now - 720, status: 'UP', latency: 2.001, type: 'REALTIME' },
    { monitor_tag: `it's "x"`, timestamp: now - 660, status: 'UP', latency: 1.001, type: 'REALTIME' },
  ]);
  expect(await read(id, { from: 0, to: Date.UTC(9999, 11, 31) / 1000 })).toHaveLength(3);
  expect(await read(id, { from: now - 300, to: now })).toEqual([]);
});

test("a region's view shows UNKNOWN with its cause and error", async () => {
  const id = await addMonitor(database.pool, 'region');
  const error = 'offline: "no" \\ way\n🙂';
  const given = { status: 'UNKNOWN', cause: 'AGENT', latencyUs: null, error } as const;
  await storeResults(database.pool, [resultOf({ monitorId: id, minute: now - 600, ...place, ...given })]);
  expect(await read(id, { from: now - 600, to: now }, place.regionId)).toEqual([
    {
      monitor_tag: `it's "x"`,
      timestamp: now - 600,
      status: 'UNKNOWN',
      latency: null,
      type: 'REALTIME',
      agent: 'r1-1',
      cause: 'AGENT',
      error,
    },
  ]);
  expect(await read(id, { from: now - 600, to: now })).toEqual([]);
});

test('a year written by hand is read back whole, minute by minute, over the bounds of slices', async () => {
  const id = await addMonitor(database.pool, 'year');
  const range = { from: now - 365 * DAY, to: now };
  let turn = 0;
  const random = (): number => ((turn += 1) % 5) / 5;
  const point = { status: 'DEGRADED', latencyUs: 1500, deviationUs: 2999 } as const;
  expect(await overwriteRange(database.pool, id, range, point, random)).toBe(525_600);
  const items = (await read(id, range)) as { timestamp: number; latency: number; type: string }[];
  expect(items).toHaveLength(525_600);
  expect(items.every((item, index) => item.timestamp === range.from + index * 60 && item.type === 'MANUAL')).toBe(true);
  // Whole milliseconds up to two either way, never below zero.
  expect(new Set(items.map(({ latency }) => latency))).toEqual(new Set([0, 0.5, 1.5, 2.5, 3.5]));
});

test('a point written by hand keeps what is not named and takes the default where there was none', async () => {
  const id = await addMonitor(database.pool, 'point');
  const minute = now - 60;
  const manual = { minute, origin: 'MANUAL' };
  expect(await overwritePoint(database.pool, id, minute, {}, null)).toEqual({ ...manual, status: 'UP', latencyUs: 0 });
  expect(await overwritePoint(database.pool, id, minute, { latencyUs: 1234 }, 'DOWN')).toEqual({
    ...manual,
    status: 'UP',
    latencyUs: 1234,
  });
  expect(await overwritePoint(database.pool, id, minute, { status: 'DOWN' }, null)).toEqual({
    ...manual,
    status: 'DOWN',
    latencyUs: 1234,
  });
  expect(await overwritePoint(database.pool, id, minute - 60, {}, 'DEGRADED')).toMatchObject({ status: 'DEGRADED' });
  await storeResults(database.pool, [resultOf({ monitorId: id, minute, ...place })]);
  expect(await readPoint(database.pool, id, minute)).toMatchObject({ origin: 'MANUAL', status: 'DOWN' });
});

test('any minute from the edge of retention to 366 days ahead can be written, and none beyond', async () => {
  const id = await addMonitor(database.pool, 'limits');
  for (const minute of [now - 400 * DAY + 120, now - 200 * DAY, now + 100 * DAY, now + 366 * DAY - 120]) {
    await overwritePoint(database.pool, id, minute, { latencyUs: 1 }, null);
    expect(await readPoint(database.pool, id, minute)).toMatchObject({ latencyUs: 1 });
  }
  for (const minute of [now - 400 * DAY - 120, now + 366 * DAY + 120]) {
    await expect(overwritePoint(database.pool, id, minute, {}, null)).rejects.toMatchObject({ code: 'BAD_REQUEST' });
  }
  const old = [now - 89 * DAY, now - 50 * DAY].map((minute) => resultOf({ monitorId: id, minute, ...place }));
  expect(await storeResults(database.pool, old)).toEqual(['stored', 'stored']);
  expect(await readPoint(database.pool, id, now - 89 * DAY)).toMatchObject({ origin: 'REALTIME' });
});

test('a monitor that was deleted meanwhile is not written', async () => {
  const range = { from: now - 600, to: now };
  const point = { status: 'UP', latencyUs: 1, deviationUs: 0 } as const;
  await expect(overwriteRange(database.pool, 999_999, range, point)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
