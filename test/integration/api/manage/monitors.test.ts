import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../../core/monitor.ts';
import { failureOf, monitorOf, unusedTag } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => void (dashboard = await startDashboard()));
afterAll(() => dashboard.test.stop());

const TYPE_DATA = { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }], mine: { kept: true } };

const store = async (fields: object = {}): Promise<{ id: number; tag: string }> => {
  const tag = unusedTag();
  const data = { tag, name: 'A', monitor_type: 'TCP', type_data: JSON.stringify(TYPE_DATA), ...fields };
  const [id = 0] = await dashboard.run<number[]>('storeMonitorData', data);
  return { id, tag };
};
const read = async (tag: string): Promise<Monitor> =>
  monitorOf(await dashboard.test.api.get(`/api/v4/monitors/${tag}`));

interface Listed {
  id: number;
  tag: string;
  type_data: string;
  monitor_settings_json: string | null;
}

describe('getMonitors', () => {
  it('answers a bare array, newest first, JSON members as texts, by exact filters', async () => {
    const one = await store();
    const two = await store({ status: 'INACTIVE', category_name: 'shop' });
    const three = await store();
    const list = (data: object): Promise<Listed[]> => dashboard.run('getMonitors', data);
    const ids = async (data: object): Promise<number[]> => (await list(data)).map(({ id }) => id);
    const all = await list({});
    expect(all.map(({ id }) => id).slice(0, 3)).toEqual([three.id, two.id, one.id]);
    expect(all[0]).toMatchObject({ id: three.id, monitor_settings_json: null });
    expect(JSON.parse(all[0]?.type_data ?? '')).toEqual(TYPE_DATA);
    expect(await ids({ status: 'INACTIVE' })).toEqual([two.id]);
    expect(await ids({ category_name: 'shop' })).toEqual([two.id]);
    expect(await ids({ tag: one.tag })).toEqual([one.id]);
    expect(await ids({ id: three.id })).toEqual([three.id]);
    expect(await list({ tag: 'a\0b' })).toEqual([]);
    expect(await list({ status: '', tag: null })).toHaveLength(all.length);
  });
});

