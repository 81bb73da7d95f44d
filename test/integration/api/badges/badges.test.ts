import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Answer } from '../../../support/api-client.ts';
import { createMonitor } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';
import { elementsOf, parseXml } from '../../../support/xml.ts';

const NOW = Math.floor(Date.now() / 1000 / 3600) * 3600 + 600;

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
  await stopClock(test.database.pool, NOW);
});
afterAll(() => test.stop());
beforeEach(() => test.database.pool.query('delete from monitors'));

const look = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  test.api.request('GET', `/badge/${path}`, { authorization: null, headers });

/** What a badge says, for those who cannot see it. */
async function said(path: string): Promise<string> {
  const answer = await look(path);
  expect(answer.status, answer.text).toBe(200);
  const svg = parseXml(answer.text);
  expect(elementsOf(svg, 'title')[0]?.text).toBe(svg.attributes['aria-label']);
  return svg.attributes['aria-label'] ?? '';
}

/** A monitor with points, one a minute and the last of them a minute ago. */
async function monitorWith(points: readonly (readonly [string, number])[], fields: object = {}): Promise<string> {
  const { tag } = await createMonitor(test.api, { name: 'Shop', ...fields });
  for (const [at, [status, latency]] of points.entries()) {
    const minute = NOW - (points.length - at) * 60;
    await test.api.patch(`/api/v4/monitors/${tag}/data/${minute}`, { status, latency });
  }
  return tag;
}

const UP = ['UP', 20] as const;
const DOWN = ['DOWN', 0] as const;

