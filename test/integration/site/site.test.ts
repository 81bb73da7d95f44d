import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SITE_DATA } from '../../../core/site-data.ts';
import { LOCALES, wordsFor } from '../../../web/words.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { eventually } from '../../support/eventually.ts';
import { fetchPlain } from '../../support/fetch-plain.ts';

let test: TestApi;
const now = Math.floor(Date.now() / 60_000) * 60;
/** Seconds for which the mail has been down. */
const OUTAGE = 5400;
const today = new Date(now * 1000).toISOString().slice(0, 10);

beforeAll(async () => {
  test = await startApi({ withPages: true, publicUrl: 'https://status.example.com' });
  for (const [tag, is_hidden, status] of [
    ['shop', 'NO', 'ACTIVE'],
    ['secret', 'YES', 'ACTIVE'],
    ['asleep', 'NO', 'INACTIVE'],
  ])
    await test.api.post('/api/v4/monitors', {
      ...{ tag, name: `The ${tag}`, is_hidden, status, monitor_type: 'TCP' },
      type_data: { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80 }] },
    });
  const up = { start_ts: now - 7200, end_ts: now + 600, status: 'UP', latency: 12 };
  await test.api.patch('/api/v4/monitors/shop/data', up);
  const before = { start_ts: now - 10_800, end_ts: now - 7200, status: 'DOWN', latency: 0 };
  await test.api.patch('/api/v4/monitors/shop/data', before);
  await test.api.patch('/api/v4/pages/~home', {
    page_title: 'Example',
    page_header: 'All of it',
    monitors: ['shop', 'secret', 'asleep'],
  });
  await test.api.post('/api/v4/pages', {
    page_path: 'eu',
    page_title: 'Europe',
    page_header: 'In Europe',
    monitors: ['shop'],
  });
  await test.api.post('/api/v4/monitors', { tag: 'mail', name: 'The mail', monitor_type: 'NONE' });
  await test.api.patch('/api/v4/monitors/mail/data', up);
  const down = { ...up, start_ts: now - OUTAGE, status: 'DOWN', latency: 0 };
  await test.api.patch('/api/v4/monitors/mail/data', down);
  const both = { page_path: 'both', page_title: 'Both', page_header: 'Both', monitors: ['shop', 'mail'] };
  await test.api.post('/api/v4/pages', both);
}, 180_000);
afterAll(() => test.stop());

async function visit(path: string, headers: Record<string, string> = {}) {
  const response = await fetch(test.api.base + path, { headers: { Accept: 'text/html', ...headers } });
  return { status: response.status, headers: response.headers, html: await response.text() };
}

