import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createSiteViews, type SiteViews } from '../../../../api/services/site-views.ts';
import { createPage } from '../../../../api/services/write-page.ts';
import type { OverlayWindow } from '../../../../core/overlay.ts';
import { newPage } from '../../../../core/page.ts';
import { uptimeOf } from '../../../../core/uptime.ts';
import { openPool } from '../../../../db/client.ts';
import { minutesInSpans } from '../../../../db/engines/engine.ts';
import { overwriteRange } from '../../../../db/points.ts';
import { rollUp } from '../../../../db/rollups.ts';
import { makeRoom } from '../../../../db/room.ts';
import type { DayView, MonitorView } from '../../../../web/view.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { addMonitor, stopClock } from '../../../support/monitoring-fixture.ts';
import { namesOf, type Name, type PointRow } from '../../../support/naive-minutes.ts';
import { addEvent, addIncident } from '../../../support/overlay-rows.ts';
import { pickBelow, pickOne, seededRandom } from '../../../support/seeded-random.ts';

/** Three days after the clocks of Europe went back, and those of Beirut at midnight. */
const NOW = Date.UTC(2026, 9, 28, 10, 20, 30) / 1000;
const DAYS = 5;
const FROM = NOW - (NOW % 86_400) - (DAYS + 1) * 86_400;
const MINUTE = NOW - (NOW % 60);
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Beirut', 'Asia/Kolkata', 'Asia/Kathmandu', 'America/St_Johns'];
/** Nothing that is kept is young enough: every look makes a view. */
const NOTHING_KEPT = { freshMs: -1, staleMs: -1, capacity: 10 };

let database: TestDatabase;
let viewsPool: pg.Pool;
let views: SiteViews;
let windows: Map<number, OverlayWindow[]>;
const thresholds = new Map<number, number>();
const ids = new Map<string, number>();
beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  await stopClock(pool, NOW);
  await pool.query(`update cursors set minute = to_timestamp($1)`, [FROM]);
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', { from: FROM, to: NOW }));
  for (const [tag, threshold] of [
    ['a', 1],
    ['b', 3],
    ['c', 1],
  ] as const) {
    const id = await addMonitor(pool, tag);
    await pool.query('update monitors set confirmation_threshold = $2 where id = $1', [id, threshold]);
    ids.set(tag, id);
    thresholds.set(id, threshold);
  }
  const page_settings = { monitor_status_history_days: { desktop: DAYS, mobile: 3 } };
  const fields = { page_path: 'p', page_title: 'T', page_header: 'H', monitors: ['c', 'a', 'b'], page_settings };
  await createPage(pool, newPage.parse(fields));
});
afterEach(() => viewsPool.end());
afterAll(() => database.drop());
beforeEach(async () => {
  const { pool } = database;
  for (const table of ['data_points', 'data_points_hourly', 'dirty_hours', 'incidents', 'maintenances'])
    await pool.query(`delete from ${table}`);
  // Counts are kept for a pool, and no mark tells of what was deleted here.
  viewsPool = openPool({ url: database.url, name: 'views', max: 4, statementTimeoutMs: 0 });
  views = createSiteViews(viewsPool, NOTHING_KEPT);
  windows = new Map([...ids.values()].map((id): [number, OverlayWindow[]] => [id, []]));
});

