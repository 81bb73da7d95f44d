import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from '../../../../core/page.ts';
import { createMonitor, createTags, failureOf } from '../../../support/api-monitors.ts';
import { createPage, pageOf, pagesOf, unusedPath } from '../../../support/api-pages.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { countRows } from '../../../support/database.ts';

let test: TestApi;
let tags: [string, string, string];
beforeAll(async () => {
  test = await startApi();
  tags = await createTags(test.api);
});
afterAll(() => test.stop());

const create = (fields: object = {}): Promise<Page> => createPage(test.api, fields);
const count = (from: string): Promise<number> => countRows(test.database.pool, from);

const DEFAULTS = {
  incidents: { enabled: true, ongoing: { show: true }, resolved: { show: true, max_count: 5, days_in_past: 7 } },
  include_maintenances: {
    enabled: true,
    ongoing: {
      show: true,
      past: { show: true, max_count: 5, days_in_past: 7 },
      upcoming: { show: true, max_count: 5, days_in_future: 30 },
    },
  },
  monitor_status_history_days: { desktop: 90, mobile: 30 },
  monitor_layout_style: 'default-list',
};
const PATH = 'page_path is required and must be a string';
const EMPTY_PATH = 'page_path must contain a letter, a digit, a hyphen or an underscore';
const TITLE = 'page_title is required and must be a non-empty string';
const HEADER = 'page_header is required and must be a non-empty string';