describe('the pages for people', () => {
  it('answer every address with a whole document', async () => {
    const paths = ['/', '/eu', '/monitors/shop', `/monitors/shop/days/${today}`, '/events', '/embed/monitor-shop'];
    for (const path of paths) {
      const { status, html } = await visit(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect(html).toMatch(/^<!doctype html><html lang="en".*<\/html>$/s);
      expect(html).toMatch(/The shop|Events in/);
    }
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
    // And go on showing what they showed.
    expect((await visit('/events?month=2026-02')).html).toContain('href="/events?month=2026-02&amp;lang=de"');
    expect((await visit('/monitors/shop?range=7d&x=1')).html).toContain('href="/monitors/shop?range=7d&amp;lang=de"');
  });

  it('tell times in the zone of the visitor', async () => {
    expect((await visit('/', { Cookie: 'farwatch_zone=Asia%2FTokyo' })).html).toContain('Times are in Asia/Tokyo');
    expect((await visit('/', { Cookie: 'farwatch_zone=Nowhere' })).html).toContain('Times are in UTC');
  });

  it.each(LOCALES)('tell in %s of what is not up since when, on the clocks of the visitor', async (locale) => {
    const { html } = await visit('/both', { Cookie: `farwatch_lang=${locale}; farwatch_zone=Asia%2FTokyo` });
    const told = [...html.matchAll(/id="monitor-(\w+)"(?:(?!<\/li>).)*?class="monitor-since">([^<]+)</gs)];
    expect(told.map(([, tag]) => tag)).toEqual(['mail']);
    for (const [tag, isTold] of [
      ['shop', false],
      ['mail', true],
    ] as const)
      expect((await visit(`/embed/monitor-${tag}`)).html.includes('monitor-since')).toBe(isTold);
    const words = wordsFor(locale, 'Asia/Tokyo');
    const time = words.moment(now - OUTAGE);
    const minutes = Array.from({ length: 10 }, (_, passed) => OUTAGE + passed * 60);
    const texts = minutes.map((length) => words.say('monitor.since', { time, duration: words.duration(length) }));
    expect(texts).toContain(told[0]?.[2]);
  });

  it('tell of the windows of one maintenance together, the next one first', async () => {
    const monitors = [{ monitor_tag: 'mail', impact: 'MAINTENANCE' }];
    const start_date_time = now + 86_400;
    const plan = {
      title: 'New disks',
      rrule: 'FREQ=WEEKLY;COUNT=3',
      duration_seconds: 3600,
      start_date_time,
      monitors,
    };
    await test.api.post('/api/v4/maintenances', plan);
    const words = wordsFor('en', 'UTC');
    const spans = [0, 1, 2].map((week) => start_date_time + week * 7 * 86_400).map((at) => words.span(at, at + 3600));
    const told = spans.map((span) => `<li>${span}</li>`).join('');
    for (const path of ['/both', '/monitors/mail', '/maintenances/1']) {
      const shown = async () => (await visit(path)).html;
      await expect.poll(shown, { timeout: 5000, interval: 20 }).toContain(told);
      const { html } = await visit(path);
      expect({ path, articles: html.match(/<article class="event maintenance/g)?.length }).toEqual({
        path,
        articles: 1,
      });
    }
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

describe('what is public', () => {
  it('is nothing of a hidden or an inactive monitor, in no page and nothing behind one', async () => {
    for (const tag of ['secret', 'asleep']) {
      const monitors = [{ monitor_tag: tag, impact: 'DOWN' }];
      await test.api.post('/api/v4/incidents', { title: `${tag} burns`, start_date_time: now - 600, monitors });
      await test.api.post('/api/v4/maintenances', {
        ...{ title: `${tag} rests`, start_date_time: now + 3600, rrule: 'FREQ=DAILY;COUNT=1', duration_seconds: 3600 },
        monitors,
      });
    }
    const open = ['/', '/eu', '/events', '/monitors/shop', '/embed/monitor-shop', `/monitors/shop/days/${today}`];
    const behind = ['/monitors/shop/days', '/api/v4/status', '/rss.xml', '/eu/rss.xml', '/monitors/shop/rss.xml'];
    for (const path of [...open, ...behind]) {
      const { status, html } = await visit(path);
      expect({ path, status }).toEqual({ path, status: 200 });
      expect({ path, told: /secret|asleep/i.exec(html)?.[0] }).toEqual({ path, told: undefined });
    }
    for (const tag of ['secret', 'asleep'])
      for (const path of ['', '/days', `/days/${today}`, '/rss.xml']) {
        const address = `/monitors/${tag}${path}`;
        expect({ address, status: (await visit(address)).status }).toEqual({ address, status: 404 });
      }
    for (const tag of ['secret', 'asleep', 'never-there']) {
      expect((await visit(`/embed/monitor-${tag}`)).status).toBe(404);
      expect((await visit(`/api/v4/status?tag=${tag}`)).html).toContain('"monitors":[]');
      for (const kind of ['status', 'uptime', 'latency', 'dot'])
        expect((await visit(`/badge/${tag}/${kind}`)).html).toContain('not found');
    }
  });

  it('is shown at once, and hidden at once', async () => {
    const soon = { timeout: 5000, interval: 20 };
    const monitors = [{ monitor_tag: 'shop', impact: 'DOWN' }];
    const made = await test.api.post('/api/v4/incidents', { title: 'Just now', start_date_time: now - 60, monitors });
    await expect.poll(async () => (await visit('/')).html, soon).toContain('Just now');
    // The contract tests hold the answer's shape.
    const { incident } = made.body as { incident: { id: number } };
    await test.api.delete(`/api/v4/incidents/${incident.id}`);
    await expect.poll(async () => (await visit('/')).html, soon).not.toContain('Just now');
    await test.api.patch('/api/v4/monitors/shop', { is_hidden: 'YES' });
    await expect.poll(async () => (await visit('/')).html, soon).not.toContain('The shop');
    await test.api.patch('/api/v4/monitors/shop', { is_hidden: 'NO' });
    await expect.poll(async () => (await visit('/')).html, soon).toContain('The shop');
  });
});

describe('who may keep a page', () => {
  it('is everybody for seconds, where it is what all find who come for the first time', async () => {
    const { headers } = await visit('/', { 'Accept-Language': 'de' });
    expect(headers.get('cache-control')).toBe('public, max-age=0, s-maxage=10');
    for (const name of ['Accept-Encoding', 'Accept-Language', 'Cookie']) expect(headers.get('vary')).toContain(name);
  });

  it.each([
    ['a zone', '/', { Cookie: 'farwatch_zone=Asia%2FTokyo' }],
    ['colours', '/', { Cookie: 'other=1; farwatch_theme=dark' }],
    ['a language', '/', { Cookie: 'farwatch_lang=ja' }],
    ['a language, in the address', '/?lang=ja', {}],
  ])('is only the visitor who chose %s', async (_what, path, headers) => {
    expect((await visit(path, headers)).headers.get('cache-control')).toBe('private, no-cache');
  });

  it('is nobody where something went wrong', async () => {
    expect((await visit('/nowhere')).headers.get('cache-control')).toBe('no-store');
  });

  it('asks whether it still holds, and mostly hears that it does', async () => {
    const headers = { Accept: 'text/html', 'Accept-Encoding': 'br' };
    const first = await fetchPlain(`${test.api.base}/eu`, headers);
    expect(first.headers.etag).toMatch(/^"[\w-]{43}"$/);
    const again = await fetchPlain(`${test.api.base}/eu`, { ...headers, 'If-None-Match': first.headers.etag ?? '' });
    expect([again.status, again.body.length]).toEqual([304, 0]);
    expect(again.headers.vary).toBe(first.headers.vary);
    const other = await fetchPlain(`${test.api.base}/eu`, { ...headers, 'Accept-Encoding': 'gzip' });
    expect(other.headers.etag).not.toBe(first.headers.etag);
  });
});

describe('what the site is called and looks like', () => {
  const settings = {
    ...{ siteName: 'Example Inc', title: 'Example status', description: 'How Example is doing', theme: 'dark' },
    ...{ logo: '/logo.svg', favicon: 'https://example.org/icon.png', timezone: 'Asia/Kolkata', language: 'fr' },
    ...{ footer: 'Call **us**, [here](https://example.org/help). <script>alert(1)</script>' },
    siteURL: 'https://status.example.org/',
  };
  const store = (data: object) => test.api.post('/manage/api', { action: 'storeSiteData', data });
  const show = async (path: string, headers?: Record<string, string>) => (await visit(path, headers)).html;
  beforeAll(async () => {
    expect((await store(settings)).status).toBe(200);
    await eventually(
      'the name to be shown',
      10_000,
      async () => (await show('/events')).includes('Example Inc') || undefined,
    );
  });
  afterAll(() => store(DEFAULT_SITE_DATA));

  it('stands at the top of every page, beside the way home', async () => {
    const inner = await show('/events');
    expect(inner).toMatch(
      /<a class="brand" href="\/"><img src="\/logo.svg" alt(="")? height="32"\/?><span>Example Inc</,
    );
    expect(inner).toMatch(/<title>[^<]+ · Example status</);
    expect(inner).toContain('<link rel="icon" href="https://example.org/icon.png"');
    expect(inner).toContain('<meta name="description" content="How Example is doing"');
    // A page of its own has a title of its own (specification 2.7).
    expect(await show('/eu')).toMatch(/<title>Europe<.*<a class="brand" href="\/eu"><img[^>]*><span>Europe</s);
  });

  it('stands at the foot of every page, and nothing runs in it', async () => {
    for (const path of ['/', '/monitors/shop', '/nowhere']) {
      const html = await show(path);
      expect(html).toContain('Call <strong>us</strong>, <a href="https://example.org/help" rel="nofollow noopener">');
      expect(html).not.toContain('<script>alert');
    }
    expect(await show('/embed/monitor-shop')).not.toContain('<strong>us</strong>');
  });

  it('holds for visitors who wish nothing else', async () => {
    const plain = await show('/');
    expect(plain).toContain('<html lang="fr" data-theme="dark" data-zone="Asia/Kolkata"');
    const cookies = 'farwatch_theme=system; farwatch_zone=UTC; farwatch_lang=en';
    expect(await show('/', { Cookie: cookies })).toContain('<html lang="en" data-theme="system" data-zone="UTC"');
    expect(await show('/', { 'Accept-Language': 'ja' })).toContain('<html lang="ja"');
  });

  it('is what links from outside begin with', async () => {
    const html = await show('/monitors/shop');
    expect(html).toContain('<link rel="canonical" href="https://status.example.org/monitors/shop"');
    expect(html).toContain('https://status.example.org/badge/shop/status');
    expect(await show('/rss.xml')).toContain('<link>https://status.example.org/</link>');
  });
});

describe('what browsers load', () => {
  it('is kept for a year: its name changes with its content', async () => {
    const { html } = await visit('/');
    const script = /src="(\/assets\/site-[^"]+\.js)"/.exec(html)?.[1];
    const response = await fetch(`${test.api.base}${script}`);
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    const packed = await fetchPlain(`${test.api.base}${script}`, { 'Accept-Encoding': 'gzip' });
    expect(packed.headers['content-encoding']).toBe('gzip');
    expect(packed.headers.vary).toContain('Accept-Encoding');
  });
});
