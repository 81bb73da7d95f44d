import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mergeSettings } from '../../../../core/page-settings.ts';
import type { Page } from '../../../../core/page.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createTags, failureOf } from '../../../support/api-monitors.ts';
import { createPage, pageOf, unusedPath } from '../../../support/api-pages.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

let test: TestApi;
let tags: [string, string, string];
beforeAll(async () => {
  test = await startApi();
  tags = await createTags(test.api);
});
afterAll(() => test.stop());

const create = (fields: object = {}): Promise<Page> => createPage(test.api, fields);
const patch = (path: string, json: unknown): Promise<Answer> => test.api.patch(`/api/v4/pages/${path}`, json);
const read = async (path: string): Promise<Page> => pageOf(await test.api.get(`/api/v4/pages/${path}`));
const placed = (...list: string[]) => list.map((monitor_tag, position) => ({ monitor_tag, position }));

describe('PATCH /pages/{page_path}', () => {
  it('renames to a sanitised path, and the old one is not there any more', async () => {
    const { page_path, id } = await create();
    const next = unusedPath();
    expect(pageOf(await patch(page_path, { page_path: ` ${next.toUpperCase()}! ` }))).toMatchObject({
      id,
      page_path: next,
    });
    expect(failureOf(await test.api.get(`/api/v4/pages/${page_path}`))).toEqual([
      404,
      `Page with path '${page_path}' not found`,
    ]);
    expect(pageOf(await patch(next, { page_path: next })).page_path).toBe(next);
  });

  it('replaces the whole list of monitors, and an empty one removes all', async () => {
    const [a, b, c] = tags;
    const { page_path } = await create({ monitors: [a, b] });
    expect(pageOf(await patch(page_path, { monitors: [c, b, c] })).monitors).toEqual(placed(c, b));
    expect(pageOf(await patch(page_path, { page_title: 'x' })).monitors).toEqual(placed(c, b));
    expect(pageOf(await patch(page_path, { monitors: [] })).monitors).toEqual([]);
  });

  it('merges settings at any depth', async () => {
    const { page_path, page_settings } = await create({
      page_settings: { incidents: { resolved: { max_count: 1 } }, own: { a: [1, 2], b: 1 } },
    });
    const change = { incidents: { resolved: { days_in_past: 2 }, enabled: false }, own: { a: [3], c: null } };
    const merged = pageOf(await patch(page_path, { page_settings: change })).page_settings;
    expect(merged).toEqual({
      ...page_settings,
      incidents: { enabled: false, ongoing: { show: true }, resolved: { show: true, max_count: 1, days_in_past: 2 } },
      own: { a: [3], b: 1, c: null },
    });
    expect(pageOf(await patch(page_path, { page_settings: {} })).page_settings).toEqual(merged);
  });

  it('switching maintenances off touches none of their other settings', async () => {
    const { page_path, page_settings } = await create();
    const off = { include_maintenances: { enabled: false } };
    expect(pageOf(await patch(page_path, { page_settings: off })).page_settings).toEqual({
      ...page_settings,
      include_maintenances: { ...page_settings.include_maintenances, enabled: false },
    });
  });

  it('leaves the home page where it is, and changes all else of it', async () => {
    const cannot = [400, 'Home page path cannot be changed'];
    expect(failureOf(await patch('~home', { page_path: 'start' }))).toEqual(cannot);
    expect(failureOf(await patch('~home', { page_path: 'home' }))).toEqual(cannot);
    expect(failureOf(await patch('~home', { page_path: 'start', page_title: '' }))).toEqual(cannot);
    const home = await read('~home');
    const { page_title, monitors } = pageOf(await patch('~home', { ...home, page_title: 'Ours', monitors: [tags[1]] }));
    expect([page_title, monitors]).toEqual(['Ours', placed(tags[1])]);
    expect((await read('~home')).page_title).toBe('Ours');
  });

  it('moves updated_at every time, by an empty patch too', async () => {
    const before = await create();
    const first = pageOf(await patch(before.page_path, {}));
    const second = pageOf(await patch(before.page_path, {}));
    expect({ ...second, updated_at: '' }).toEqual({ ...before, updated_at: '' });
    expect([before.updated_at < first.updated_at, first.updated_at < second.updated_at]).toEqual([true, true]);
  });

  it.each([
    [{ page_path: null }, 'page_path must be a string'],
    [{ page_path: 5 }, 'page_path must be a string'],
    [{ page_path: '' }, 'page_path must contain a letter, a digit, a hyphen or an underscore'],
    [{ page_path: 'rss.xml' }, "Page path 'rssxml' is reserved"],
    [{ page_title: ' ' }, 'page_title must be a non-empty string'],
    [{ page_title: null }, 'page_title must be a non-empty string'],
    [{ page_header: 5 }, 'page_header must be a non-empty string'],
    [{ page_subheader: 5 }, 'page_subheader must be a string or null'],
    [{ page_logo: [] }, 'page_logo must be a string or null'],
    [{ monitors: 'a' }, 'monitors must be an array'],
    [{ monitors: [{}] }, 'monitors must be an array of monitor tags'],
    [{ monitors: ['nope'] }, "Monitor with tag 'nope' does not exist"],
    [{ monitors: ['nope'], page_settings: { incidents: 5 } }, 'incidents must be an object'],
    [{ page_settings: null }, 'page_settings must be an object'],
  ])('refuses %j and changes nothing', async (json, message) => {
    const page = await create({ monitors: [tags[0]] });
    const change = { page_title: 'changed', page_settings: { incidents: { enabled: false } }, ...json };
    expect(failureOf(await patch(page.page_path, change))).toEqual([400, message]);
    expect(await read(page.page_path)).toEqual(page);
  });

  it('tells a taken path before the other faults', async () => {
    const [one, other] = [await create(), await create()];
    const taken = [400, `Page with path '${other.page_path}' already exists`];
    expect(failureOf(await patch(one.page_path, { page_path: other.page_path }))).toEqual(taken);
    expect(failureOf(await patch(one.page_path, { page_path: other.page_path, page_title: '' }))).toEqual(taken);
  });

  it('keeps what it does not name', async () => {
    const text = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() === value);
    const days = fc.integer({ min: 0, max: 400 });
    const resolved = fc.record({ show: fc.boolean(), max_count: days, days_in_past: days }, { requiredKeys: [] });
    const settings = fc.record(
      {
        incidents: fc.record({ enabled: fc.boolean(), resolved }, { requiredKeys: [] }),
        monitor_layout_style: fc.constantFrom('default-list', 'compact-grid'),
        own: fc.dictionary(text, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      },
      { requiredKeys: [] },
    );
    const fields = {
      page_title: text,
      page_header: text,
      page_subheader: fc.option(text),
      page_logo: fc.option(text),
      page_settings: settings.filter((value) => !/"-0|\\u0000|\\ud|__proto__/i.test(JSON.stringify(value))),
      monitors: fc.shuffledSubarray([0, 1, 2]).map((list) => list.map((index) => tags[index] ?? '')),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(fields), fc.record(fields, { requiredKeys: [] }), async (first, change) => {
        const created = await create(first);
        const patched = pageOf(await patch(created.page_path, change));
        const { page_settings = {}, monitors, ...plain } = change;
        expect({ ...patched, updated_at: '' }).toEqual({
          ...created,
          ...plain,
          // As JSON has it: no negative zero.
          page_settings: JSON.parse(JSON.stringify(mergeSettings(created.page_settings, page_settings))) as unknown,
          monitors: monitors ? placed(...monitors) : created.monitors,
          updated_at: '',
        });
      }),
      { numRuns: 40 },
    );
  });

  it('loses none of two changes that race, and mixes no two lists', async () => {
    const { page_path } = await create();
    const [a, b, c] = tags;
    const lists = [tags, [c, b, a], [b], []];
    const names = Array.from({ length: 8 }, (_, index) => `member-${index}`);
    const answers = await Promise.all([
      ...lists.map((monitors) => patch(page_path, { monitors })),
      ...names.map((name) => patch(page_path, { page_settings: { own: { [name]: name } } })),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const { page_settings, monitors } = await read(page_path);
    expect(Object.keys(page_settings.own as object).sort()).toEqual(names);
    expect(lists.map((list) => placed(...list))).toContainEqual(monitors);
  });

  it('gives a path to one of two that race for it, and two that swap theirs both keep them or get an answer', async () => {
    for (let round = 0; round < 6; round++) {
      const [one, other, wanted] = [await create(), await create(), unusedPath()];
      const race = await Promise.all([one, other].map(({ page_path }) => patch(page_path, { page_path: wanted })));
      expect(race.map(({ status }) => status).sort()).toEqual([200, 400]);
      const [left, right] = [await create(), await create()];
      const swap = await Promise.all([
        patch(left.page_path, { page_path: right.page_path }),
        patch(right.page_path, { page_path: left.page_path }),
      ]);
      expect(swap.map(({ status }) => status)).toEqual([400, 400]);
    }
  });

  it('and a deletion that races leave no link behind', async () => {
    for (let round = 0; round < 8; round++) {
      const { page_path } = await create();
      const [patched, deleted] = await Promise.all([
        patch(page_path, { monitors: tags }),
        test.api.delete(`/api/v4/pages/${page_path}`),
      ]);
      expect([[200, 404].includes(patched.status), deleted.status]).toEqual([true, 200]);
    }
    const orphans = 'select from page_monitors where page_id not in (select id from pages)';
    expect((await test.database.pool.query(orphans)).rowCount).toBe(0);
  });
});