describe('POST /pages', () => {
  it('answers the whole page, with every default and the keys in the order of the reference', async () => {
    const page = await create({ page_path: 'whole', page_title: ' Title ', page_header: ' Header ' });
    expect(page).toEqual({
      id: page.id,
      page_path: 'whole',
      page_title: 'Title',
      page_header: 'Header',
      page_subheader: null,
      page_logo: null,
      page_settings: DEFAULTS,
      monitors: [],
      created_at: page.created_at,
      updated_at: page.created_at,
    });
    expect(page.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.keys(page).join()).toBe(
      'id,page_path,page_title,page_header,page_subheader,page_logo,page_settings,monitors,created_at,updated_at',
    );
    expect(pageOf(await test.api.get('/api/v4/pages/whole'))).toEqual(page);
  });

  it.each([
    [' My Page!! 1_A ', 'my-page-1_a'],
    ['A  \t B', 'a-b'],
    ['Ünï/co.de', 'ncode'],
    ['-_-', '-_-'],
    ['~home', 'home'],
  ])('sanitises the path %j to %s', async (page_path, sanitised) => {
    expect((await create({ page_path })).page_path).toBe(sanitised);
  });

  it('keeps the monitors in their order, the first place of one that is named twice', async () => {
    const [a, b, c] = tags;
    const { monitors, page_path } = await create({ monitors: [c, a, c, b, a] });
    const expected = [c, a, b].map((monitor_tag, position) => ({ monitor_tag, position }));
    expect(monitors).toEqual(expected);
    await test.api.delete(`/api/v4/monitors/${a}`);
    const left = [c, b].map((monitor_tag, position) => ({ monitor_tag, position }));
    expect(pageOf(await test.api.get(`/api/v4/pages/${page_path}`)).monitors).toEqual(left);
    await createMonitor(test.api, { tag: a });
    expect(pageOf(await test.api.get(`/api/v4/pages/${page_path}`)).monitors).toEqual(left);
  });

  it('fills in the defaults of settings at any depth, and keeps what else is there', async () => {
    const page_settings = {
      incidents: { resolved: { max_count: 0 }, note: ['x'] },
      include_maintenances: { ongoing: { upcoming: { show: false } } },
      monitor_layout_style: 'compact-grid',
      meta_page_title: 'T',
      meta_page_description: 'D',
    };
    expect((await create({ page_settings })).page_settings).toEqual({
      incidents: { ...DEFAULTS.incidents, resolved: { ...DEFAULTS.incidents.resolved, max_count: 0 }, note: ['x'] },
      include_maintenances: {
        enabled: true,
        ongoing: {
          ...DEFAULTS.include_maintenances.ongoing,
          upcoming: { show: false, max_count: 5, days_in_future: 30 },
        },
      },
      monitor_status_history_days: DEFAULTS.monitor_status_history_days,
      monitor_layout_style: 'compact-grid',
      meta_page_title: 'T',
      meta_page_description: 'D',
    });
  });

  it('shows no maintenances where they are switched off and nothing else is said of them', async () => {
    const only = await create({ page_settings: { include_maintenances: { enabled: false } } });
    expect(only.page_settings).toEqual({
      ...DEFAULTS,
      include_maintenances: {
        enabled: false,
        ongoing: {
          show: false,
          past: { show: false, max_count: 5, days_in_past: 7 },
          upcoming: { show: false, max_count: 5, days_in_future: 30 },
        },
      },
    });
    const more = await create({ page_settings: { include_maintenances: { enabled: false, ongoing: {} } } });
    expect(more.page_settings.include_maintenances).toEqual({ ...DEFAULTS.include_maintenances, enabled: false });
  });

  it.each([
    [{}, PATH],
    [{ page_path: '' }, PATH],
    [{ page_path: null }, PATH],
    [{ page_path: 5 }, PATH],
    [{ page_path: ' !! ' }, EMPTY_PATH],
    [{ page_path: 'x'.repeat(256) }, 'page_path must be at most 255 characters'],
    [{ page_path: ' API ' }, "Page path 'api' is reserved"],
    [{ page_path: 'x' }, TITLE],
    [{ page_path: 'x', page_title: ' ' }, TITLE],
    [{ page_path: 'x', page_title: 5 }, TITLE],
    [{ page_path: 'x', page_title: 'x' }, HEADER],
    [{ page_path: 'x', page_title: 'x', page_header: null }, HEADER],
    [
      { page_path: 'x', page_title: 'x\u0000', page_header: 'x' },
      'page_title must not contain NUL or unpaired surrogates',
    ],
    [
      { page_path: 'x', page_title: 'x', page_header: 'x', page_subheader: 5 },
      'page_subheader must be a string or null',
    ],
    [{ page_path: 'x', page_title: 'x', page_header: 'x', page_logo: {} }, 'page_logo must be a string or null'],
  ])('refuses %j', async (json, message) => {
    expect(failureOf(await test.api.post('/api/v4/pages', json))).toEqual([400, message]);
  });

  it.each([
    ...['api', 'manage', 'badge', 'embed', 'docs', 'openapi.json', 'healthz', 'metrics', 'assets'],
    ...['incidents', 'maintenances', 'monitors', 'events', 'rss.xml', 'Events!'],
  ])('refuses the reserved path %s', async (page_path) => {
    const answer = await test.api.post('/api/v4/pages', { page_path, page_title: 'x', page_header: 'x' });
    expect(failureOf(answer)).toEqual([400, expect.stringMatching(/^Page path '[a-z]+' is reserved$/)]);
  });

  const whole = { page_path: 'x', page_title: 'x', page_header: 'x' };
  it.each([
    [null, 'monitors must be an array'],
    ['a', 'monitors must be an array'],
    [[{ monitor_tag: 'a' }], 'monitors must be an array of monitor tags'],
    [[null], 'monitors must be an array of monitor tags'],
    [['nope'], "Monitor with tag 'nope' does not exist"],
    [['nope', 5], "Monitor with tag 'nope' does not exist"],
    [[5, 'nope'], 'monitors must be an array of monitor tags'],
    [[''], "Monitor with tag '' does not exist"],
    [['a\u0000'], "Monitor with tag 'a\u0000' does not exist"],
  ])('refuses the monitors %j and writes nothing', async (monitors, message) => {
    const before = await count('pages');
    expect(failureOf(await test.api.post('/api/v4/pages', { ...whole, monitors }))).toEqual([400, message]);
    expect(await count('pages')).toBe(before);
  });

  it.each([
    [null, 'page_settings must be an object'],
    ['x', 'page_settings must be an object'],
    [[], 'page_settings must be an object'],
    [{ incidents: null }, 'incidents must be an object'],
    [{ incidents: { ongoing: 5 } }, 'incidents.ongoing must be an object'],
    [{ incidents: { enabled: 'yes' } }, 'incidents.enabled must be a boolean'],
    [{ incidents: { ongoing: { show: null } } }, 'incidents.ongoing.show must be a boolean'],
    [{ incidents: { resolved: { max_count: -1 } } }, 'incidents.resolved.max_count must be a non-negative integer'],
    [
      { incidents: { resolved: { days_in_past: 1.5 } } },
      'incidents.resolved.days_in_past must be a non-negative integer',
    ],
    [{ include_maintenances: [] }, 'include_maintenances must be an object'],
    [{ include_maintenances: { ongoing: { past: 'x' } } }, 'include_maintenances.ongoing.past must be an object'],
    [
      { include_maintenances: { ongoing: { upcoming: { days_in_future: '5' } } } },
      'include_maintenances.ongoing.upcoming.days_in_future must be a non-negative integer',
    ],
    [
      { monitor_layout_style: 'list' },
      'monitor_layout_style must be one of: default-list, default-grid, compact-list, compact-grid',
    ],
    [{ monitor_status_history_days: 5 }, 'monitor_status_history_days must be an object'],
    [
      { monitor_status_history_days: { desktop: 0 } },
      'monitor_status_history_days.desktop must be an integer between 1 and 365',
    ],
    [
      { monitor_status_history_days: { mobile: 366 } },
      'monitor_status_history_days.mobile must be an integer between 1 and 365',
    ],
    [{ meta_page_title: null }, 'meta_page_title must be a string'],
    [{ other: '\u0000' }, 'page_settings must not contain NUL or unpaired surrogates'],
  ])('refuses the settings %j, in a PATCH too', async (page_settings, message) => {
    expect(failureOf(await test.api.post('/api/v4/pages', { ...whole, page_settings }))).toEqual([400, message]);
    expect(failureOf(await test.api.patch('/api/v4/pages/~home', { page_settings }))).toEqual([400, message]);
  });

  it('checks in the order of the reference, and names every fault in the details', async () => {
    const { page_path } = await create();
    const faults = { page_path, monitors: ['nope'], page_settings: { incidents: 5 } };
    const post = async (body: object): Promise<string> => failureOf(await test.api.post('/api/v4/pages', body))[1];
    expect(await post({ ...faults, page_path: 5 })).toBe(PATH);
    expect(await post(faults)).toBe(TITLE);
    expect(await post({ ...faults, page_title: 'x' })).toBe(HEADER);
    const titled = { ...faults, page_title: 'x', page_header: 'x' };
    expect(await post({ ...titled, page_path: page_path.toUpperCase() })).toBe(
      `Page with path '${page_path}' already exists`,
    );
    expect(await post({ ...titled, page_path: 'x' })).toBe("Monitor with tag 'nope' does not exist");
    expect(await post({ ...titled, page_path: 'x', monitors: tags })).toBe('incidents must be an object');
    expect((await test.api.post('/api/v4/pages', faults)).body).toMatchObject({
      error: { details: ['page_title', 'page_header', 'page_settings.incidents'].map((path) => ({ path })) },
    });
    expect(await post({ ...titled, page_settings: {} })).toBe(`Page with path '${page_path}' already exists`);
  });

  it('lets one of two that race for a path have it', async () => {
    const page_path = unusedPath();
    const body = { page_path, page_title: 'x', page_header: 'x', monitors: tags };
    const answers = await Promise.all([1, 2, 3, 4].map(() => test.api.post('/api/v4/pages', body)));
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(failureOf)).toEqual([1, 2, 3].map(() => [400, `Page with path '${page_path}' already exists`]));
  });
});

