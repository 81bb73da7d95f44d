import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';
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
