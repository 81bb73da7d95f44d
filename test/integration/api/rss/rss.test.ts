import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../../../support/api-client.ts';
import { createIncident } from '../../../support/api-incidents.ts';
import { createMaintenance } from '../../../support/api-maintenances.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { createPage } from '../../../support/api-pages.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { elementsOf, parseXml } from '../../../support/xml.ts';

const DAY = 86_400;
const NOW = Math.floor(Date.now() / 1000);
const BASE = 'https://status.example';

let test: TestApi;
beforeAll(async () => {
  test = await startApi({ publicUrl: `${BASE}/` });
});
afterAll(() => test.stop());
beforeEach(async () => {
  for (const table of ['incidents', 'maintenances', 'monitors']) await test.database.pool.query(`delete from ${table}`);
  await test.database.pool.query(`delete from pages where page_path <> '~home'`);
});

const read = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
  test.api.request('GET', path, { authorization: null, headers });

async function titlesOf(path: string): Promise<(string | undefined)[]> {
  const answer = await read(path);
  expect(answer.status, answer.text).toBe(200);
  return elementsOf(parseXml(answer.text), 'item').map((item) => elementsOf(item, 'title')[0]?.text);
}

const named = (tag: string, impact = 'DOWN') => ({ monitors: [{ monitor_tag: tag, impact }] });
const incident = (title: string, fields: object = {}) =>
  createIncident(test.api, { title, start_date_time: NOW - DAY, ...fields });