describe('GET /pages', () => {
  it('answers id ascending, the home page first, each as it is alone', async () => {
    await create({ monitors: tags });
    const pages = pagesOf(await test.api.get('/api/v4/pages'));
    expect(pages.map(({ id }) => id)).toEqual(pages.map(({ id }) => id).sort((a, b) => a - b));
    expect(pages[0]).toMatchObject({ page_path: '~home', page_settings: DEFAULTS });
    for (const page of pages) expect(pageOf(await test.api.get(`/api/v4/pages/${page.page_path}`))).toEqual(page);
  });

  it.each(['nope', '~HOME', '%7Ehome', 'home%00', 'Whole'])('finds no page under %s', async (path) => {
    const expected = [404, `Page with path '${path}' not found`];
    expect(failureOf(await test.api.get(`/api/v4/pages/${path}`))).toEqual(expected);
    expect(failureOf(await test.api.request('PATCH', `/api/v4/pages/${path}`, { raw: '{' }))).toEqual(expected);
    expect(failureOf(await test.api.delete(`/api/v4/pages/${path}`))).toEqual(expected);
  });
});

describe('DELETE /pages/{page_path}', () => {
  it('removes the page and its links, not the monitors', async () => {
    const { id, page_path } = await create({ monitors: tags });
    const answer = await test.api.delete(`/api/v4/pages/${page_path}`);
    expect([answer.status, answer.body]).toEqual([200, { message: `Page '${page_path}' deleted successfully` }]);
    expect(await count(`page_monitors where page_id = ${id}`)).toBe(0);
    expect((await test.api.get(`/api/v4/monitors/${tags[0]}`)).status).toBe(200);
    const gone = [404, `Page with path '${page_path}' not found`];
    expect(failureOf(await test.api.get(`/api/v4/pages/${page_path}`))).toEqual(gone);
    expect(failureOf(await test.api.delete(`/api/v4/pages/${page_path}`))).toEqual(gone);
  });

  it('leaves the home page', async () => {
    expect(failureOf(await test.api.delete('/api/v4/pages/~home'))).toEqual([400, 'Cannot delete the home page']);
    expect((await test.api.get('/api/v4/pages/~home')).status).toBe(200);
  });
});