describe('GET /badge/{tag}/…', () => {
  it('is an image that needs no key, may be kept for a while, and may run nothing', async () => {
    const tag = await monitorWith([UP]);
    const answer = await look(`${tag}/status`);
    expect(answer.headers.get('content-type')).toBe('image/svg+xml; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=30');
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'; style-src 'unsafe-inline'");
    const known = await look(`${tag}/status`, { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(known.status).toBe(304);
    expect((await test.api.request('HEAD', `/badge/${tag}/status`, { authorization: null })).status).toBe(200);
  });

  it('says the current status, of one monitor and of all', async () => {
    const tag = await monitorWith([UP]);
    expect(await said(`${tag}/status`)).toBe('Shop: UP');
    expect(await said('_/status')).toBe('Status: UP');
    await monitorWith([DOWN], { name: 'Mail' });
    expect(await said('_/status')).toBe('Status: DOWN');
    expect(await said(`${tag}/status?label=Front`)).toBe('Front: UP');
    expect(await said(`${tag}/dot?animate=ping`)).toBe('Shop: UP');
    expect(await said('_/dot')).toBe('Status: DOWN');
  });

  it('says the uptime of a span up to now, by the formula of the monitor', async () => {
    const tag = await monitorWith([DOWN, UP, UP, UP]);
    expect(await said(`${tag}/uptime`)).toBe('Shop 90d: 75%');
    expect(await said(`${tag}/uptime?sinceLast=180`)).toBe('Shop 3m: 100%');
    expect(await said(`${tag}/uptime?hideDuration=true&label=A`)).toBe('A: 75%');
    await test.api.patch(`/api/v4/monitors/${tag}`, { monitor_settings_json: { uptime_formula_numerator: 'down' } });
    expect(await said(`${tag}/uptime`)).toBe('Shop 90d: 25%');
    expect(await said('_/uptime')).toBe('Status 90d: 75%');
    expect(await said(`${await monitorWith([], { name: 'New' })}/uptime`)).toBe('New 90d: -');
  });

  it('says the latency, of all monitors by how many points each has', async () => {
    const tag = await monitorWith([['UP', 10] as const, ['UP', 40] as const, DOWN]);
    expect(await said(`${tag}/latency`)).toBe('Shop 90d: 25 ms');
    expect(await said(`${tag}/latency?metric=maximum&locale=fr`)).toMatch(/^Shop 90j\s*: 40.ms$/u);
    expect(await said(`${tag}/latency?metric=minimum`)).toBe('Shop 90d: 10 ms');
    await monitorWith([['UP', 55] as const], { name: 'Mail' });
    expect(await said('_/latency?hideDuration=true')).toBe('Status: 35 ms');
    expect(await said('_/latency?hideDuration=true&metric=maximum')).toBe('Status: 55 ms');
  });

  it('adds up what is reported of each monitor, where changes are confirmed too, and of those that are visible now', async () => {
    await monitorWith([UP, UP, UP, DOWN, UP, UP], { confirmation_threshold: 2 });
    await monitorWith([DOWN, DOWN, UP, UP], { name: 'Mail' });
    expect(await said('_/uptime?hideDuration=true')).toBe('Status: 80%');
    const other = await monitorWith([DOWN, DOWN, DOWN, DOWN, DOWN, DOWN], { name: 'Other' });
    expect(await said('_/uptime?hideDuration=true')).toBe('Status: 50%');
    await test.api.patch(`/api/v4/monitors/${other}`, { is_hidden: 'YES' });
    expect(await said('_/uptime?hideDuration=true')).toBe('Status: 80%');
  });

  it('counts a year of thousands of monitors in pieces', async () => {
    await monitorWith([UP, UP, UP, DOWN]);
    await test.database.pool.query(
      `insert into monitors (tag, name, monitor_type, include_degraded_in_downtime, is_hidden, status)
       select 'many-' || n, 'x', 'TCP', 'NO', 'NO', 'ACTIVE' from generate_series(1, 5000) n`,
    );
    expect(await said(`_/uptime?hideDuration=true&sinceLast=${366 * 86_400}`)).toBe('Status: 75%');
    // In days it would be two million parts, and half a minute.
  }, 15_000);

  it('counts one span of all monitors at a time, and refuses those that would wait long', async () => {
    const tag = await monitorWith([UP]);
    const holder = await test.database.pool.connect();
    const waiting = async (): Promise<number> => {
      const { rows } = await test.database.pool.query<{ count: number }>(
        `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%cursors%'`,
      );
      return rows[0]?.count ?? NaN;
    };
    try {
      await holder.query('begin');
      await holder.query('lock table cursors in access exclusive mode');
      const asked = Array.from({ length: 20 }, (_, at) => look(`_/uptime?sinceLast=${3600 + at * 60}`));
      await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000);
      const refused = await Promise.race(asked);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await waiting()).toBe(1);
      expect((await look(`${tag}/status`)).status, 'others go on').toBe(200);
      await holder.query('rollback');
      const statuses = (await Promise.all(asked)).map(({ status }) => status);
      expect(statuses.filter((status) => status === 200)).toHaveLength(5);
      expect(statuses.filter((status) => status === 503)).toHaveLength(15);
      expect((await look('_/uptime?sinceLast=7200')).status, 'and later ones').toBe(200);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it.each(['status', 'uptime', 'latency', 'dot'])('never tells of hidden or inactive monitors (%s)', async (kind) => {
    const hidden = await monitorWith([DOWN], { name: 'Secret', is_hidden: 'YES' });
    const inactive = await monitorWith([DOWN], { name: 'Secret', status: 'INACTIVE' });
    const visible = await monitorWith([UP]);
    const missing = await look(`missing/${kind}`);
    expect(parseXml(missing.text).attributes['aria-label']).toBe('error: not found');
    for (const tag of [hidden, inactive]) expect((await look(`${tag}/${kind}`)).text).toBe(missing.text);
    const all = await said(`_/${kind}?hideDuration=true`);
    expect(all).toBe(await said(`${visible}/${kind}?hideDuration=true&label=Status`));
    expect((await look(`${hidden}/${kind}?label=x&style=social`)).status).toBe(200);
  });

  it('answers other kinds as unknown, and bad values as none', async () => {
    const tag = await monitorWith([UP]);
    expect((await look(`${tag}/other`)).status).toBe(404);
    expect(await said(`${tag}/uptime?style=x&color=%00&sinceLast=%ff&locale=%3C&hideDuration=1`)).toBe(
      'Shop 90d: 100%',
    );
    expect((await test.api.request('POST', `/badge/${tag}/status`, { authorization: null })).status).toBe(405);
  });

  it('escapes what people wrote', async () => {
    const name = `<script>alert(1)</script>]]>"'&\u0001🙂`;
    const tag = await monitorWith([UP], { name });
    expect(await said(`${tag}/status`)).toBe(`${name.replace('\u0001', ' ')}: UP`);
    expect(await said(`${tag}/dot`)).toBe(`${name.replace('\u0001', ' ')}: UP`);
  });
});
