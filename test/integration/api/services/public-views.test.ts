import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSiteViews, type SiteViews } from '../../../../api/services/site-views.ts';
import { makeRoom } from '../../../../db/room.ts';
import { createIncident } from '../../../support/api-incidents.ts';
import { createMaintenance } from '../../../support/api-maintenances.ts';
import { createMonitor } from '../../../support/api-monitors.ts';
import { createPage } from '../../../support/api-pages.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { addRegion, stopClock } from '../../../support/monitoring-fixture.ts';

const DAY = 86_400;
/** Ten minutes past the hour, and so past midnight in one zone or another. */
const NOW = Math.floor(Date.now() / 1000 / 3600) * 3600 + 600;
const NOTHING_KEPT = { freshMs: -1, staleMs: -1, capacity: 10 };
const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString().slice(0, 10);

let test: TestApi;
let views: SiteViews;
let shop: string;
let hidden: string;
let path: string;
beforeAll(async () => {
  test = await startApi();
  await stopClock(test.database.pool, NOW);
  views = createSiteViews(test.database.pool, NOTHING_KEPT);
  const { agentId, regionId } = await addRegion(test.database.pool, 'eu');
  await addRegion(test.database.pool, 'us');
  const fields = { name: 'Shop', description: 'Sells', image: 'https://x.example/i.png', category_name: 'Front' };
  const monitor = await createMonitor(test.api, fields);
  shop = monitor.tag;
  hidden = (await createMonitor(test.api, { name: 'Secret', is_hidden: 'YES' })).tag;
  const asleep = (await createMonitor(test.api, { name: 'Secret too', status: 'INACTIVE' })).tag;
  path = (await createPage(test.api, { monitors: [hidden, shop, asleep] })).page_path;
  for (const tag of [shop, hidden, asleep])
    await test.api.patch(`/api/v4/monitors/${tag}/data`, {
      ...{ start_ts: NOW - 2 * 3600, end_ts: NOW - 600, status: 'UP', latency: 10 },
    });
  await test.api.patch(`/api/v4/monitors/${shop}/data`, {
    ...{ start_ts: NOW - 600, end_ts: NOW, status: 'DOWN', latency: 0 },
  });
  await makeRoom(test.database.pool, 'check_results', [NOW - 120, NOW]);
  await test.database.pool.query(
    `insert into check_results (minute, monitor_id, agent_id, revision, latency_us, region_id, status, origin, cause)
     values (to_timestamp($1), $2, $3, 1, 12000, $4, 4, 1, 1), (to_timestamp($1 - 60), $2, $3, 1, 14000, $4, 2, 1, 1)`,
    [NOW - 60, monitor.id, agentId, regionId],
  );
});
afterAll(() => test.stop());

const named = (tag: string, impact = 'DOWN') => ({ monitors: [{ monitor_tag: tag, impact }] });
const pageView = async () => {
  const seen = await views.statusPage(path, 'UTC');
  if (!seen) throw new Error('no page');
  return seen.view;
};

