import { afterAll, beforeAll, expect, test } from 'vitest';
import { floorHour, type MinuteRange } from '../../../core/minute.ts';
import type { OverlayWindow } from '../../../core/overlay.ts';
import { overwriteRange } from '../../../db/points.ts';
import { rollUp } from '../../../db/rollups.ts';
import type { CountedMonitor } from '../../../db/counting.ts';
import type { RangeCounts } from '../../../db/period-counts.ts';
import { countRange } from '../../../db/uptime.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor } from '../../support/monitoring-fixture.ts';
import { namesOf, type PointRow } from '../../support/naive-minutes.ts';
import { addEvent, addIncident } from '../../support/overlay-rows.ts';
import { pickBelow, pickOne, seededRandom } from '../../support/seeded-random.ts';

const HOUR = 3600;
const HOURS = 40;
/** The first hour of what the tests write; the roll-ups end in its middle. */
const T = floorHour(Date.now() / 1000) - 3 * 24 * HOUR;
const ALL = { from: T, to: T + HOURS * HOUR };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await database.pool.query(`update cursors set minute = to_timestamp($1)`, [T]);
});
afterAll(() => database.drop());

const write = (
  id: number,
  range: MinuteRange,
  status: 'UP' | 'DOWN' | 'DEGRADED',
  latencyUs: number,
): Promise<number> => overwriteRange(database.pool, id, range, { status, latencyUs, deviationUs: 0 });

/** The second monitor of the first test confirms changes with three samples, the others at once. */
let confirming = 0;
const monitorsOf = (ids: readonly number[]): CountedMonitor[] =>
  ids.map((id) => ({ id, confirmation_threshold: id === confirming ? 3 : 1 }));

async function count(id: number, range: MinuteRange): Promise<RangeCounts | undefined> {
  return (await countRange(database.pool, [{ id, confirmation_threshold: 1 }], range))[0];
}

test('any range counts as its minutes do one by one: roll-ups, dirty hours, later hours, overlays and unconfirmed changes', async () => {
  const random = seededRandom(20_261_120);
  const ids = [
    await addMonitor(database.pool, 'a'),
    await addMonitor(database.pool, 'b'),
    await addMonitor(database.pool, 'c'),
  ];
  confirming = ids[1] ?? 0;
  for (const id of ids) await scatter(id);
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [
    T + 25 * HOUR + 60,
  ]);
  await rollUp(database.pool);
  const windows = new Map(ids.map((id): [number, OverlayWindow[]] => [id, []]));
  for (let change = 0; change < 90; change += 1) await changeSomething(pickOne(random, ids), windows, random);
  const { rows } = await database.pool.query<{ dirty: number; rolled: number }>(
    `select (select count(distinct hour) from dirty_hours) as dirty, (select count(*) from data_points_hourly) as rolled`,
  );
  expect(rows[0]?.dirty).toBeGreaterThan(5);
  expect(rows[0]?.rolled).toBeGreaterThan(60);
  const expected = await naive(ids, windows);
  for (let draw = 0; draw < 300; draw += 1) {
    const range = drawRange(random);
    const counted = await countRange(database.pool, monitorsOf(ids), range);
    ids.forEach((id, at) => expect(counted[at], `${id} ${JSON.stringify(range)}`).toEqual(expected(id, range)));
  }
}, 300_000);

test('whole hours come from their roll-up, also where the points are gone, and marked ones never', async () => {
  const id = await addMonitor(database.pool, 'gone');
  await write(id, ALL, 'UP', 1000);
  await database.pool.query(`update cursors set minute = to_timestamp($1)`, [T + 10 * HOUR]);
  await database.pool.query(
    `insert into data_points_hourly select $1, to_timestamp(at), 7, 0, 0, 7, 7000, 1000, 1000
     from generate_series($2::int8, $3::int8, 3600) as at on conflict (monitor_id, hour) do update set up = 7`,
    [id, T, T + 39 * HOUR],
  );
  await database.pool.query('delete from dirty_hours where monitor_id = $1', [id]);
  await database.pool.query('insert into dirty_hours select $1, to_timestamp($2) from generate_series(1, 3)', [
    id,
    T + HOUR,
  ]);
  expect(await count(id, { from: T, to: T + HOUR })).toMatchObject({ up: 7 });
  expect(await count(id, { from: T, to: T + 3 * HOUR })).toMatchObject({ up: 7 + 60 + 7 });
  expect(await count(id, { from: T + 60, to: T + 3 * HOUR + 60 })).toMatchObject({ up: 59 + 60 + 7 + 1 });
  expect(await count(id, { from: T + 9 * HOUR, to: T + 12 * HOUR })).toMatchObject({ up: 7 + 120 });
  await addIncident(database.pool, id, 'DEGRADED', T + 2 * HOUR, T + 3 * HOUR);
  expect(await count(id, { from: T, to: T + 3 * HOUR })).toMatchObject({ up: 67, degraded: 7 });
});

