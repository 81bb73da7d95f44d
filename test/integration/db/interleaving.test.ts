import { expect, test } from 'vitest';
import type pg from 'pg';
import { floorHour, type Minute } from '../../../core/minute.ts';
import { ORIGIN_CODE, STATUS_CODE, type PointStatus } from '../../../core/outcome.ts';
import type { RegionalResult } from '../../../core/result.ts';
import { sweep } from '../../../db/consolidate.ts';
import { overwritePoint, overwriteRange } from '../../../db/points.ts';
import { purgeDeleted } from '../../../db/purge.ts';
import { rollUp } from '../../../db/rollups.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { addMonitor, addRegion, resultOf, stopClock, storeResults } from '../../support/monitoring-fixture.ts';
import { persist, repeat } from '../../support/persist.ts';
import { pickBelow, pickOne, seededRandom } from '../../support/seeded-random.ts';
import { stepThrough } from '../../support/stepped-database.ts';
import { Ledger } from './interleaving-model.ts';

const SEEDS = Array.from({ length: Number(process.env.INTERLEAVINGS ?? 8) }, (_, index) => index + 1);

test.each(SEEDS)(
  'whatever the interleaving, results, points and roll-ups end as the ledger says (seed %i)',
  async (seed) => {
    expect(await differencesAfter(seed)).toEqual([]);
  },
);

const MINUTES = 8;
const NEVER = '1970-01-01';

interface World {
  pool: pg.Pool;
  random: () => number;
  /** The first minute; an hour ends among the minutes that follow it. */
  start: Minute;
  ledger: Ledger;
  monitors: number[];
  regions: { regionId: number; agentId: number }[];
  /** What was written by hand: fields that were named, by pair. */
  manual: Map<string, { status?: PointStatus; latencyUs?: number }>;
  stale: string[];
}

/** One schedule on a database of its own; returns what is not as it must be. */
async function differencesAfter(seed: number): Promise<string[]> {
  const database = await createTestDatabase();
  try {
    const random = seededRandom(seed);
    const world = await createWorld(database.pool, random);
    const setClock = await stopClock(database.pool, world.start);
    await database.pool.query(`update cursors set minute = to_timestamp($1)`, [floorHour(world.start)]);
    await interleave(database, world);
    await setClock(world.start + 7200);
    await settle(database.pool);
    // The same again when every minute is late and its hour rolled up.
    await interleave(database, world);
    await settle(database.pool);
    return [...world.stale, ...(await differences(database.pool, world))];
  } finally {
    await database.drop();
  }
}

async function interleave(database: TestDatabase, world: World): Promise<void> {
  const stepped = stepThrough(database.url, database.pool, world.random);
  for (const writer of [1, 2, 3]) stepped.add(`writer ${writer}`, (pool) => write(pool, world));
  stepped.add('sweeper', (pool) => repeat(6, () => sweep(pool, 2)));
  stepped.add('overwriter', (pool) => overwrite(pool, world));
  stepped.add('roller', (pool) => repeat(5, () => rollUp(pool)));
  stepped.add('reader', (pool) => repeat(10, () => readRollups(pool, world)));
  stepped.add('deleter', (pool) => removeMonitor(pool, world));
  stepped.add('clock', (pool) => moveClock(pool, world));
  await stepped.run();
}

/** Forward, by up to a minute at a time; never back. */
async function moveClock(pool: pg.Pool, { random, start }: World): Promise<void> {
  for (let at = start; at < start + MINUTES * 60 + 90; at += 5 + pickBelow(random, 60)) {
    await pool.query('update stopped_clock set at = greatest(at, to_timestamp($1))', [at]);
  }
}