describe('what everybody may see', () => {
  it('of a page: its visible monitors, how they are, and from where', async () => {
    const { monitors, overall, historyDays } = await pageView();
    expect(monitors).toHaveLength(1);
    const [monitor] = monitors;
    expect(monitor).toMatchObject({
      ...{ tag: shop, name: 'Shop', description: 'Sells', image: 'https://x.example/i.png' },
      ...{ status: 'DOWN', latencyMs: 10 },
      regions: [
        { name: 'eu', status: 'DOWN' },
        { name: 'us', status: 'NO_DATA' },
      ],
    });
    expect(monitor?.uptimeText).toBe(String(Number(((110 / 120) * 100).toFixed(4))));
    expect(monitor?.recent.every(({ minute, latencyMs }) => minute % 300 === 0 && latencyMs === 10)).toBe(true);
    expect(monitor?.recent.length).toBeGreaterThan(20);
    expect(overall).toEqual({ status: 'DOWN', partial: false });
    expect(historyDays).toEqual({ desktop: 90, mobile: 30 });
  });

  it('of incidents and maintenances: what the page shows, as much as it shows', async () => {
    const [first] = [await createIncident(test.api, { title: 'Now', start_date_time: NOW - 600, ...named(hidden) })];
    await createIncident(test.api, { title: 'Over', start_date_time: NOW - 7200, end_date_time: NOW - 3600 });
    const open = await createIncident(test.api, { title: 'Open', start_date_time: NOW - 1200, ...named(shop, 'UP') });
    const comments = `/api/v4/incidents/${open.id}/comments`;
    await test.api.post(comments, { comment: 'Old', state: 'IDENTIFIED', timestamp: NOW - 900 });
    await test.api.post(comments, { comment: 'New', state: 'MONITORING', timestamp: NOW - 300 });
    await createMaintenance(test.api, {
      title: 'Later',
      start_date_time: NOW + 2 * DAY,
      ...named(shop, 'MAINTENANCE'),
    });
    await createMaintenance(test.api, { title: 'Too late', start_date_time: NOW + 40 * DAY });
    await createMaintenance(test.api, { title: 'Secret', ...named(hidden, 'MAINTENANCE') });
    const view = await pageView();
    expect(view.ongoingIncidents).toMatchObject([
      {
        ...{ id: open.id, title: 'Open', start: Math.floor((NOW - 1200) / 60) * 60, end: null, state: 'MONITORING' },
        monitors: [{ tag: shop, name: 'Shop', impact: 'UP' }],
        comments: [{ text: 'New', state: 'MONITORING' }, { text: 'Old' }],
      },
    ]);
    expect(view.resolvedIncidents?.map(({ title }) => title)).toEqual(['Over']);
    expect(view.upcomingMaintenances?.map(({ title }) => title)).toEqual(['Later']);
    expect([view.ongoingMaintenances, view.pastMaintenances]).toEqual([[], []]);
    const page_settings = { incidents: { ongoing: { show: false } }, include_maintenances: { enabled: false } };
    await test.api.patch(`/api/v4/pages/${path}`, { page_settings });
    const less = await pageView();
    expect([less.ongoingIncidents, less.upcomingMaintenances, less.pastMaintenances]).toEqual([null, null, null]);
    expect(less.resolvedIncidents).toHaveLength(1);
    expect((await views.incident(open.id))?.view.title).toBe('Open');
    expect(await views.incident(first?.id ?? 0)).toBeUndefined();
    expect(await views.incident(2 ** 40)).toBeUndefined();
  });

  it('of a monitor: its figures over every range, its curve, and its regions', async () => {
    const seen = await views.monitorPage(shop, '24h', 'Asia/Kolkata');
    const uptimeText = String(Number(((110 / 120) * 100).toFixed(4)));
    expect(seen?.view.figures).toEqual(
      ['24h', '7d', '30d', '90d'].map((range) => ({ range, uptimeText, latencyMs: 10 })),
    );
    expect(seen?.view.series.step).toBe(300);
    expect(seen?.view.series.points.every(({ latencyMs }) => latencyMs === 10)).toBe(true);
    expect(seen?.view.regions).toEqual([
      { name: 'eu', status: 'DOWN', uptimeText: '50', latencyMs: 13 },
      { name: 'us', status: 'NO_DATA', uptimeText: '-', latencyMs: null },
    ]);
    expect(seen?.view.monitor.days).toHaveLength(90);
    const long = await views.monitorPage(shop, '90d', 'UTC');
    expect(long?.view.series).toMatchObject({ step: 21_600, points: expect.arrayContaining([]) as unknown });
    expect(long?.view.series.points.at(-1)?.latencyMs).toBe(10);
    // What regions saw is told of seven days at most, and it is said so.
    const told = [seen, long].map((one) => [one?.view.regionsRange, one?.view.regions[0]?.uptimeText]);
    expect(told).toEqual([
      ['24h', '50'],
      ['7d', '50'],
    ]);
  });

  it('of a monitor: since when it is how it is', async () => {
    const measured = async (...points: [string, number, number][]): Promise<string> => {
      const { tag } = await createMonitor(test.api);
      for (const [status, start_ts, end_ts] of points)
        await test.api.patch(`/api/v4/monitors/${tag}/data`, { start_ts, end_ts, status, latency: 5 });
      return tag;
    };
    const since = async (tag: string) => {
      const seen = await views.monitorPage(tag, '24h', 'UTC');
      return [seen?.view.monitor.status, seen?.view.monitor.since];
    };
    const up: [string, number, number] = ['UP', NOW - 3 * DAY, NOW];
    expect(await since(await measured(up, ['DOWN', NOW - 1800, NOW]))).toEqual(['DOWN', NOW - 1800]);
    const long = NOW - 2 * DAY;
    expect(await since(await measured(up, ['DOWN', long, long + 600]))).toEqual(['UP', long + 600]);
    expect(await since(await measured(['UP', NOW - 7200, NOW - 3600]))).toEqual(['NO_DATA', NOW - 3600]);
    const slow = await measured(up);
    await createIncident(test.api, { start_date_time: NOW - 1200, ...named(slow, 'DEGRADED') });
    expect(await since(slow)).toEqual(['DEGRADED', NOW - 1200]);
    // It may be longer than anybody looks back, and it may never have been looked at.
    expect(await since(await measured(up))).toEqual(['UP', null]);
    expect(await since(await measured())).toEqual(['UP', null]);
  });

  it('of a day: its minutes as they are reported, and the days beside it', async () => {
    const yesterday = NOW - DAY;
    const begin = Math.floor(yesterday / DAY) * DAY;
    await test.api.patch(`/api/v4/monitors/${shop}/data`, {
      ...{ start_ts: begin + 3600, end_ts: begin + 7200, status: 'UP', latency: 20 },
    });
    await createIncident(test.api, {
      ...{ title: 'Then', start_date_time: begin + 5400, end_date_time: begin + 6000, ...named(shop, 'DEGRADED') },
    });
    const seen = await views.dayPage(shop, dateOf(yesterday), 'UTC');
    expect(seen?.view).toMatchObject({
      ...{ tag: shop, name: 'Shop', end: begin + DAY, previous: begin - DAY, next: begin + DAY },
      day: { start: begin, up: expect.any(Number) as number, degraded: 10, latencyMs: expect.any(Number) as number },
    });
    expect(seen?.view.spans.slice(0, 3)).toEqual([
      { start: begin + 3600, end: begin + 5400, status: 'UP' },
      { start: begin + 5400, end: begin + 6000, status: 'DEGRADED' },
      { start: begin + 6000, end: begin + 7200, status: 'UP' },
    ]);
    expect(seen?.view.incidents.map(({ title }) => title)).toContain('Then');
    const today = await views.dayPage(shop, dateOf(NOW), 'UTC');
    expect(today?.view.next).toBeNull();
    for (const day of [dateOf(NOW + DAY), '2026-02-30', '2026-13-01', 'x', dateOf(NOW - 500 * DAY)])
      expect(await views.dayPage(shop, day, 'UTC'), day).toBeUndefined();
  });

  it('of a month: what touched it, in the zone of who looks', async () => {
    const month = dateOf(NOW).slice(0, 7);
    const seen = await views.events(undefined, 'UTC');
    expect(seen?.view).toMatchObject({ month, start: Date.parse(`${month}-01T00:00:00Z`) / 1000 });
    expect(await views.events(month, 'UTC')).toEqual(seen);
    const titles = [...(seen?.view.incidents ?? []), ...(seen?.view.maintenances ?? [])].map(({ title }) => title);
    expect(titles).toEqual(expect.arrayContaining(['Open', 'Over']));
    expect(titles).not.toContain('Now');
    expect(titles).not.toContain('Secret');
    const berlin = await views.events('2026-07', 'Europe/Berlin');
    expect(berlin?.view).toMatchObject({
      ...{ previous: '2026-06', next: '2026-08', start: Date.parse('2026-06-30T22:00:00Z') / 1000 },
    });
    for (const text of ['2026-00', '2026-13', '26-1', '9999-01', '0001-01'])
      expect(await views.events(text, 'UTC'), text).toBeUndefined();
  });

  it('of a maintenance: its windows, where it names anything visible', async () => {
    const { id } = await createMaintenance(test.api, {
      ...{ title: 'Weekly', description: 'Why', rrule: 'FREQ=WEEKLY;COUNT=3', start_date_time: NOW + 3600 },
    });
    const seen = await views.maintenance(id);
    expect(seen?.view).toMatchObject({ title: 'Weekly', description: 'Why' });
    expect(seen?.view.events.map(({ start }) => start)).toEqual(
      [0, 7, 14].map((days) => Math.floor((NOW + 3600) / 60) * 60 + days * DAY),
    );
    const secret = await createMaintenance(test.api, { title: 'Secret', ...named(hidden, 'MAINTENANCE') });
    expect(await views.maintenance(secret.id)).toBeUndefined();
    await test.api.patch(`/api/v4/maintenances/${id}`, { status: 'INACTIVE' });
    expect(await views.maintenance(id)).toBeUndefined();
  });

  it('never of hidden or inactive monitors: there are no views of them, and none of anything names them', async () => {
    for (const range of ['24h', '90d'] as const) expect(await views.monitorPage(hidden, range, 'UTC')).toBeUndefined();
    expect(await views.dayPage(hidden, dateOf(NOW), 'UTC')).toBeUndefined();
    const all = await Promise.all([
      ...[views.statusPage(path, 'UTC'), views.statusPage('~home', 'UTC'), views.events(undefined, 'UTC')],
      ...[views.monitorPage(shop, '90d', 'UTC'), views.dayPage(shop, dateOf(NOW), 'UTC')],
    ]);
    const text = JSON.stringify(all);
    expect(text).not.toContain('Secret');
    expect(text).not.toContain(`"${hidden}"`);
  });
});
