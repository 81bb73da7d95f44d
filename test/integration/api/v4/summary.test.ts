import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../../core/monitor.ts';
import { createIncident } from '../../../support/api-incidents.ts';
import { createMonitor, failureOf, monitorOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { addEvent } from '../../../support/overlay-rows.ts';

const DAY = 86_400;
const HOUR = 3600;
/** A full hour a day ago: everything around it can be written. */
const T = Math.floor(Date.now() / 1000 / HOUR) * HOUR - DAY;

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
});
afterAll(() => test.stop());

let monitor: Monitor;
let path = '';
beforeEach(async () => {
  monitor = await createMonitor(test.api);
  path = `/api/v4/monitors/${monitor.tag}`;
});

async function write(from: number, to: number, status: string, latency = 1.5): Promise<void> {
  const answer = await test.api.patch(`${path}/data`, { start_ts: from, end_ts: to, status, latency });
  expect(answer.status, answer.text).toBe(200);
}

async function summarize(from: number | string, to: number | string): Promise<unknown> {
  const answer = await test.api.get(`${path}/summary?start_ts=${from}&end_ts=${to}`);
  expect(answer.status, answer.text).toBe(200);
  // Held against the document by the client.
  return (answer.body as { summary: unknown }).summary;
}

const counts = { total: 0, up: 0, down: 0, degraded: 0, maintenance: 0 };