async function createWorld(pool: pg.Pool, random: () => number): Promise<World> {
  const start = floorHour(Date.now() / 1000) - (MINUTES / 2) * 60;
  const regions = [await addRegion(pool, 'r1'), await addRegion(pool, 'r2'), await addRegion(pool, 'r3', NEVER)];
  const [first, second] = regions.map(({ regionId }) => regionId) as [number, number];
  const ledger = new Ledger(regions.map(({ regionId }) => regionId));
  const plain = { fromMinute: 0, active: true, quorum: 'majority', regions: null } as const;
  const monitors = [
    await addMonitor(pool, 'plain'),
    await addMonitor(pool, 'any', { quorum: 'any' }),
    await addMonitor(pool, 'all', { quorum: 'all', regions: ['r1', 'r2'] }),
    await addMonitor(pool, 'two', { quorum: 2 }),
  ] as [number, number, number, number];
  ledger.addRule(monitors[0], plain);
  ledger.addRule(monitors[1], { ...plain, quorum: 'any' });
  ledger.addRule(monitors[2], { ...plain, quorum: 'all', regions: [first, second] });
  ledger.addRule(monitors[3], { ...plain, quorum: 2 });
  // The first is cut to one region and later paused.
  const cut = { fromMinute: start + 180, active: true, quorum: 'majority', regions: [first] } as const;
  const paused = { ...cut, fromMinute: start + 300, active: false };
  for (const [index, rule] of [cut, paused].entries()) {
    ledger.addRule(monitors[0], { ...rule, regions: [...rule.regions] });
    await pool.query(
      `insert into monitor_versions (monitor_id, revision, from_minute, active, monitor_type, type_data, regions)
       values ($1, $2, to_timestamp($3), $4, 'TCP', '{}', '{r1}')`,
      [monitors[0], index + 2, rule.fromMinute, rule.active],
    );
  }
  return { pool, random, start, ledger, monitors, regions, manual: new Map(), stale: [] };
}

async function write(pool: pg.Pool, world: World): Promise<void> {
  for (let batch = 0; batch < 4; batch++) {
    const rows = Array.from({ length: 12 }, () => randomResult(world));
    // Before it is sent: what is committed must be in the ledger when the deleter looks.
    world.ledger.write(rows);
    // Whatever a caller awaits, and though it never comes again: the sweep makes up for it.
    await persist(() => storeResults(pool, rows, { note: () => undefined, awaits: () => world.random() < 0.5 }));
    // Half are sent again, as after a lost acknowledgement.
    if (batch % 2 === 0) await persist(() => storeResults(pool, rows));
  }
}

function randomResult({ random, start, monitors, regions }: World): RegionalResult {
  const region = pickOne(random, regions);
  const status = pickOne(random, ['UP', 'UP', 'DEGRADED', 'DOWN', 'UNKNOWN'] as const);
  return resultOf({
    monitorId: pickOne(random, monitors),
    minute: start + pickBelow(random, MINUTES) * 60,
    regionId: region.regionId,
    agentId: region.agentId + 10 * pickBelow(random, 3),
    status,
    origin: pickOne(random, ['REALTIME', 'API', 'ERROR'] as const),
    latencyUs: status === 'UNKNOWN' ? null : pickBelow(random, 5) * 1001,
    error: pickOne(random, [null, 'refused', 'Zeit', 'ähnlich']),
  });
}

async function overwrite(pool: pg.Pool, world: World): Promise<void> {
  const { random, start, manual } = world;
  const monitors = world.monitors.slice(1, 4);
  for (let count = 0; count < 5; count++) {
    const monitorId = pickOne(random, monitors);
    const from = start + pickBelow(random, MINUTES) * 60;
    const status = pickOne(random, ['UP', 'DOWN', 'DEGRADED'] as const);
    const latencyUs = pickBelow(random, 9) * 1000;
    if (count % 2 === 0) {
      const to = Math.min(from + 180, start + MINUTES * 60);
      await persist(() => overwriteRange(pool, monitorId, { from, to }, { status, latencyUs, deviationUs: 0 }));
      for (let minute = from; minute < to; minute += 60) manual.set(`${monitorId} ${minute}`, { status, latencyUs });
    } else {
      await persist(() => overwritePoint(pool, monitorId, from, { latencyUs }, null));
      const key = `${monitorId} ${from}`;
      manual.set(key, { ...manual.get(key), latencyUs });
    }
  }
}

/** A monitor of its own, full of results, goes; its late results keep coming. */
async function removeMonitor(pool: pg.Pool, world: World): Promise<void> {
  const id = await addMonitor(pool, `doomed-${world.monitors.length}`);
  world.monitors.push(id);
  await repeat(3, () => pool.query('select 1'));
  await pool.query('delete from monitors where id = $1', [id]);
  await repeat(3, () => purgeDeleted(pool));
  world.ledger.forget(id);
}

/** In one snapshot: every hour that counts as rolled up and has no mark equals its points. */
async function readRollups(pool: pg.Pool, world: World): Promise<void> {
  const { rows } = await pool.query<{ monitor_id: number }>(`${WRONG_ROLLUPS}
    and not exists (select from dirty_hours d where d.monitor_id = monitor_id_ and d.hour = hour_)`);
  for (const { monitor_id } of rows) world.stale.push(`monitor ${monitor_id} read a wrong hour`);
}

