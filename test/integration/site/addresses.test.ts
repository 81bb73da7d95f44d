import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, startApi, type TestApi } from '../../support/api-server.ts';
import { eventually } from '../../support/eventually.ts';
import { fetchPlain } from '../../support/fetch-plain.ts';

/** Addresses that nobody was given. */

let test: TestApi;
beforeAll(async () => {
  test = await startApi({ withPages: true });
  await test.api.post('/api/v4/monitors', { tag: 'shop', name: 'The shop', monitor_type: 'NONE' });
  await test.api.post('/api/v4/incidents', { title: 'It burns', start_date_time: 600, monitors: [] });
}, 180_000);
afterAll(() => test.stop());

async function visit(path: string, headers: Record<string, string> = {}) {
  const {
    status,
    headers: answered,
    body,
  } = await fetchPlain(test.api.base + path, { Accept: 'text/html', ...headers });
  return { status, headers: answered, html: body.toString() };
}

it.each([
  ...['/incidents/abc', '/incidents/0', '/incidents/1.5', '/incidents/01', '/incidents/-1', '/incidents/99999999999'],
  ...[
    '/maintenances/x',
    '/maintenances/1e400',
    '/%00',
    '/monitors/%00',
    '/monitors/shop%00/days',
    '/monitors/%00/days',
  ],
  ...['/monitors/shop/days/%00', '/embed/monitor-%00', '/embed/%00', `/${'x'.repeat(300)}`],
  ...[`/monitors/${'x'.repeat(300)}`],
])('of nothing are answered 404, to people and to programs: %s', async (path) => {
  const person = await visit(path);
  expect([person.status, person.html.includes('There is no such page')]).toEqual([404, true]);
  expect((await visit(path, { Accept: 'application/json' })).status).toBe(404);
});

it('of something are answered beside them', async () => {
  for (const path of ['/', '/monitors/shop', '/incidents/1', '/embed/monitor-shop'])
    expect([path, (await visit(path)).status]).toEqual([path, 200]);
});

it.each(['//evil.example', '///evil.example/', '/\\evil.example'])('lead nowhere else: %s', async (path) => {
  const { status, html } = await visit(path);
  expect(status).toBe(404);
  expect(html).toContain('href="/evil.example');
  expect(html).not.toMatch(/(href|src)="[/\\]{2}/);
});

it('know a zone in any letter case as one', async () => {
  const inZone = (name: string) => visit('/', { Cookie: `farwatch_zone=${name}` });
  const first = await inZone('Asia%2FTokyo');
  expect(first.html).toContain('Times are in Asia/Tokyo');
  for (const name of ['ASIA/TOKYO', 'asia%2ftokyo', 'aSIA/tOKYO'])
    expect((await inZone(name)).headers.etag).toBe(first.headers.etag);
});

it('count for the address of who asks only where something is read for them', async () => {
  const counting = await serve(test.database.url, undefined, { withPages: true, exposure: { perAddress: 30 } });
  const look = (path: string, headers: Record<string, string> = {}) =>
    fetchPlain(counting.base + path, { Accept: 'text/html', ...headers });
  const isCounted = async (path: string, headers?: Record<string, string>) =>
    (await look(path, headers)).headers.ratelimit !== undefined;
  try {
    expect(await isCounted('/')).toBe(true);
    // Once the server hears of changes it forgets what it has shown before.
    await eventually('a page to be kept', 10_000, async () => !(await isCounted('/')) && !(await isCounted('/')));
    for (const path of ['/', '/?month=2026-01', '/?x=1']) expect([path, await isCounted(path)]).toEqual([path, false]);
    expect(await isCounted('/', { Host: 'other.example' })).toBe(false);
    const byHost = await look('/monitors/shop', { Host: 'other.example' });
    expect(byHost.body.toString()).toContain('http://other.example/badge/shop/status');
    for (const path of ['/monitors/shop', '/monitors/shop/days', '/a/b/c'])
      expect([path, await isCounted(path)]).toEqual([path, true]);
    for (let times = 0; times < 30; times += 1) await look('/nowhere');
    for (const path of ['/events', '/nowhere', '/a/b/c', '/monitors/shop/days']) {
      const { status, headers } = await look(path);
      expect([path, status, Number(headers['retry-after']) > 0]).toEqual([path, 429, true]);
    }
    expect((await look('/')).status, 'what is kept').toBe(200);
  } finally {
    await counting.stop();
  }
});

it.each([
  ['', 90],
  ['?last=365', 365],
  ['?last=7', 7],
  ['?last=999', 365],
  ['?last=0', 1],
  ['?last=x', 90],
])('tell of as many days as a bar has: %s', async (query, count) => {
  const days: unknown = JSON.parse((await visit(`/monitors/shop/days${query}`)).html);
  expect(days).toHaveLength(count);
  expect(days).toHaveProperty([count - 1, 'href'], `/monitors/shop/days/${new Date().toISOString().slice(0, 10)}`);
});

it('lead from a bar of a year to all of its days', async () => {
  const page_settings = { monitor_status_history_days: { desktop: 365, mobile: 30 } };
  const fields = { page_path: 'year', page_title: 'Year', page_header: 'x', monitors: ['shop'], page_settings };
  await test.api.post('/api/v4/pages', fields);
  const bar = /data-days="([^"]+)"/.exec((await visit('/year')).html)?.[1] ?? '';
  expect(JSON.parse((await visit(bar)).html)).toHaveLength(365);
});
