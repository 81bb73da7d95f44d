import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_SETTINGS, type Monitor } from '../../../../core/monitor.ts';
import { createAgent } from '../../../../db/agents.ts';
import { createMonitor, failureOf, monitorOf, monitorsOf, unusedTag } from '../../../support/api-monitors.ts';
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

describe('POST /monitors', () => {
  it('gives the defaults of the reference, trims tag and name, and shows the keys in its order', async () => {
    const answer = await test.api.post('/api/v4/monitors', { tag: ' plain ', name: ' Plain ' });
    expect(answer.status).toBe(201);
    const { id, created_at, updated_at } = monitorOf(answer);
    expect(JSON.stringify(answer.body)).toBe(
      JSON.stringify({
        monitor: {
          id,
          tag: 'plain',
          name: 'Plain',
          description: null,
          image: null,
          cron: null,
          default_status: 'UP',
          status: 'ACTIVE',
          category_name: null,
          monitor_type: 'API',
          type_data: {},
          include_degraded_in_downtime: 'NO',
          created_at,
          updated_at,
          is_hidden: 'NO',
          monitor_settings_json: DEFAULT_SETTINGS,
          external_url: null,
          confirmation_threshold: 1,
        },
      }),
    );
    expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Math.abs(Date.parse(created_at) - Date.now())).toBeLessThan(60_000);
  });

  it('keeps everything that is given', async () => {
    const fields = {
      description: 'd',
      image: '/i.png',
      cron: '*/5 * * * *',
      default_status: 'DOWN',
      status: 'INACTIVE',
      category_name: 'c',
      monitor_type: 'PING',
      include_degraded_in_downtime: 'YES',
      is_hidden: 'YES',
      external_url: 'https://example.test',
      confirmation_threshold: 7,
      monitor_settings_json: { quorum: 'all', regions: ['us'], uptime_formula_numerator: 'up', anything: [1] },
    };
    const monitor = await create({ ...fields, type_data: { ...PING, note: 'kept' } });
    expect(monitor).toMatchObject(fields);
    expect(monitor.type_data).toEqual({
      hosts: [{ host: '127.0.0.1', type: 'IP4', timeout: 1000, count: 3 }],
      note: 'kept',
    });
  });

  it('takes null for a default where null is allowed, and numeric strings for confirmation_threshold', async () => {
    const monitor = await create({
      ...{ description: null, image: null, cron: null, category_name: null, external_url: null },
      ...{ status: null, default_status: null, type_data: null, monitor_settings_json: null },
      confirmation_threshold: ' 60 ',
    });
    expect(monitor).toMatchObject({
      status: 'ACTIVE',
      default_status: 'UP',
      type_data: {},
      confirmation_threshold: 60,
    });
  });

  it('shows the defaults of TCP and DNS checks', async () => {
    const tcp = await create({ monitor_type: 'TCP', type_data: { hosts: [{ type: 'IP6', host: '::1' }] } });
    expect(tcp.type_data).toEqual({ hosts: [{ type: 'IP6', host: '::1', port: 80, timeout: 1000 }] });
    const dns = await create({ monitor_type: 'DNS', type_data: { host: 'example.test', values: ['127.0.0.1'] } });
    expect(dns.type_data).toEqual({
      ...{ host: 'example.test', values: ['127.0.0.1'] },
      ...{ nameServer: '', lookupRecord: 'A', matchType: 'ANY' },
    });
  });

  it('stores a type without a probe with whatever type_data it has', async () => {
    const monitor = await create({ monitor_type: 'HEARTBEAT', type_data: { secret: 'x', hosts: 5 } });
    expect(monitor).toMatchObject({ monitor_type: 'HEARTBEAT', type_data: { secret: 'x', hosts: 5 } });
  });

  it('plans the first version of the monitor for a minute that has not begun', async () => {
    const { id } = await create({ monitor_type: 'PING', type_data: PING });
    const { rows } = await test.database.pool.query<{ revision: number; ahead: boolean }>(
      'select revision, from_minute > now() as ahead from monitor_versions where monitor_id = $1',
      [id],
    );
    expect(rows).toEqual([{ revision: 1, ahead: true }]);
  });

  it('refuses a tag that is taken, padded too, and creates once whoever races', async () => {
    const { tag } = await create();
    const message = `Monitor with tag '${tag}' already exists`;
    for (const taken of [tag, ` ${tag} `]) {
      const answer = await test.api.post('/api/v4/monitors', { tag: taken, name: 'x' });
      expect(failureOf(answer)).toEqual([400, message]);
    }
    const raced = unusedTag();
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => test.api.post('/api/v4/monitors', { tag: raced, name: 'x' })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 400, 400, 400, 400, 400, 400, 400]);
  });
});

describe('GET /monitors', () => {
  it('lists by id descending, hidden and inactive ones too', async () => {
    await create({ is_hidden: 'YES' });
    await create({ status: 'INACTIVE' });
    const ids = monitorsOf(await test.api.get('/api/v4/monitors')).map(({ id }) => id);
    expect(ids.length).toBeGreaterThan(2);
    expect(ids).toEqual([...ids].sort((a, b) => b - a));
  });

  it('filters exactly; unknown values match nothing, empty ones do not filter', async () => {
    const wanted = await create({ category_name: 'Só', monitor_type: 'SQL', is_hidden: 'YES', status: 'INACTIVE' });
    const found = async (query: string): Promise<number[]> =>
      monitorsOf(await test.api.get(`/api/v4/monitors?${query}`)).map(({ id }) => id);
    expect(
      await found(`category_name=${encodeURIComponent('Só')}&status=INACTIVE&is_hidden=YES&monitor_type=SQL`),
    ).toEqual([wanted.id]);
    expect(await found('monitor_type=SQL&monitor_type=PING')).toEqual([wanted.id]);
    for (const none of ['monitor_type=sql', 'status=GONE', 'is_hidden=yes', 'category_name=%00', 'category_name=s%c3'])
      expect(await found(none)).toEqual([]);
    const all = await found('');
    expect(await found('category_name=All+Categories')).toEqual(all);
    expect(await found('status=&monitor_type=&nothing=1')).toEqual(all);
  });
});

describe('GET /monitors/{tag}', () => {
  it('answers with the monitor, with a slash at the end too', async () => {
    const monitor = await create();
    expect((await test.api.get(`/api/v4/monitors/${monitor.tag}`)).body).toEqual({ monitor });
    expect((await test.api.get(`/api/v4/monitors/${monitor.tag}/`)).body).toEqual({ monitor });
  });

  it.each(['nope', 'PLAIN', 'pl%61in', '%00', 'plain%20', 'x'.repeat(5000)])('knows no %s', async (tag) => {
    const answer = await test.api.get(`/api/v4/monitors/${tag}`);
    expect(failureOf(answer)).toEqual([404, `Monitor with tag '${tag}' not found`]);
  });
});