test('a thousand monitors are counted at once, in the order that was asked for', async () => {
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, monitor_type, include_degraded_in_downtime, is_hidden)
     select 'many-' || n, 'x', 'TCP', 'NO', 'NO' from generate_series(1, 1000) n returning id`,
  );
  const ids = rows.map(({ id }) => id).reverse();
  const [first = NaN, last = NaN] = [ids[0], ids.at(-1)];
  await write(first, { from: T, to: T + 60 }, 'UP', 5);
  await write(last, { from: T, to: T + 120 }, 'DOWN', 0);
  const counted = await countRange(database.pool, monitorsOf(ids), ALL);
  expect(counted).toHaveLength(1000);
  expect(counted[0]).toEqual({
    up: 1,
    down: 0,
    degraded: 0,
    maintenance: 0,
    latencyUs: { count: 1, sum: 5, avg: 5, min: 5, max: 5 },
  });
  expect(counted.at(-1)).toEqual({ up: 0, down: 2, degraded: 0, maintenance: 0, latencyUs: null });
  expect(counted[500]).toEqual({ up: 0, down: 0, degraded: 0, maintenance: 0, latencyUs: null });
  expect(await countRange(database.pool, [], ALL)).toEqual([]);
});

/** Points of any status in most minutes of most hours. */
async function scatter(id: number): Promise<void> {
  await write(id, ALL, 'UP', 1);
  await database.pool.query('select setseed($1)', [id / 1000]);
  await database.pool.query(
    `delete from data_points where monitor_id = $1 and (random() < 0.2 or extract(hour from minute) in (3, 4))`,
    [id],
  );
  await database.pool.query(
    `update data_points set status = 2 + floor(random() * 3), latency_us = floor(random() * 5) * 1000 where monitor_id = $1`,
    [id],
  );
}

async function changeSomething(id: number, windows: Map<number, OverlayWindow[]>, random: () => number): Promise<void> {
  const from = T + pickBelow(random, HOURS * 60) * 60;
  const to = from + (1 + pickBelow(random, 180)) * 60;
  if (random() < 0.5) {
    await write(
      id,
      { from, to: Math.min(to, from + 1200) },
      pickOne(random, ['UP', 'DOWN', 'DEGRADED']),
      pickBelow(random, 9) * 500,
    );
    return;
  }
  const impact = pickOne(random, ['UP', 'DOWN', 'DEGRADED', 'MAINTENANCE'] as const);
  if (random() < 0.5) {
    await addDrawnEvent(id, { from, to: to + pickBelow(random, 60), impact }, windows, random);
    return;
  }
  const end = random() < 0.1 ? null : to;
  await addIncident(database.pool, id, impact, from, end);
  windows.get(id)?.push({ source: 'incident', impact, from, to: end ?? Infinity });
}

/** An event of any status, its end within a minute too, as durations allow it. */
async function addDrawnEvent(
  id: number,
  window: { from: number; to: number; impact: OverlayWindow['impact'] },
  windows: Map<number, OverlayWindow[]>,
  random: () => number,
): Promise<void> {
  const status = pickOne(random, ['SCHEDULED', 'READY', 'ONGOING', 'COMPLETED', 'CANCELLED']);
  const maintenance = pickOne(random, ['ACTIVE', 'ACTIVE', 'INACTIVE']);
  const cancelledAt = window.from + pickBelow(random, 8000) - 600;
  await addEvent(database.pool, id, { ...window, status, cancelledAt, maintenance });
  if (maintenance === 'INACTIVE') return;
  const to = status === 'CANCELLED' ? Math.min(window.to, cancelledAt) : window.to;
  windows.get(id)?.push({ source: 'maintenance', ...window, to });
}

function drawRange(random: () => number): MinuteRange {
  const from = T + (pickBelow(random, (HOURS + 4) * 60) - 120) * 60;
  const minutes = pickOne(random, [1, 30, 60, 61, 300, 1440, 2880]);
  const range = { from, to: from + (1 + pickBelow(random, minutes)) * 60 };
  return random() < 0.3 ? { from: floorHour(range.from), to: floorHour(range.to) + HOUR } : range;
}

/** Every point looked at by itself, straight from the table. */
async function naive(ids: readonly number[], windows: Map<number, OverlayWindow[]>) {
  const { rows } = await database.pool.query<PointRow>(
    `select monitor_id as id, extract(epoch from minute)::int8 as minute, status, latency_us
     from data_points where monitor_id = any($1) order by minute`,
    [ids],
  );
  const names = new Map(
    ids.map((id) => [
      id,
      namesOf(
        rows.filter((row) => row.id === id),
        windows.get(id) ?? [],
        id === confirming ? 3 : 1,
      ),
    ]),
  );
  return (id: number, range: MinuteRange): RangeCounts => {
    const counts = { up: 0, down: 0, degraded: 0, maintenance: 0 };
    const own = rows.filter((row) => row.id === id && row.minute >= range.from && row.minute < range.to);
    for (const { minute } of own) counts[names.get(id)?.get(minute) ?? 'up'] += 1;
    const latencies = own.map(({ latency_us }) => latency_us).filter((latency) => latency > 0);
    const sum = latencies.reduce((a, b) => a + b, 0);
    const latencyUs = {
      count: latencies.length,
      sum,
      avg: Math.round(sum / latencies.length),
      min: Math.min(...latencies),
      max: Math.max(...latencies),
    };
    return { ...counts, latencyUs: latencies.length > 0 ? latencyUs : null };
  };
}
