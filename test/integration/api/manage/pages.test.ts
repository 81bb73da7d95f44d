import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

let dashboard: Dashboard;
const tags: string[] = [];
beforeAll(async () => {
  dashboard = await startDashboard();
  for (let index = 0; index < 4; index++) tags.push((await createMonitor(dashboard.test.api)).tag);
});
afterAll(() => dashboard.test.stop());

interface Page {
  id: number;
  page_path: string;
  page_settings: Record<string, unknown>;
  page_settings_json: string;
  monitors: { monitor_tag: string; position: number }[];
  updated_at: string;
}

let serial = 0;
const create = (fields: object = {}): Promise<Page> =>
  dashboard.run('createPage', { page_path: `p-${(serial += 1)}`, page_title: 'T', page_header: 'H', ...fields });
const read = async (id: number): Promise<Page> => {
  const page = (await dashboard.run<Page[]>('getPages')).find((candidate) => candidate.id === id);
  if (!page) throw new Error(`page ${id} is not there`);
  return page;
};
const shown = async (id: number): Promise<string[]> => (await read(id)).monitors.map(({ monitor_tag }) => monitor_tag);

describe('getPages', () => {
  it('answers a bare array, the home page first, settings as an object and as text', async () => {
    const page = await create();
    const pages = await dashboard.run<Page[]>('getPages', {});
    expect(pages[0]).toMatchObject({ page_path: '~home' });
    expect(pages.at(-1)).toEqual(page);
    expect(JSON.parse(page.page_settings_json)).toEqual(page.page_settings);
  });
});

describe('createPage and updatePage', () => {
  it('take settings as text, and merge them as /api/v4 does', async () => {
    const text = JSON.stringify({ incidents: { resolved: { max_count: 2 } }, mine: 1 });
    const page = await create({ page_path: ' My Page! ', page_settings_json: text, monitors: [tags[1], tags[0]] });
    expect(page).toMatchObject({
      page_settings: { incidents: { enabled: true, resolved: { max_count: 2, days_in_past: 7 } }, mine: 1 },
      page_path: 'my-page',
      monitors: [
        { monitor_tag: tags[1], position: 0 },
        { monitor_tag: tags[0], position: 1 },
      ],
    });
    const change = { id: page.id, page_title: 'U', page_settings_json: '{"incidents":{"enabled":false}}' };
    const changed = await dashboard.run<Page>('updatePage', change);
    expect(changed).toMatchObject({
      page_title: 'U',
      page_header: 'H',
      page_settings: { incidents: { enabled: false, resolved: { max_count: 2 } }, mine: 1 },
      monitors: page.monitors,
    });
    expect(await read(page.id)).toEqual(changed);
    expect(await dashboard.run('updatePage', { id: page.id, page_settings: { mine: 2 } })).toMatchObject({
      page_settings: { mine: 2 },
    });
  });

  it.each([
    [{ page_path: 'api' }, "Page path 'api' is reserved"],
    [{ page_path: '~home!' }, null],
    [{ page_title: '' }, 'page_title is required and must be a non-empty string'],
    [{ page_settings_json: '{' }, 'page_settings_json must be a text of JSON'],
    [{ page_settings_json: '[]' }, 'page_settings must be an object'],
    [{ page_settings: { incidents: 5 } }, 'incidents must be an object'],
    [{ monitors: ['absent'] }, "Monitor with tag 'absent' does not exist"],
  ])('with %j', async (fields, message) => {
    const answer = await dashboard.ask('createPage', { page_path: 'x', page_title: 'T', page_header: 'H', ...fields });
    if (message === null) expect(answer.status, answer.text).toBe(200);
    else expect(failureOf(answer)).toEqual([400, message]);
  });

  it('refuse a path that is taken', async () => {
    const [one, two] = [await create(), await create()];
    const message = `Page with path '${one.page_path}' already exists`;
    const taken = { page_path: one.page_path, page_title: 'T', page_header: 'H' };
    expect(failureOf(await dashboard.ask('createPage', taken))).toEqual([400, message]);
    expect(failureOf(await dashboard.ask('updatePage', { id: two.id, ...taken }))).toEqual([400, message]);
    expect(await read(two.id)).toEqual(two);
  });
});