describe('storeMonitorData', () => {
  it('makes a monitor as POST does, and answers its id in an array', async () => {
    const { id, tag } = await store({ id: 0, cron: null, status: null, monitor_settings_json: '{"quorum":"any"}' });
    expect(await read(tag)).toMatchObject({
      id,
      status: 'ACTIVE',
      default_status: 'UP',
      type_data: TYPE_DATA,
      monitor_settings_json: { quorum: 'any' },
    });
  });

  it('with an id changes one, keeps what is not named and replaces what is', async () => {
    const { id, tag } = await store({ monitor_settings_json: { quorum: 'any', mine: 1 } });
    const before = await read(tag);
    const type_data = { hosts: [{ type: 'DOMAIN', host: 'localhost', port: 81 }] };
    const change = { id, tag, name: 'B', type_data: JSON.stringify(type_data), down_trigger: null };
    expect(await dashboard.run('storeMonitorData', change)).toBe(1);
    const after = await read(tag);
    expect({ ...after, updated_at: '' }).toEqual({
      ...before,
      name: 'B',
      type_data: { hosts: [{ ...type_data.hosts[0], timeout: 1000 }] },
      updated_at: '',
    });
    await dashboard.run('storeMonitorData', { id, monitor_settings_json: { mine: 2 }, is_hidden: 'YES' });
    expect(await read(tag)).toMatchObject({ name: 'B', is_hidden: 'YES', monitor_settings_json: { mine: 2 } });
    await dashboard.run('storeMonitorData', { id, monitor_settings_json: null });
    expect((await read(tag)).monitor_settings_json).not.toHaveProperty('mine');
  });

  it('takes back a monitor as getMonitors shows it', async () => {
    const { id, tag } = await store({ cron: '*/5 * * * *', description: 'd' });
    const before = await read(tag);
    const [listed] = await dashboard.run<Listed[]>('getMonitors', { id });
    expect(await dashboard.run('storeMonitorData', listed)).toBe(1);
    expect({ ...(await read(tag)), updated_at: '' }).toEqual({ ...before, updated_at: '' });
  });

  it.each([
    [{ name: '' }, 'Name is required and must be a non-empty string'],
    [{ tag: 'Not A Tag' }, /^Tag must be URL-friendly/],
    [{ type_data: '{' }, 'type_data must be a text of JSON'],
    [{ type_data: '5' }, 'type_data must be an object or null'],
    [{ type_data: { hosts: [] } }, /hosts/],
    [{ status: 'OFF' }, 'status must be one of: ACTIVE, INACTIVE'],
    [{ cron: 'x' }, 'cron must be a cron expression of five fields, in UTC'],
    [{ monitor_settings_json: { regions: ['absent'] } }, "Region 'absent' does not exist"],
  ])('refuses %j and stores nothing', async (fields, message) => {
    const data = { tag: unusedTag(), name: 'A', monitor_type: 'TCP', type_data: TYPE_DATA, ...fields };
    const expected = [400, expect.stringMatching(message)];
    if (typeof message === 'string') expected[1] = message;
    expect(failureOf(await dashboard.ask('storeMonitorData', data))).toEqual(expected);
    expect((await dashboard.test.api.get(`/api/v4/monitors/${data.tag}`)).status).toBe(404);
  });

  it('never changes a tag, and says what is not there or is taken', async () => {
    const { id, tag } = await store();
    const ask = async (data: object): Promise<unknown> => failureOf(await dashboard.ask('storeMonitorData', data));
    expect(await ask({ id, tag: 'another', name: 'B' })).toEqual([400, 'tag cannot be changed']);
    expect(await ask({ id: 999_999, name: 'B' })).toEqual([404, "Monitor with id '999999' not found"]);
    expect(await ask({ id, name: ' ' })).toEqual([400, 'Name must be a non-empty string']);
    expect(await ask({ id: 'x', name: 'B' })).toEqual([400, 'id must be a positive integer']);
    expect(await ask({ tag, name: 'B' })).toEqual([400, `Monitor with tag '${tag}' already exists`]);
    expect((await read(tag)).name).toBe('A');
  });

  it('of two who race leaves a monitor that one order explains', async () => {
    const { id, tag } = await store();
    const forms = ['one', 'two'].map((name) => ({ id, name, description: name, category_name: name }));
    await Promise.all(forms.map((form) => dashboard.run('storeMonitorData', form)));
    const { name, description, category_name } = await read(tag);
    expect([description, category_name]).toEqual([name, name]);
  });
});

describe('cloneMonitor', () => {
  it('makes one like another, under a tag of its own and without its points', async () => {
    const { tag } = await store({ cron: '*/2 * * * *', is_hidden: 'YES', monitor_settings_json: { quorum: 2 } });
    const newTag = unusedTag();
    const [id] = await dashboard.run<number[]>('cloneMonitor', { sourceTag: tag, newTag, newName: ' Copy ' });
    const [source, copy] = [await read(tag), await read(newTag)];
    const own = { id: 0, tag: '', name: '', created_at: '', updated_at: '' };
    expect({ ...copy, ...own }).toEqual({ ...source, ...own });
    expect([copy.id, copy.name]).toEqual([id, 'Copy']);
    const ask = async (data: object): Promise<unknown> =>
      failureOf(await dashboard.ask('cloneMonitor', { sourceTag: tag, newTag, newName: 'Copy', ...data }));
    expect(await ask({})).toEqual([400, `Monitor with tag '${newTag}' already exists`]);
    expect(await ask({ sourceTag: 'absent' })).toEqual([404, "Monitor with tag 'absent' not found"]);
    expect((await ask({ newTag: 'No' })) as unknown[]).toEqual([400, expect.stringMatching(/^Tag must be/)]);
  });
});

it('deleteMonitor deletes a monitor', async () => {
  const { tag } = await store();
  expect(await dashboard.run('deleteMonitor', { tag })).toBe(1);
  expect(failureOf(await dashboard.ask('deleteMonitor', { tag }))).toEqual([
    404,
    `Monitor with tag '${tag}' not found`,
  ]);
});
