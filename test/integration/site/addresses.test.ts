import { afterAll, beforeAll, expect, it } from 'vitest';
import { serve, startApi, type TestApi } from '../../support/api-server.ts';
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
  const counting = await serve(test.database.url, undefined, { withPages: true, exposure: { perAddress: 4 } });
  const look = (path: string, headers: Record<string, string> = {}) =>
    fetchPlain(counting.base + path, { Accept: 'text/html', ...headers });
  try {
    expect((await look('/')).headers.ratelimit).toMatch(/^"address";r=3;/);
    for (const path of ['/', '/?month=2026-01', '/?x=1']) expect((await look(path)).headers.ratelimit).toBeUndefined();
    expect((await look('/', { Host: 'other.example' })).headers.ratelimit).toBeUndefined();
    const byHost = await look('/monitors/shop', { Host: 'other.example' });
    expect([byHost.headers.ratelimit, byHost.body.toString()]).toEqual([
      expect.stringMatching(/^"address";r=2;/),
      expect.stringContaining('http://other.example/badge/shop/status'),
    ]);
    expect((await look('/monitors/shop/days')).headers.ratelimit).toMatch(/^"address";r=1;/);
    expect((await look('/a/b/c')).headers.ratelimit).toMatch(/^"address";r=0;/);
    for (const path of ['/events', '/nowhere', '/a/b/c', '/monitors/shop/days']) {
      const { status, headers } = await look(path);
      expect([path, status, Number(headers['retry-after']) > 0]).toEqual([path, 429, true]);
    }
    expect((await look('/')).status, 'what is kept').toBe(200);
  } finally {
    await counting.stop();
  }
});