describe('the monitors of a page', () => {
  const change = (action: string, fields: object): Promise<unknown> => dashboard.run(action, fields);

  it('are added behind the others, removed and put in order', async () => {
    const { id: page_id, updated_at } = await create({ monitors: [tags[0]] });
    expect(await change('addMonitorToPage', { page_id, monitor_tag: tags[2] })).toEqual({ success: true });
    await change('addMonitorToPage', { page_id, monitor_tag: tags[1] });
    expect(await shown(page_id)).toEqual([tags[0], tags[2], tags[1]]);
    await change('reorderPageMonitors', { page_id, monitor_tags: [tags[1], tags[0]] });
    expect(await shown(page_id)).toEqual([tags[1], tags[0], tags[2]]);
    await change('removeMonitorFromPage', { page_id, monitor_tag: tags[0] });
    expect(await shown(page_id)).toEqual([tags[1], tags[2]]);
    expect((await read(page_id)).updated_at > updated_at).toBe(true);
  });

  it('say what does not fit, and stay', async () => {
    const { id: page_id } = await create({ monitors: [tags[0]] });
    const ask = async (action: string, fields: object): Promise<unknown> =>
      failureOf(await dashboard.ask(action, { page_id, ...fields }));
    expect(await ask('addMonitorToPage', { monitor_tag: tags[0] })).toEqual([
      400,
      `Monitor with tag '${tags[0]}' is on this page already`,
    ]);
    expect(await ask('addMonitorToPage', { monitor_tag: 'absent' })).toEqual([
      400,
      "Monitor with tag 'absent' does not exist",
    ]);
    const absent = `Monitor with tag '${tags[1]}' is not on this page`;
    expect(await ask('removeMonitorFromPage', { monitor_tag: tags[1] })).toEqual([404, absent]);
    expect(await ask('reorderPageMonitors', { monitor_tags: [tags[1]] })).toEqual([400, absent]);
    expect(await ask('reorderPageMonitors', { monitor_tags: tags[0] })).toEqual([400, 'monitor_tags must be an array']);
    expect(await shown(page_id)).toEqual([tags[0]]);
  });

  it('are all there when several are added and removed at once', async () => {
    const { id: page_id } = await create({ monitors: [tags[3]] });
    await Promise.all([
      ...tags.slice(0, 3).map((monitor_tag) => change('addMonitorToPage', { page_id, monitor_tag })),
      change('removeMonitorFromPage', { page_id, monitor_tag: tags[3] }),
    ]);
    expect((await shown(page_id)).toSorted()).toEqual(tags.slice(0, 3).toSorted());
    expect((await read(page_id)).monitors.map(({ position }) => position)).toEqual([0, 1, 2]);
  });
});

describe('deletePage', () => {
  it('deletes a page and keeps the home page', async () => {
    const { id } = await create();
    expect(await dashboard.run('deletePage', { id })).toEqual({ success: true });
    const gone = [404, `Page with id '${id}' not found`];
    const named = { id, page_id: id, monitor_tag: tags[0], monitor_tags: [] };
    for (const action of [
      'deletePage',
      'updatePage',
      'addMonitorToPage',
      'removeMonitorFromPage',
      'reorderPageMonitors',
    ])
      expect(failureOf(await dashboard.ask(action, named)), action).toEqual(gone);
    const [home] = await dashboard.run<Page[]>('getPages');
    expect(failureOf(await dashboard.ask('deletePage', { id: home?.id }))).toEqual([
      400,
      'Cannot delete the home page',
    ]);
  });
});

describe('previewPage', () => {
  const preview = async (page: object, timezone?: string): Promise<string> =>
    (await dashboard.run<{ html: string }>('previewPage', { page, timezone })).html;

  it('shows what would be of a new page and of a change, and stores neither', async () => {
    const page = await create({ page_header: 'As it is', monitors: [tags[0]] });
    const before = await dashboard.run('getPages');
    const html = await preview({ id: page.id, page_header: 'As it would be', monitors: [tags[2], tags[1]] });
    expect(html).toContain('<h1>As it would be</h1>');
    expect([...html.matchAll(/id="monitor-([^"]+)"/g)].map(([, tag]) => tag)).toEqual([tags[2], tags[1]]);
    expect(await preview({ page_path: 'new', page_title: 'T', page_header: 'Quite new' })).toContain('Quite new');
    expect(await dashboard.run('getPages')).toEqual(before);
  });

  it('leads where the page leads, the first page to the root', async () => {
    const [home] = await dashboard.run<Page[]>('getPages');
    const brandOf = (html: string) => /class="brand" href="([^"]+)"/.exec(html)?.[1];
    const html = await preview({ id: home?.id, page_title: 'Home' });
    expect(brandOf(html)).toBe('/');
    expect(html).not.toContain('~home');
    const { id, page_path } = await create();
    expect(brandOf(await preview({ id, page_title: 'Another' }))).toBe(`/${page_path}`);
  });

  it('runs nothing, and shows nothing that is hidden', async () => {
    const { tag } = await createMonitor(dashboard.test.api, { is_hidden: 'YES', name: 'A secret' });
    const html = await preview({ page_path: 'new', page_title: 'T', page_header: 'H', monitors: [tag, tags[0]] });
    expect(html).not.toContain('<script');
    expect(html).not.toContain('A secret');
    expect(html).toContain(`id="monitor-${tags[0]}"`);
  });

  it('refuses what would be refused', async () => {
    const { page_path } = await create();
    const refused = async (page: object) => failureOf(await dashboard.ask('previewPage', { page }));
    expect(await refused({ page_path, page_title: 'T', page_header: 'H' })).toEqual([
      400,
      `Page with path '${page_path}' already exists`,
    ]);
    expect(await refused({ id: 2_000_000, page_title: 'T' })).toEqual([404, "Page with id '2000000' not found"]);
    expect(await refused({ page_path: 'new', page_header: 'H' })).toEqual([
      400,
      'page_title is required and must be a non-empty string',
    ]);
  });
});
