import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../support/api-server.ts';

let test: TestApi;
const now = Math.floor(Date.now() / 60_000) * 60;

beforeAll(async () => {
  test = await startApi({ withPages: true });
  for (const [tag, hidden] of [
    ['shop', 'NO'],
    ['secret', 'YES'],
  ])
    await test.api.post('/api/v4/monitors', {
      ...{ tag, name: `The ${tag}`, is_hidden: hidden, monitor_type: 'TCP' },
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80 }] },
    });
  await test.api.patch('/api/v4/monitors/shop/data', { start_ts: now - 7200, end_ts: now, status: 'UP', latency: 12 });
  await test.api.patch('/api/v4/pages/~home', {
    page_title: 'Example',
    page_header: 'All of it',
    monitors: ['shop', 'secret'],
  });
  await test.api.post('/api/v4/pages', {
    page_path: 'eu',
    page_title: 'Europe',
    page_header: 'In Europe',
    monitors: ['shop'],
  });
}, 180_000);
afterAll(() => test.stop());

async function visit(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(test.api.base + path, { headers: { Accept: 'text/html', ...headers } });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

describe('the pages for people', () => {
  it('answer every address with a whole document', async () => {
    const day = new Date(now * 1000).toISOString().slice(0, 10);
    const paths = ['/', '/eu', '/monitors/shop', `/monitors/shop/days/${day}`, '/events', '/embed/monitor-shop'];
    for (const path of paths) {
      const { status, html } = await visit(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(html).toMatch(/^<!doctype html><html lang="en".*<\/html>$/s);
      expect(html).toMatch(/The shop|Events in/);
    }
  });

  it('show nowhere what is hidden', async () => {
    for (const path of ['/', '/eu', '/events']) expect((await visit(path)).html).not.toContain('secret');
    for (const path of ['/monitors/secret', '/embed/monitor-secret']) expect((await visit(path)).status).toBe(404);
  });

  it('run no script and load nothing but from their own host', async () => {
    const { headers, html } = await visit('/');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(html).not.toMatch(/<script(?![^>]* src="\/assets\/)/);
    expect(html).not.toMatch(/ (style|on\w+)="/);
  });

  it('speak the language that the browser likes, or the one that is chosen', async () => {
    expect((await visit('/', { 'Accept-Language': 'pt, ja;q=0.8, de;q=0.5' })).html).toContain('<html lang="ja"');
    const chosen = await visit('/?lang=de', { 'Accept-Language': 'ja' });
    expect(chosen.html).toContain('<html lang="de"');
    expect(chosen.headers.get('set-cookie')).toContain('farwatch_lang=de');
    expect((await visit('/', { Cookie: 'farwatch_lang=fr' })).html).toContain('<html lang="fr"');
  });

  it('tell times in the zone of the visitor', async () => {
    expect((await visit('/', { Cookie: 'farwatch_zone=Asia%2FTokyo' })).html).toContain('Times are in Asia/Tokyo');
    expect((await visit('/', { Cookie: 'farwatch_zone=Nowhere' })).html).toContain('Times are in UTC');
  });

  it('tell a person in words what is not there, and leave programs the answer of the API', async () => {
    const person = await visit('/nowhere');
    expect(person.status).toBe(404);
    expect(person.html).toContain('There is no such page');
    const program = await fetch(`${test.api.base}/nowhere`);
    expect(program.status).toBe(404);
    expect(await program.json()).toEqual({ error: { code: 'NOT_FOUND', message: "No API route matches '/nowhere'" } });
  });

  it('escape what users write', async () => {
    const title = '<img src=x onerror=alert(1)>';
    const { body } = await test.api.post('/api/v4/incidents', { title, start_date_time: now - 600, monitors: [] });
    // The contract tests hold the answer's shape.
    const { html } = await visit(`/incidents/${(body as { incident: { id: number } }).incident.id}`);
    expect(html).toContain('&lt;img src=x onerror=alert(1)>');
    expect(html).not.toContain('<img src=x');
  });
});

describe('what browsers load', () => {
  it('is kept for a year: its name changes with its content', async () => {
    const { html } = await visit('/');
    const script = /src="(\/assets\/site-[^"]+\.js)"/.exec(html)?.[1];
    const response = await fetch(`${test.api.base}${script}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  });
});