const WRONG_ROLLUPS = `
  select monitor_id_ as monitor_id from (
    select monitor_id as monitor_id_, date_trunc('hour', minute, 'UTC') as hour_,
      count(*) filter (where status = 2) as up, count(*) filter (where status = 4) as down,
      count(*) filter (where status = 3) as degraded, sum(latency_us) as latency_sum,
      count(*) filter (where latency_us > 0) as latency_count, max(latency_us) filter (where latency_us > 0) as latency_max
    from data_points group by 1, 2) p
  left join data_points_hourly h on h.monitor_id = monitor_id_ and h.hour = hour_
  where hour_ < (select minute from cursors where name = 'rolled_to')
    and exists (select from monitors m where m.id = monitor_id_)
    and (h.up, h.down, h.degraded, h.latency_sum, h.latency_count, h.latency_max)
      is distinct from (p.up, p.down, p.degraded, p.latency_sum, p.latency_count, p.latency_max)`;

async function settle(pool: pg.Pool): Promise<void> {
  await repeat(3, () => sweep(pool, 200));
  await repeat(3, () => purgeDeleted(pool));
  await repeat(2, () => rollUp(pool));
}

async function differences(pool: pg.Pool, world: World): Promise<string[]> {
  const wrong: string[] = [];
  const doomed = world.monitors.slice(4);
  for (const id of doomed) world.ledger.forget(id);
  const stored = await pool.query<{ key: string; status: number; agent_id: number; latency_us: number | null }>(
    `select concat_ws(' ', monitor_id, extract(epoch from minute)::int8, region_id) as key, status, agent_id, latency_us
     from check_results`,
  );
  const seen = new Map(stored.rows.map((row) => [row.key, `${row.status} ${row.agent_id} ${row.latency_us}`]));
  const must = new Map(
    [...world.ledger.results()].map(([key, row]) => [
      key,
      `${STATUS_CODE[row.status]} ${row.agentId} ${row.latencyUs}`,
    ]),
  );
  wrong.push(...compare('result', seen, must));
  wrong.push(...compare('point', await storedPoints(pool), expectedPoints(world)));
  const rollups = await pool.query<{ monitor_id: number }>(WRONG_ROLLUPS);
  for (const { monitor_id } of rollups.rows) wrong.push(`monitor ${monitor_id} has a wrong hour`);
  const left = await pool.query('select from dirty_hours');
  if (left.rowCount !== 0) wrong.push(`${left.rowCount} marks are left`);
  return wrong;
}

async function storedPoints(pool: pg.Pool): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ key: string; status: number; origin: number; latency_us: number; known: number }>(
    `select concat_ws(' ', monitor_id, extract(epoch from minute)::int8) as key, status, origin, latency_us, known
     from data_points`,
  );
  return new Map(
    rows.map(({ key, status, origin, latency_us, known }) => [
      key,
      `${status} ${origin} ${latency_us}${origin === ORIGIN_CODE.MANUAL ? '' : ` ${known}`}`,
    ]),
  );
}

function expectedPoints({ start, ledger, monitors, manual }: World): Map<string, string> {
  const points = new Map<string, string>();
  for (const monitorId of monitors.slice(0, 4)) {
    for (let minute = start; minute < start + MINUTES * 60; minute += 60) {
      const key = `${monitorId} ${minute}`;
      const byHand = manual.get(key);
      const point = ledger.point(monitorId, minute);
      if (byHand) {
        // What a point written by hand kept from the one before it depends on when it was written.
        const status = byHand.status ? String(STATUS_CODE[byHand.status]) : '[234]';
        points.set(key, `${status} ${ORIGIN_CODE.MANUAL} ${byHand.latencyUs}`);
      } else if (point) {
        points.set(key, `${STATUS_CODE[point.status]} ${ORIGIN_CODE[point.origin]} ${point.latencyUs} ${point.known}`);
      }
    }
  }
  return points;
}

function compare(what: string, seen: Map<string, string>, must: Map<string, string>): string[] {
  const wrong: string[] = [];
  for (const key of new Set([...seen.keys(), ...must.keys()])) {
    const [is, shall] = [seen.get(key), must.get(key)];
    const same = is !== undefined && shall !== undefined && new RegExp(`^${shall}$`).test(is);
    if (!same) wrong.push(`${what} ${key} is ${is ?? 'absent'}, must be ${shall ?? 'absent'}`);
  }
  return wrong;
}