/** Points of any status in most minutes. */
async function scatter(): Promise<void> {
  await database.pool.query('select setseed(0.5)');
  await database.pool.query(
    `insert into data_points (monitor_id, minute, latency_us, status, origin, known)
     select id, to_timestamp(at), floor(random() * 5) * 1000,
       case when random() < 0.9 then 2 else 2 + floor(random() * 3) end, 1, 1
     from unnest($1::int[]) as id cross join generate_series($2::int8, $3::int8, 60) as at
     where random() < 0.9 and at / 3600 % 7 <> 3`,
    [[...ids.values()], FROM, MINUTE - 60],
  );
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'swept_to'`, [MINUTE - 60]);
  await database.pool.query(`update cursors set minute = to_timestamp($1) where name = 'rolled_to'`, [FROM]);
  await rollUp(database.pool);
}

/** A range that is written over, an incident or a maintenance; any of them also in the past. */
async function changeSomething(random: () => number): Promise<void> {
  const { pool } = database;
  const id = pickOne(random, [...ids.values()]);
  const from = FROM + pickBelow(random, (MINUTE - FROM) / 60) * 60;
  const to = Math.min(from + (1 + pickBelow(random, 300)) * 60, MINUTE + 60);
  if (random() < 0.6) {
    const status = pickOne(random, ['UP', 'DOWN', 'DEGRADED'] as const);
    await overwriteRange(pool, id, { from, to }, { status, latencyUs: pickBelow(random, 9) * 500, deviationUs: 0 });
    return;
  }
  const impact = pickOne(random, ['UP', 'DOWN', 'DEGRADED', 'MAINTENANCE'] as const);
  const source = pickOne(random, ['incident', 'maintenance'] as const);
  if (source === 'incident') await addIncident(pool, id, impact, from, to);
  // An event may end within a minute.
  const end = source === 'incident' ? to : to + pickBelow(random, 60);
  if (source === 'maintenance') await addEvent(pool, id, { from, to: end, impact });
  windows.get(id)?.push({ source, impact, from, to: end });
}

interface NaiveDay {
  counts: Record<Name, number>;
  latencies: number[];
}

/** Every point by itself, in the day that its zone's calendar says; by tag and day. */
async function naiveDays(zone: string): Promise<Map<string, NaiveDay>> {
  const { rows } = await database.pool.query<PointRow>(
    `select monitor_id as id, extract(epoch from minute)::int8 as minute, status, latency_us
     from data_points order by minute`,
  );
  const dayOf = dayIn(zone);
  const days = new Map<string, NaiveDay>();
  for (const [tag, id] of ids) {
    const own = rows.filter((row) => row.id === id);
    const names = namesOf(own, windows.get(id) ?? [], thresholds.get(id) ?? 1);
    for (const { minute, latency_us } of own) {
      const key = `${tag} ${dayOf(minute)}`;
      const day = days.get(key) ?? { counts: { up: 0, down: 0, degraded: 0, maintenance: 0 }, latencies: [] };
      days.set(key, day);
      day.counts[names.get(minute) ?? 'up'] += 1;
      if (latency_us > 0) day.latencies.push(latency_us);
    }
  }
  return days;
}

/** The minute after the last one of the days shown that was reported otherwise; null where there is none. */
async function naiveSince({ tag, status, days }: MonitorView): Promise<number | null> {
  const id = ids.get(tag) ?? NaN;
  const { rows } = await database.pool.query<PointRow>(
    `select monitor_id as id, extract(epoch from minute)::int8 as minute, status, latency_us
     from data_points where monitor_id = $1 order by minute`,
    [id],
  );
  const names = namesOf(rows, windows.get(id) ?? [], thresholds.get(id) ?? 1);
  const from = days[0]?.start ?? NaN;
  const other = rows.findLast(({ minute }) => minute >= from && names.get(minute) !== status.toLowerCase());
  return other ? other.minute + 60 : null;
}

/** `2026-10-25`, by Intl alone. */
function dayIn(timeZone: string): (second: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  return (second) => format.format(second * 1000);
}

async function look(zone: string) {
  const seen = await views.statusPage('p', zone);
  if (!seen) throw new Error('no page');
  return seen.view;
}

async function expectTrue(zone: string): Promise<void> {
  const [view, expected] = [await look(zone), await naiveDays(zone)];
  const dayOf = dayIn(zone);
  expect(view.monitors.map(({ tag }) => tag)).toEqual(['c', 'a', 'b']);
  for (const { tag, days, uptimeText } of view.monitors) {
    expect(days).toHaveLength(DAYS);
    const total = { up: 0, down: 0, degraded: 0, maintenance: 0 };
    for (const day of days) {
      const { counts, latencies } = expected.get(`${tag} ${dayOf(day.start)}`) ?? NOTHING;
      expect(day, `${tag} ${zone} ${dayOf(day.start)}`).toEqual({
        start: day.start,
        ...counts,
        latencyMs: meanMs(latencies),
      });
      for (const name of NAMES) total[name] += day[name];
    }
    expect(uptimeText).toBe(uptimeOf(total, { include_degraded_in_downtime: 'NO', monitor_settings_json: null }).text);
  }
}

const UP = { status: 'UP', latencyUs: 1000, deviationUs: 0 } as const;
const NAMES = ['up', 'down', 'degraded', 'maintenance'] as const;
const NOTHING: NaiveDay = { counts: { up: 0, down: 0, degraded: 0, maintenance: 0 }, latencies: [] };

function meanMs(latencies: readonly number[]): number | null {
  if (latencies.length === 0) return null;
  return Math.round(latencies.reduce((sum, latency) => sum + latency, 0) / latencies.length) / 1000;
}

const minutesOf = (day: DayView | undefined): number =>
  day ? day.up + day.down + day.degraded + day.maintenance : NaN;

describe('a status page', () => {
  it('counts each day of any zone as its minutes do one by one, whatever was changed since the last look', async () => {
    await scatter();
    const random = seededRandom(7);
    for (let round = 0; round < 8; round += 1) {
      for (const zone of round === 0 ? ZONES : [pickOne(random, ZONES), pickOne(random, ZONES)]) await expectTrue(zone);
      for (let change = 0; change < 4; change += 1) await changeSomething(random);
      if (random() < 0.6) await rollUp(database.pool);
    }
  }, 300_000);

  it('is true again when everything has come to rest, however many looked while it changed', async () => {
    await scatter();
    const random = seededRandom(8);
    let open = true;
    const readers = [0, 1, 2].map(async () => {
      while (open) await look(pickOne(random, ['UTC', 'Asia/Kolkata']));
    });
    for (let change = 0; change < 25; change += 1) {
      await changeSomething(random);
      if (change % 3 === 0) await rollUp(database.pool);
    }
    await rollUp(database.pool);
    open = false;
    await Promise.all(readers);
    for (const zone of ['UTC', 'Asia/Kolkata']) await expectTrue(zone);
  }, 300_000);

  it('has days of 25 hours, and of as many as have passed today', async () => {
    for (const id of ids.values()) await overwriteRange(database.pool, id, { from: FROM, to: MINUTE + 60 }, UP);
    const minutes = async (zone: string) => (await look(zone)).monitors[0]?.days.map(minutesOf);
    expect(await minutes('UTC')).toEqual([1440, 1440, 1440, 1440, 621]);
    expect(await minutes('Europe/Berlin')).toEqual([1440, 1500, 1440, 1440, 681]);
    expect(await minutes('Asia/Beirut')).toEqual([1500, 1440, 1440, 1440, 741]);
  });

  it.each([2, 3, 59, 60, 61, 540, 541, 2000, 8000])(
    'says of what has not been up for %i minutes since when that is, as its minutes do one by one',
    async (length) => {
      await scatter();
      const from = MINUTE - length * 60;
      const [a = NaN, b = NaN, c = NaN] = [...ids.values()];
      const span = { from, to: MINUTE };
      await overwriteRange(database.pool, a, span, { status: 'DOWN', latencyUs: 0, deviationUs: 0 });
      await overwriteRange(database.pool, b, { from: from - 600, to: from }, UP);
      await overwriteRange(database.pool, b, span, { status: 'DEGRADED', latencyUs: 1000, deviationUs: 0 });
      await overwriteRange(database.pool, c, span, UP);
      await addIncident(database.pool, c, 'MAINTENANCE', from, MINUTE + 60);
      windows.get(c)?.push({ source: 'incident', impact: 'MAINTENANCE', from, to: MINUTE + 60 });
      for (const zone of ['UTC', 'Asia/Kathmandu']) {
        const { monitors } = await look(zone);
        const told = monitors.map(({ tag, status, since }) => [tag, status, since]);
        const expected = monitors.map(async (monitor) => [
          ...[monitor.tag, monitor.status],
          monitor.status === 'UP' ? null : await naiveSince(monitor),
        ]);
        expect({ zone, told }).toEqual({ zone, told: await Promise.all(expected) });
        // The second one's change counts only from the third minute on.
        const statuses = ['MAINTENANCE', 'DOWN', length < 3 ? 'UP' : 'DEGRADED'];
        expect(monitors.map(({ status }) => status)).toEqual(statuses);
      }
    },
    60_000,
  );

  it('asks as much about one monitor in trouble as about three', async () => {
    await scatter();
    const [a = NaN, confirmed = NaN, c = NaN] = [...ids.values()];
    const questions = async (): Promise<number> => {
      const asked = vi.spyOn(pg.Client.prototype, 'query');
      await look('UTC');
      const count = asked.mock.calls.length;
      asked.mockRestore();
      return count;
    };
    const span = { from: MINUTE - 700 * 60, to: MINUTE };
    const down = { status: 'DOWN', latencyUs: 0, deviationUs: 0 } as const;
    await overwriteRange(database.pool, confirmed, span, down);
    await questions();
    const aboutOne = await questions();
    for (const id of [a, c]) await overwriteRange(database.pool, id, span, down);
    await questions();
    expect(await questions()).toBe(aboutOne);
  }, 60_000);

  it('says what it knows of where there never was a point', async () => {
    const { monitors, overall } = await look('UTC');
    expect(monitors[0]).toMatchObject({ tag: 'c', uptimeText: '-', latencyMs: null, status: 'NO_DATA', recent: [] });
    expect(overall).toEqual({ status: 'NO_DATA', partial: false });
    expect(await views.statusPage('nowhere', 'UTC')).toBeUndefined();
  });
});
