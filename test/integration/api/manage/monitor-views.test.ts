import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMonitor, failureOf, monitorOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';
import { addRegion, resultOf, storeResults } from '../../../support/monitoring-fixture.ts';

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 60_000) * 60;

let dashboard: Dashboard;
let pool: pg.Pool;
beforeAll(async () => {
  dashboard = await startDashboard();
  ({ pool } = dashboard.test.database);
});
afterAll(() => dashboard.test.stop());

const write = (monitor_tag: string, start: number, end: number, newStatus = 'UP'): Promise<unknown> =>
  dashboard.run('updateMonitoringData', { monitor_tag, start, end, newStatus, latency: 20 });

interface Current {
  tag: string;
  current: { status: string; latency: number | null; timestamp: number | null };
}

interface List {
  monitors: Current[];
  total: number;
}

describe('getMonitorsPaginated', () => {
  const list = (data: object): Promise<List> => dashboard.run('getMonitorsPaginated', data);

  it('searches tags and names in any case, filters and pages, hidden ones included', async () => {
    for (const name of ['Shop front', 'Shop 100%', 'Mail'])
      await createMonitor(dashboard.test.api, { name, is_hidden: name === 'Mail' ? 'YES' : 'NO' });
    const found = async (data: object): Promise<unknown[]> => [
      (await list(data)).monitors.map((monitor) => (monitor as unknown as { name: string }).name),
      (await list(data)).total,
    ];
    expect(await found({ search: 'SHOP' })).toEqual([['Shop 100%', 'Shop front'], 2]);
    expect(await found({ search: '0%' })).toEqual([['Shop 100%'], 1]);
    expect(await found({ search: 'shop', page: 2, limit: 1 })).toEqual([['Shop front'], 2]);
    expect(await found({ is_hidden: 'YES', search: '' })).toEqual([['Mail'], 1]);
    expect(await found({ search: 'a\0b' })).toEqual([[], 0]);
  });

  it('finds those that are active and so now, on as many pages as there are', async () => {
    const { api } = dashboard.test;
    const now = Math.floor(Date.now() / 60_000) * 60;
    const make = async (status: string, fields: object = {}): Promise<string> => {
      const { tag } = await createMonitor(api, { name: 'A state of its own', ...fields });
      await write(tag, now - 120, now, status);
      return tag;
    };
    const [first, second] = [await make('DOWN'), await make('DOWN', { is_hidden: 'YES' })];
    const slow = await make('DEGRADED');
    await make('DOWN', { status: 'INACTIVE' });
    const [up, kept] = [await make('UP'), await make('DOWN')];
    const monitors = [{ monitor_tag: kept, impact: 'MAINTENANCE' }];
    await api.post('/api/v4/incidents', { title: 'An incident', start_date_time: now - 600, monitors });
    const silent = await createMonitor(api, { name: 'A state of its own' });
    await api.patch(`/api/v4/monitors/${silent.tag}`, { default_status: null });
    const found = async (data: object): Promise<unknown> => {
      const { monitors, total } = await list({ search: 'a state of', ...data });
      return [monitors.map(({ tag }) => tag), total];
    };
    expect(await found({ current: 'DOWN' })).toEqual([[second, first], 2]);
    expect(await found({ current: 'DOWN', page: 2, limit: 1 })).toEqual([[first], 2]);
    expect(await found({ current: 'DOWN', page: 9 })).toEqual([[], 2]);
    expect(await found({ current: 'DOWN', is_hidden: 'NO' })).toEqual([[first], 1]);
    expect(await found({ current: 'DOWN', status: 'INACTIVE' })).toEqual([[], 0]);
    expect(await found({ current: 'DEGRADED' })).toEqual([[slow], 1]);
    expect(await found({ current: 'UP' })).toEqual([[up], 1]);
    expect(await found({ current: 'MAINTENANCE' })).toEqual([[kept], 1]);
    expect(await found({ current: 'NO_DATA' })).toEqual([[silent.tag], 1]);
    expect(await found({ current: 'ALL' })).toMatchObject({ 1: 7 });
    expect(failureOf(await dashboard.ask('getMonitorsPaginated', { current: 'down' }))).toEqual([
      400,
      'current must be one of: UP, DOWN, DEGRADED, MAINTENANCE, NO_DATA, ALL',
    ]);
  });

  it('says of each how it is now', async () => {
    const { tag } = await createMonitor(dashboard.test.api, { is_hidden: 'YES' });
    const now = Math.floor(Date.now() / 60_000) * 60;
    await write(tag, now - 120, now, 'DOWN');
    const fresh = await createMonitor(dashboard.test.api, { default_status: 'DEGRADED' });
    const { monitors } = await list({ limit: 2 });
    expect(monitors.map(({ current, ...monitor }) => [monitor.tag, current])).toEqual([
      [fresh.tag, { status: 'DEGRADED', latency: null, timestamp: null }],
      [tag, { status: 'DOWN', latency: 20, timestamp: now - 60 }],
    ]);
  });
});

describe('getMonitorNames', () => {
  const names = async (data: object): Promise<string[]> =>
    (await dashboard.run<{ tag: string; name: string }[]>('getMonitorNames', data)).map(({ name }) => name);

  it('names monitors by their tags, and those that a text is part of, what is the text itself first', async () => {
    const tags: string[] = [];
    for (const name of ['Door 1', 'A door', 'Door'])
      tags.push((await createMonitor(dashboard.test.api, { name, is_hidden: 'YES' })).tag);
    expect(await names({ search: 'DOOR' })).toEqual(['Door', 'A door', 'Door 1']);
    expect(await names({ search: 'door', limit: 1 })).toEqual(['Door']);
    expect(await names({ search: tags[2] })).toEqual(['Door']);
    expect(await names({ tags: [tags[0], tags[1], 'absent', 'a\0b'] })).toEqual(['A door', 'Door 1']);
    expect(await names({ tags: [] })).toEqual([]);
    expect((await names({})).length).toBeGreaterThanOrEqual(3);
  });
});

