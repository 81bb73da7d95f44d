import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Monitor } from '../../../../core/monitor.ts';
import { createAgent } from '../../../../db/agents.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createMonitor, failureOf, monitorOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

const PING = { hosts: [{ host: '127.0.0.1' }] };

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
  await createAgent(test.database.pool, 'eu-1', 'eu');
  await createAgent(test.database.pool, 'us-1', 'us');
});
afterAll(() => test.stop());

const create = (fields: object = {}): Promise<Monitor> => createMonitor(test.api, fields);

const THRESHOLD = 'confirmation_threshold must be an integer between 1 and 60';

describe('PATCH /monitors/{tag}', () => {
  const patch = (tag: string, json: unknown): Promise<Answer> => test.api.patch(`/api/v4/monitors/${tag}`, json);

  it('merges type_data and settings one level deep, and null resets them', async () => {
    const { tag } = await create({
      monitor_type: 'OTHER',
      type_data: { a: { b: 1 }, c: 2 },
      monitor_settings_json: { quorum: 'all', x: { y: 1 } },
    });
    const merged = monitorOf(
      await patch(tag, { type_data: { a: { d: 1 }, e: null }, monitor_settings_json: { x: { z: 1 }, quorum: null } }),
    );
    expect(merged.type_data).toEqual({ a: { d: 1 }, c: 2, e: null });
    expect(merged.monitor_settings_json).toEqual({ quorum: null, x: { z: 1 } });
    const reset = monitorOf(await patch(tag, { type_data: null, monitor_settings_json: null }));
    expect(reset).toMatchObject({ type_data: {}, monitor_settings_json: DEFAULT_SETTINGS });
  });

  it('stores null for what can be null, and honours include_degraded_in_downtime', async () => {
    const { tag } = await create({ description: 'd', image: 'i', cron: '* * * * *', category_name: 'c' });
    const nulls = {
      description: null,
      image: null,
      cron: null,
      category_name: null,
      status: null,
      default_status: null,
    };
    const patched = monitorOf(await patch(tag, { ...nulls, include_degraded_in_downtime: 'YES' }));
    expect(patched).toMatchObject({ ...nulls, include_degraded_in_downtime: 'YES' });
  });

  it('ignores tag and unknown fields, and moves updated_at every time', async () => {
    const before = await create();
    const first = monitorOf(await patch(before.tag, { tag: 'other', id: 1, nothing: 'x' }));
    const second = monitorOf(await patch(before.tag, {}));
    expect({ ...second, updated_at: '' }).toEqual({ ...before, updated_at: '' });
    expect([before.updated_at < first.updated_at, first.updated_at < second.updated_at]).toEqual([true, true]);
  });

  it.each([
    [{ name: '' }, 'Name must be a non-empty string'],
    [{ name: null }, 'Name must be a non-empty string'],
    [{ name: 5 }, 'Name must be a non-empty string'],
    [{ confirmation_threshold: null }, THRESHOLD],
    [{ monitor_type: null }, 'monitor_type must be a non-empty string'],
    [{ is_hidden: null }, 'is_hidden must be one of: YES, NO'],
    [{ cron: '' }, 'cron must be a cron expression of five fields, in UTC'],
    [{ type_data: null }, 'type_data.hosts: at least one host is required'],
    [{ type_data: { hosts: null } }, 'type_data.hosts: at least one host is required'],
    [{ monitor_type: 'DNS' }, 'type_data.host: Invalid input: expected string, received undefined'],
    [{ monitor_settings_json: { regions: ['mars'] } }, "Region 'mars' does not exist"],
  ])('refuses %j and changes nothing', async (json, message) => {
    const monitor = await create({ monitor_type: 'PING', type_data: PING });
    const answer = await patch(monitor.tag, { description: 'changed', ...json });
    expect(failureOf(answer)).toEqual([400, message]);
    expect((await test.api.get(`/api/v4/monitors/${monitor.tag}`)).body).toEqual({ monitor });
  });

  it('looks at the resource before the body, and at the body before the fields', async () => {
    const missing = await test.api.request('PATCH', '/api/v4/monitors/nope', { raw: '{' });
    expect(failureOf(missing)).toEqual([404, "Monitor with tag 'nope' not found"]);
    const { tag } = await create();
    const broken = await test.api.request('PATCH', `/api/v4/monitors/${tag}`, { raw: '{"name":""' });
    expect(failureOf(broken)).toEqual([400, 'Invalid JSON body']);
  });

  it('plans a new version only for what changes the check', async () => {
    const { id, tag } = await create({ monitor_type: 'PING', type_data: PING });
    const revision = async (): Promise<number> => {
      const query = 'select revision from monitors where id = $1';
      const { rows } = await test.database.pool.query<{ revision: number }>(query, [id]);
      return rows[0]?.revision ?? 0;
    };
    await patch(tag, { name: 'other', type_data: PING, monitor_settings_json: { shown: 1 } });
    expect(await revision()).toBe(1);
    await patch(tag, { status: 'INACTIVE' });
    await patch(tag, { monitor_settings_json: { quorum: 2 } });
    expect(await revision()).toBe(3);
  });

  it('loses none of two changes that race', async () => {
    const { tag } = await create({ monitor_type: 'OTHER' });
    const names = Array.from({ length: 10 }, (_, index) => `member-${index}`);
    await Promise.all(names.map((name) => patch(tag, { type_data: { [name]: name } })));
    const { type_data } = monitorOf(await test.api.get(`/api/v4/monitors/${tag}`));
    expect(Object.keys(type_data).sort()).toEqual(names);
  });

  it('keeps what it does not name', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 20 });
    const name = text.filter((value) => value.trim() !== '').map((value) => value.trim());
    const nullable = fc.option(text);
    const fields = {
      name,
      description: nullable,
      image: nullable,
      cron: fc.constantFrom(null, '* * * * *', '5 4 * * 1'),
      default_status: fc.constantFrom('UP', 'DOWN', 'DEGRADED'),
      status: fc.constantFrom('ACTIVE', 'INACTIVE'),
      category_name: nullable,
      monitor_type: fc.constantFrom('API', 'SSL', 'GROUP'),
      include_degraded_in_downtime: fc.constantFrom('YES', 'NO'),
      is_hidden: fc.constantFrom('YES', 'NO'),
      external_url: nullable,
      confirmation_threshold: fc.integer({ min: 1, max: 60 }),
    };
    const storable = (value: unknown): boolean => !/\\u0000|\\ud[89a-f]/i.test(JSON.stringify(value));
    await fc.assert(
      fc.asyncProperty(
        fc.record(fields).filter(storable),
        fc.record(fields, { requiredKeys: [] }).filter(storable),
        async (first, change) => {
          const created = await create(first);
          const patched = monitorOf(await patch(created.tag, change));
          expect({ ...patched, updated_at: '' }).toEqual({ ...created, ...change, updated_at: '' });
        },
      ),
      { numRuns: 60 },
    );
  });
});