describe('GET /monitors/{tag}/summary', () => {
  it('counts a half-open range and tells uptime and latency', async () => {
    await write(T, T + 300, 'UP', 2);
    await write(T + 300, T + 360, 'DOWN', 0);
    await write(T + 360, T + 420, 'DEGRADED', 5.001);
    expect(await summarize(T, T + 420)).toEqual({
      monitor_tag: monitor.tag,
      start_ts: T,
      end_ts: T + 420,
      total: 7,
      up: 5,
      down: 1,
      degraded: 1,
      maintenance: 0,
      uptime: 85.7143,
      uptime_text: '85.7143',
      latency: { avg: 2.5, min: 2, max: 5.001 },
    });
    expect(await summarize(T + 240, T + 360)).toMatchObject({ up: 1, down: 1, total: 2, uptime_text: '50' });
  });

  it('says nothing of a range without a point', async () => {
    const nothing = { ...counts, uptime: null, uptime_text: '-', latency: { avg: null, min: null, max: null } };
    expect(await summarize(T, T + 60)).toMatchObject(nothing);
  });

  it('says 0 where no minute was up', async () => {
    await write(T, T + 60, 'DOWN', 0);
    expect(await summarize(T, T + 60)).toMatchObject({ uptime: 0, uptime_text: '0' });
  });

  it('takes a pair inside one minute for that minute, and any range', async () => {
    await write(T, T + 60, 'UP');
    expect(await summarize(T + 1, T + 2)).toMatchObject({ start_ts: T, end_ts: T + 60, total: 1 });
    expect(await summarize(-(10 ** 15), 10 ** 15)).toMatchObject({ total: 1 });
    expect(await summarize('-1' + '0'.repeat(400), '1' + '0'.repeat(400))).toMatchObject({ total: 1 });
    expect(await summarize(10 ** 15, 10 ** 15 + 1)).toMatchObject({ total: 0 });
  });

  it('follows include_degraded_in_downtime and the formulas of the monitor', async () => {
    await write(T, T + 180, 'UP');
    await write(T + 180, T + 240, 'DEGRADED');
    await test.api.patch(path, { include_degraded_in_downtime: 'YES' });
    expect(await summarize(T, T + 240)).toMatchObject({ up: 3, degraded: 1, down: 0, uptime_text: '75' });
    await test.api.patch(path, {
      monitor_settings_json: { uptime_formula_numerator: '2 * up', uptime_formula_denominator: 'up - 3' },
    });
    expect(await summarize(T, T + 240)).toMatchObject({ uptime: null, uptime_text: '-' });
  });

  it('lays incidents over the minutes that have a point, and keeps their latency', async () => {
    await write(T, T + 300, 'UP', 3);
    const monitors = [{ monitor_tag: monitor.tag, impact: 'DOWN' }];
    await createIncident(test.api, { start_date_time: T + 60, end_date_time: T + 120, monitors });
    await createIncident(test.api, { start_date_time: T + 240, monitors: [{ ...monitors[0], impact: 'MAINTENANCE' }] });
    await createIncident(test.api, { start_date_time: T, monitors: [{ ...monitors[0], impact: 'UP' }] });
    const latency = { avg: 3, min: 3, max: 3 };
    expect(await summarize(T, T + 600)).toMatchObject({
      total: 5,
      up: 3,
      down: 1,
      maintenance: 1,
      uptime_text: '80',
      latency,
    });
  });

  it('lays maintenances over, before incidents; their minutes are no downtime, and those to come lie over nothing', async () => {
    const soon = Math.floor(Date.now() / 1000 / 60) * 60 + 7200;
    await write(T, T + 300, 'DOWN', 0);
    await write(soon, soon + 60, 'UP');
    await createIncident(test.api, { start_date_time: T, monitors: [{ monitor_tag: monitor.tag }] });
    await addEvent(test.database.pool, monitor.id, { from: T + 60, to: T + 180, impact: 'MAINTENANCE' });
    await addEvent(test.database.pool, monitor.id, { from: soon, to: soon + 60, impact: 'DOWN', status: 'SCHEDULED' });
    expect(await summarize(T, T + 300)).toMatchObject({ total: 5, down: 3, maintenance: 2, uptime_text: '40' });
    await test.database.pool.query('delete from incidents');
    expect(await summarize(soon, soon + 60)).toMatchObject({ total: 1, up: 1 });
  });

  it('does not lay over what an alert says, nor what names other monitors or none', async () => {
    await write(T, T + 60, 'UP');
    const other = await createMonitor(test.api);
    await createIncident(test.api, { start_date_time: T, monitors: [{ monitor_tag: other.tag }] });
    await createIncident(test.api, { start_date_time: T });
    const { id } = await createIncident(test.api, { start_date_time: T, monitors: [{ monitor_tag: monitor.tag }] });
    await test.database.pool.query(`update incidents set incident_source = 'ALERT' where id = $1`, [id]);
    expect(await summarize(T, T + 60)).toMatchObject({ total: 1, up: 1 });
  });

  const BOTH = 'Both start_ts and end_ts query parameters are required';
  const VALID = 'start_ts and end_ts must be valid integers (UTC timestamps in seconds)';
  it.each([
    ['', BOTH],
    ['?start_ts=1', BOTH],
    ['?end_ts=1', BOTH],
    ['?start_ts=a&end_ts=1', VALID],
    ['?start_ts=2&end_ts=2', 'start_ts must be less than end_ts'],
  ])('refuses the range %j', async (query, message) => {
    expect(failureOf(await test.api.get(`${path}/summary${query}`))).toEqual([400, message]);
  });

  it('knows only monitors that exist, before anything else', async () => {
    expect(failureOf(await test.api.get('/api/v4/monitors/nope/summary'))).toEqual([
      404,
      "Monitor with tag 'nope' not found",
    ]);
    const { status } = await test.api.request('GET', `${path}/summary`, { authorization: null });
    expect(status).toBe(401);
  });
});

describe('the formulas of a monitor', () => {
  it.each(['', 'up +', 'process.exit(1)', 'up; down', '('.repeat(1000), 5, {}, ['up']])(
    'are refused where they are none: %j',
    async (formula) => {
      const place = 'monitor_settings_json.uptime_formula_numerator';
      const monitor_settings_json = { uptime_formula_numerator: formula };
      const refused = await test.api.post('/api/v4/monitors', { tag: 'refused', name: 'x', monitor_settings_json });
      expect(failureOf(refused)[0]).toBe(400);
      expect(failureOf(refused)[1]).toContain(`${place} must be a formula of up, down, degraded, maintenance`);
      expect(failureOf(await test.api.patch(path, { monitor_settings_json }))).toEqual(failureOf(refused));
      expect(monitorOf(await test.api.get(path))).toEqual(monitor);
    },
  );

  it('are kept as they were written', async () => {
    const monitor_settings_json = { uptime_formula_numerator: ' up+maintenance', uptime_formula_denominator: null };
    const patched = await test.api.patch(path, { monitor_settings_json });
    expect(monitorOf(patched).monitor_settings_json).toEqual(monitor_settings_json);
  });
});