describe('getMonitor', () => {
  it('answers the monitor as /api/v4 does, how it is now, and its versions', async () => {
    const { tag } = await createMonitor(dashboard.test.api, { cron: '*/5 * * * *' });
    await dashboard.test.api.patch(`/api/v4/monitors/${tag}`, { cron: null });
    await dashboard.test.api.patch(`/api/v4/monitors/${tag}`, { name: 'no other version' });
    const monitor = monitorOf(await dashboard.test.api.get(`/api/v4/monitors/${tag}`));
    const { versions, current, ...shown } = await dashboard.run<Current & { versions: unknown[] }>('getMonitor', {
      tag,
    });
    expect(shown).toEqual(monitor);
    expect(current).toEqual({ status: 'UP', latency: null, timestamp: null });
    expect(versions).toMatchObject([
      { revision: 2, cron: null, active: true },
      { revision: 1, cron: '*/5 * * * *', quorum: null, regions: null },
    ]);
    expect(failureOf(await dashboard.ask('getMonitor', { tag: 'absent' }))).toEqual([
      404,
      "Monitor with tag 'absent' not found",
    ]);
  });
});

describe('getMonitorSummary', () => {
  it('counts as /api/v4 does', async () => {
    const { tag } = await createMonitor(dashboard.test.api);
    await write(tag, NOW - 600, NOW);
    await write(tag, NOW - 300, NOW, 'DOWN');
    const range = { start_ts: NOW - 600, end_ts: NOW };
    const { body } = await dashboard.test.api.get(
      `/api/v4/monitors/${tag}/summary?start_ts=${range.start_ts}&end_ts=${range.end_ts}`,
    );
    const summary = await dashboard.run('getMonitorSummary', { tag, ...range });
    expect({ summary }).toEqual(body);
    expect(summary).toMatchObject({ total: 10, up: 5, down: 5, uptime: 50 });
  });
});

describe('getMonitorData', () => {
  interface Step {
    timestamp: number;
    up: number;
    down: number;
    unknown: number;
    latency: number | null;
  }

  interface Chart {
    step_seconds: number;
    points: Step[];
    regions: { region: string; points: Step[] }[];
  }

  it('shows a day by the minute, altogether and by region', async () => {
    const { tag, id } = await createMonitor(dashboard.test.api, { monitor_type: 'NONE' });
    const eu = await addRegion(pool, 'eu');
    const us = await addRegion(pool, 'us');
    const at = (minute: number, place: typeof eu, given: object) =>
      resultOf({ monitorId: id, minute, ...place, ...given });
    await storeResults(pool, [
      at(NOW - 120, eu, { latencyUs: 10_000 }),
      at(NOW - 120, us, { latencyUs: 30_000 }),
      at(NOW - 60, eu, { status: 'DOWN', latencyUs: 0 }),
      at(NOW - 60, us, { status: 'UNKNOWN', latencyUs: null, cause: 'AGENT' }),
    ]);
    // By hand, so that nobody makes points of the results, whenever they are ripe.
    await write(tag, NOW - 120, NOW);
    const chart = await dashboard.run<Chart>('getMonitorData', { tag, start_ts: NOW - DAY, end_ts: NOW });
    const step = { up: 0, degraded: 0, down: 0, unknown: 0, latency: null };
    expect(chart).toEqual({
      step_seconds: 60,
      points: [NOW - 120, NOW - 60].map((timestamp) => ({ ...step, timestamp, up: 1, latency: 20 })),
      regions: [
        {
          region: 'eu',
          points: [
            { ...step, timestamp: NOW - 120, up: 1, latency: 10 },
            { ...step, timestamp: NOW - 60, down: 1 },
          ],
        },
        {
          region: 'us',
          points: [
            { ...step, timestamp: NOW - 120, up: 1, latency: 30 },
            { ...step, timestamp: NOW - 60, unknown: 1 },
          ],
        },
      ],
    });
  });

  it('shows longer ranges in steps of the clock, never more than a chart can show', async () => {
    const { tag } = await createMonitor(dashboard.test.api);
    const end_ts = Math.floor(NOW / DAY) * DAY;
    await write(tag, end_ts - 100 * DAY, end_ts);
    for (const [days, step, first] of [
      [7, 600, 0],
      [30, 1800, 0],
      [90, 7200, 60],
      [400, 43_200, 0],
    ] as const) {
      const start_ts = end_ts - days * DAY + first;
      const { step_seconds, points } = await dashboard.run<Chart>('getMonitorData', { tag, start_ts, end_ts });
      const shownDays = Math.min(days, 100);
      expect([days, step_seconds, points.length]).toEqual([days, step, (shownDays * DAY) / step]);
      const minutes = points.reduce((sum, { up }) => sum + up, 0);
      expect(minutes).toBe(shownDays * 1440 - first / 60);
      expect(points[0]).toMatchObject({ timestamp: end_ts - shownDays * DAY, up: step / 60 - first / 60, latency: 20 });
    }
  });

  it.each([
    [{ start_ts: 60, end_ts: 60 }, 'start_ts must be less than end_ts'],
    [{ start_ts: 60 }, 'end_ts is required'],
    [{ start_ts: 0, end_ts: 401 * DAY }, 'The range must cover at most 400 days'],
  ])('refuses %j', async (range, message) => {
    const { tag } = await createMonitor(dashboard.test.api);
    expect(failureOf(await dashboard.ask('getMonitorData', { tag, ...range }))).toEqual([400, message]);
  });
});
