import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rollUp } from '../../../../db/rollups.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';
import { addRegion } from '../../../support/monitoring-fixture.ts';

const HOUR = 3600;
const START = Math.floor(Date.now() / 1000 / HOUR) * HOUR - 10 * HOUR;

let dashboard: Dashboard;
let pool: pg.Pool;
beforeAll(async () => {
  dashboard = await startDashboard();
  ({ pool } = dashboard.test.database);
  await addRegion(pool, 'eu');
});
afterAll(() => dashboard.test.stop());

interface Point {
  timestamp: number;
  status: string;
  latency: number;
  type: string;
}

interface List {
  data: Point[];
  total: number;
}

const write = (monitor_tag: string, from: number, minutes: number, newStatus = 'UP'): Promise<unknown> => {
  const data = { monitor_tag, start: from, end: from + minutes * 60, newStatus, latency: 20 };
  return dashboard.run('updateMonitoringData', data);
};
const list = (monitor_tag: string, data: object = {}): Promise<List> =>
  dashboard.run('getMonitoringDataPaginated', { monitor_tag, ...data });
const minutesOf = ({ data }: List): number[] => data.map(({ timestamp }) => (timestamp - START) / 60);
/** An hour that is rolled up holds its sum in one row; null: it has none. */
const rolled = async (id: number, hour: number): Promise<number | null> => {
  await rollUp(pool);
  const { rows } = await pool.query<{ n: number }>(
    'select up + down + degraded as n from data_points_hourly where monitor_id = $1 and hour = to_timestamp($2)',
    [id, hour],
  );
  return rows[0]?.n ?? null;
};

beforeAll(async () => {
  await pool.query(`update cursors set minute = to_timestamp($1)`, [START + 8 * HOUR]);
});

describe('updateMonitoringData', () => {
  it('writes every minute of a half-open range by hand', async () => {
    const { tag } = await createMonitor(dashboard.test.api);
    expect(await write(tag, START + 30, 3, 'DEGRADED')).toEqual({ updated_count: 3 });
    const { data } = await list(tag);
    expect(data.toReversed()).toEqual(
      [0, 1, 2].map((at) => {
        return { monitor_tag: tag, timestamp: START + at * 60, status: 'DEGRADED', latency: 20, type: 'MANUAL' };
      }),
    );
  });

  it.each([
    [{ newStatus: 'OK' }, 'newStatus must be one of: UP, DOWN, DEGRADED'],
    [{ latency: -1 }, 'latency must be a non-negative number'],
    [{ deviation: 'x' }, 'deviation must be a non-negative number'],
    [{ end: START }, 'start must be less than end'],
    [{ start: 'x' }, 'start must be a valid timestamp (UTC seconds)'],
    [{ end: START + 400 * 86_400 }, 'The range must cover at most 366 days'],
    [{ monitor_tag: '' }, 'monitor_tag must be a non-empty string'],
  ])('refuses %j and writes nothing', async (fields, message) => {
    const { tag } = await createMonitor(dashboard.test.api);
    const data = { monitor_tag: tag, start: START, end: START + 60, newStatus: 'UP', ...fields };
    expect(failureOf(await dashboard.ask('updateMonitoringData', data))).toEqual([400, message]);
    expect(await list(tag)).toEqual({ data: [], total: 0 });
  });
});

describe('getMonitoringDataPaginated', () => {
  it('pages through points, the newest first, by time and status', async () => {
    const { tag } = await createMonitor(dashboard.test.api);
    await write(tag, START, 10);
    await write(tag, START + 240, 2, 'DOWN');
    expect(minutesOf(await list(tag))).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    const part = await list(tag, { page: 2, limit: 4 });
    expect([minutesOf(part), part.total]).toEqual([[5, 4, 3, 2], 10]);
    const down = await list(tag, { status: 'DOWN', limit: 1 });
    expect([minutesOf(down), down.total]).toEqual([[5], 2]);
    const between = { start_time: START + 61, end_time: START + 180 };
    expect(minutesOf(await list(tag, { ...between, status: 'ALL' }))).toEqual([3, 2, 1]);
    expect(await list(tag, { page: 99 })).toEqual({ data: [], total: 10 });
  });

  it('needs a monitor that is there', async () => {
    const ask = async (data: object): Promise<unknown> =>
      failureOf(await dashboard.ask('getMonitoringDataPaginated', data));
    expect(await ask({})).toEqual([400, 'monitor_tag must be a non-empty string']);
    expect(await ask({ monitor_tag: 'a\0' })).toEqual([404, "Monitor with tag 'a\0' not found"]);
    expect(await ask({ monitor_tag: 'a', status: 'OK' })).toEqual([
      400,
      'status must be one of: UP, DOWN, DEGRADED, ALL',
    ]);
  });
});

describe('deleteMonitorData', () => {
  it('removes points with the results and the roll-ups they are in, and no others', async () => {
    const { tag, id } = await createMonitor(dashboard.test.api);
    const other = await createMonitor(dashboard.test.api);
    for (const monitor of [tag, other.tag]) await write(monitor, START, 180);
    expect(await rolled(id, START)).toBe(60);
    const range = { tag, start: START + 30 * 60, end: START + 119 * 60 + 59 };
    expect(await dashboard.run('deleteMonitorData', range)).toEqual({ success: true });
    expect((await list(tag)).total).toBe(90);
    expect([await rolled(id, START), await rolled(id, START + HOUR), await rolled(id, START + 2 * HOUR)]).toEqual([
      30,
      null,
      60,
    ]);
    expect((await list(other.tag)).total).toBe(180);
    expect(await rolled(other.id, START + HOUR)).toBe(60);
  });

  it('removes those of one status', async () => {
    const { tag, id } = await createMonitor(dashboard.test.api);
    await write(tag, START, 120);
    await write(tag, START + 10 * 60, 60, 'DOWN');
    await dashboard.run('deleteMonitorData', { tag, status: 'DOWN' });
    expect((await list(tag)).total).toBe(60);
    expect([await rolled(id, START), await rolled(id, START + HOUR)]).toEqual([10, 50]);
  });

  it('removes everything, also what only the roll-ups still know', async () => {
    const { tag, id } = await createMonitor(dashboard.test.api);
    await write(tag, START, 60);
    await pool.query(
      `insert into data_points_hourly (monitor_id, hour, up, down, degraded, latency_count, latency_sum)
       values ($1, '2001-02-03 04:00Z', 60, 0, 0, 60, 60)`,
      [id],
    );
    await dashboard.run('deleteMonitorData', { tag });
    expect((await list(tag)).total).toBe(0);
    await rollUp(pool);
    for (const relation of ['data_points_hourly', 'check_results'])
      expect((await pool.query(`select from ${relation} where monitor_id = $1`, [id])).rowCount).toBe(0);
  });

  it('and a writer at once leave all of a range or nothing of it', async () => {
    for (let round = 0; round < 5; round++) {
      const { tag } = await createMonitor(dashboard.test.api);
      await write(tag, START, 300);
      await Promise.all([dashboard.run('deleteMonitorData', { tag }), write(tag, START, 300, 'DOWN')]);
      const { total } = await list(tag, { status: 'DOWN' });
      expect([0, 300]).toContain(total);
      expect((await list(tag)).total).toBe(total);
    }
  });

  it('says that a monitor is not there', async () => {
    expect(failureOf(await dashboard.ask('deleteMonitorData', { tag: 'absent' }))).toEqual([
      404,
      "Monitor with tag 'absent' not found",
    ]);
    expect((await dashboard.ask('deleteMonitorData', {})).status).toBe(400);
  });
});