describe('GET …/rss.xml', () => {
  it('is a feed that needs no key and may be kept for five minutes', async () => {
    await incident('Slow');
    const answer = await read('/rss.xml');
    expect(answer.headers.get('content-type')).toBe('application/rss+xml; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('public, max-age=300');
    const known = await read('/rss.xml', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect([known.status, known.text]).toEqual([304, '']);
    await incident('More');
    const changed = await read('/rss.xml', { 'if-none-match': answer.headers.get('etag') ?? '' });
    expect(changed.status).toBe(200);
    const links = elementsOf(parseXml(changed.text), 'link').map(({ text }) => text);
    expect(links[0]).toBe(`${BASE}/`);
    expect(links.slice(1).every((link) => link.startsWith(`${BASE}/incidents/`))).toBe(true);
  });

  it('is what belongs to the page, the monitor, or everybody', async () => {
    const shown = (await createMonitor(test.api)).tag;
    const elsewhere = (await createMonitor(test.api)).tag;
    const { page_path } = await createPage(test.api, { monitors: [shown] });
    await incident('here', named(shown));
    await incident('elsewhere', named(elsewhere));
    await incident('everybody');
    await createMaintenance(test.api, { title: 'mine', start_date_time: NOW + 3600, ...named(shown, 'MAINTENANCE') });
    await createMaintenance(test.api, { title: 'theirs', ...named(elsewhere, 'MAINTENANCE') });
    const mine = ['[INVESTIGATING] everybody', '[INVESTIGATING] here', '[Maintenance SCHEDULED] mine'];
    expect((await titlesOf(`/${page_path}/rss.xml`)).sort()).toEqual(mine);
    expect((await titlesOf(`/monitors/${shown}/rss.xml`)).sort()).toEqual(mine);
    expect(await titlesOf('/rss.xml')).toEqual(['[INVESTIGATING] everybody']);
    expect(await titlesOf('/~home/rss.xml')).toEqual(['[INVESTIGATING] everybody']);
    expect((await titlesOf(`/monitors/${elsewhere}/rss.xml`)).sort()).toEqual([
      ...['[INVESTIGATING] elsewhere', '[INVESTIGATING] everybody', '[Maintenance ONGOING] theirs'],
    ]);
  });

  it('looks ninety days back and ahead', async () => {
    await incident('long ago', { start_date_time: NOW - 95 * DAY, end_date_time: NOW - 91 * DAY });
    await incident('since long ago', { start_date_time: NOW - 95 * DAY });
    await incident('then', { start_date_time: NOW - 95 * DAY, end_date_time: NOW - 89 * DAY });
    await incident('far', { start_date_time: NOW + 91 * DAY });
    await createMaintenance(test.api, { title: 'soon', start_date_time: NOW + 89 * DAY });
    await createMaintenance(test.api, { title: 'later', start_date_time: NOW + 91 * DAY });
    expect((await titlesOf('/rss.xml')).sort()).toEqual([
      ...['[INVESTIGATING] since long ago', '[INVESTIGATING] then', '[Maintenance SCHEDULED] soon'],
    ]);
  });

  it('shows no more kinds than the page does', async () => {
    const settings = { incidents: { resolved: { show: false } }, include_maintenances: { enabled: false } };
    const { page_path } = await createPage(test.api, { page_settings: settings });
    await incident('ongoing');
    await incident('over', { end_date_time: NOW - 3600 });
    await createMaintenance(test.api);
    expect(await titlesOf(`/${page_path}/rss.xml`)).toEqual(['[INVESTIGATING] ongoing']);
    const ongoing = { show: true, upcoming: { show: false } };
    await test.api.patch(`/api/v4/pages/${page_path}`, {
      page_settings: { incidents: { enabled: false }, include_maintenances: { enabled: true, ongoing } },
    });
    await createMaintenance(test.api, { title: 'upcoming', start_date_time: NOW + DAY });
    expect(await titlesOf(`/${page_path}/rss.xml`)).toEqual(['[Maintenance ONGOING] A maintenance']);
  });

  it('never tells of hidden or inactive monitors, nor of what names only them', async () => {
    const hidden = (await createMonitor(test.api, { name: 'Secret one', is_hidden: 'YES' })).tag;
    const inactive = (await createMonitor(test.api, { name: 'Secret two', status: 'INACTIVE' })).tag;
    const gone = (await createMonitor(test.api, { name: 'Secret three' })).tag;
    const visible = (await createMonitor(test.api, { name: 'Shop' })).tag;
    const { page_path } = await createPage(test.api, { monitors: [hidden, inactive, gone, visible] });
    for (const tag of [hidden, inactive, gone]) {
      await incident('Secret incident', named(tag));
      await createMaintenance(test.api, { title: 'Secret maintenance', ...named(tag, 'MAINTENANCE') });
    }
    await test.api.delete(`/api/v4/monitors/${gone}`);
    const all = [hidden, inactive, visible].map((monitor_tag) => ({ monitor_tag, impact: 'DOWN' }));
    await incident('Shared', { monitors: all });
    await createMaintenance(test.api, { title: 'Shared', monitors: all });
    for (const path of ['', `/${page_path}`, `/monitors/${visible}`]) {
      const { text } = await read(`${path}/rss.xml`);
      expect(text).not.toContain('Secret');
      expect(text.includes('Affects Shop (DOWN)')).toBe(path !== '');
    }
    const missing = await read('/monitors/missing/rss.xml');
    for (const tag of [hidden, inactive]) {
      const answer = await read(`/monitors/${tag}/rss.xml`);
      expect(failureOf(answer)).toEqual([404, failureOf(missing)[1].replace('missing', tag)]);
    }
  });

  it('tells what was cancelled, and nothing of an inactive maintenance', async () => {
    const { id } = await createMaintenance(test.api, { title: 'Called off', start_date_time: NOW + DAY });
    await createMaintenance(test.api, { title: 'Asleep' }).then(({ id }) =>
      test.api.patch(`/api/v4/maintenances/${id}`, { status: 'INACTIVE' }),
    );
    const { body } = await test.api.get(`/api/v4/maintenances/${id}/events`);
    // Held against the document by the client.
    const [event] = (body as { events: { id: number }[] }).events;
    await test.api.patch(`/api/v4/maintenances/${id}/events/${event?.id ?? 0}`, { status: 'CANCELLED' });
    expect(await titlesOf('/rss.xml')).toEqual(['[Maintenance CANCELLED] Called off']);
  });

  it('is not there for unknown pages, nor where nobody said what links begin with', async () => {
    expect(failureOf(await read('/nowhere/rss.xml'))).toEqual([404, "Page with path 'nowhere' not found"]);
    const plain = await serve(test.database.url);
    try {
      const answer = await fetch(`${plain.base}/rss.xml`);
      expect(answer.status).toBe(404);
      expect(await answer.text()).toContain('PUBLIC_URL');
    } finally {
      await plain.stop();
    }
  });
});
