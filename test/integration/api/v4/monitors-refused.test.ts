import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Monitor } from '../../../../core/monitor.ts';
import { createAgent } from '../../../../db/agents.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
  await createAgent(test.database.pool, 'eu-1', 'eu');
  await createAgent(test.database.pool, 'us-1', 'us');
});
afterAll(() => test.stop());

const create = (fields: object = {}): Promise<Monitor> => createMonitor(test.api, fields);

const REQUIRED_TAG = 'Tag is required and must be a non-empty string';
const PATTERN =
  'Tag must be URL-friendly: only lowercase letters, numbers, hyphens, and underscores. Must start and end with a letter or number.';
const REQUIRED_NAME = 'Name is required and must be a non-empty string';
const THRESHOLD = 'confirmation_threshold must be an integer between 1 and 60';
const NUL = 'must not contain NUL or unpaired surrogates';

describe('what POST /monitors refuses', () => {
  it.each([
    [{}, REQUIRED_TAG],
    [{ tag: null }, REQUIRED_TAG],
    [{ tag: 5 }, REQUIRED_TAG],
    [{ tag: '  ' }, REQUIRED_TAG],
    [{ tag: 'A' }, PATTERN],
    [{ tag: 'a b' }, PATTERN],
    [{ tag: '-a' }, PATTERN],
    [{ tag: 'a_' }, PATTERN],
    [{ tag: '-' }, PATTERN],
    [{ tag: 'a\u0000b' }, PATTERN],
    [{ tag: 'é' }, PATTERN],
    [{ tag: 'a\nb' }, PATTERN],
    [{ tag: 'a'.repeat(256), name: 'x' }, 'Tag must be at most 255 characters'],
    [{ tag: 'x1' }, REQUIRED_NAME],
    [{ tag: 'x1', name: ' ' }, REQUIRED_NAME],
    [{ tag: 'x1', name: ['x'] }, REQUIRED_NAME],
    [{ tag: 'x1', name: 'x\u0000' }, `name ${NUL}`],
    [{ tag: 'x1', name: 'x\ud800' }, `name ${NUL}`],
    [{ tag: 'x1', name: 'x', confirmation_threshold: 0 }, THRESHOLD],
    [{ tag: 'x1', name: 'x', confirmation_threshold: 61 }, THRESHOLD],
    [{ tag: 'x1', name: 'x', confirmation_threshold: 1.5 }, THRESHOLD],
    [{ tag: 'x1', name: 'x', confirmation_threshold: '' }, THRESHOLD],
    [{ tag: 'x1', name: 'x', confirmation_threshold: 'many' }, THRESHOLD],
    [{ tag: 'x1', name: 'x', confirmation_threshold: true }, THRESHOLD],
    [{ tag: 'x1', name: 'x', description: 5 }, 'description must be a string or null'],
    [{ tag: 'x1', name: 'x', image: {} }, 'image must be a string or null'],
    [{ tag: 'x1', name: 'x', category_name: [] }, 'category_name must be a string or null'],
    [{ tag: 'x1', name: 'x', external_url: 1 }, 'external_url must be a string or null'],
    [{ tag: 'x1', name: 'x', cron: '@daily' }, 'cron must be a cron expression of five fields, in UTC'],
    [{ tag: 'x1', name: 'x', cron: '* * * * * *' }, 'cron must be a cron expression of five fields, in UTC'],
    [{ tag: 'x1', name: 'x', cron: '61 * * * *' }, 'cron must be a cron expression of five fields, in UTC'],
    [{ tag: 'x1', name: 'x', cron: 5 }, 'cron must be a string or null'],
    [{ tag: 'x1', name: 'x', default_status: 'MAYBE' }, 'default_status must be one of: UP, DOWN, DEGRADED'],
    [{ tag: 'x1', name: 'x', status: 'active' }, 'status must be one of: ACTIVE, INACTIVE'],
    [{ tag: 'x1', name: 'x', monitor_type: '' }, 'monitor_type must be a non-empty string'],
    [{ tag: 'x1', name: 'x', monitor_type: null }, 'monitor_type must be a non-empty string'],
    [{ tag: 'x1', name: 'x', type_data: 'text' }, 'type_data must be an object or null'],
    [{ tag: 'x1', name: 'x', type_data: [] }, 'type_data must be an object or null'],
    [{ tag: 'x1', name: 'x', type_data: { a: ['\u0000'] } }, `type_data ${NUL}`],
    [{ tag: 'x1', name: 'x', type_data: { '\udfff': 1 } }, `type_data ${NUL}`],
    [{ tag: 'x1', name: 'x', is_hidden: 'yes' }, 'is_hidden must be one of: YES, NO'],
    [{ tag: 'x1', name: 'x', is_hidden: null }, 'is_hidden must be one of: YES, NO'],
    [
      { tag: 'x1', name: 'x', include_degraded_in_downtime: true },
      'include_degraded_in_downtime must be one of: YES, NO',
    ],
    [{ tag: 'x1', name: 'x', monitor_settings_json: [] }, 'monitor_settings_json must be an object or null'],
    [{ tag: 'x1', name: 'x', monitor_settings_json: { regions: ['eu', 'mars'] } }, "Region 'mars' does not exist"],
    [{ tag: 'x1', name: 'x', monitor_settings_json: { regions: ['\u0000'] } }, `monitor_settings_json ${NUL}`],
    [{ tag: 'x1', name: 'x', monitor_type: 'PING' }, 'type_data.hosts: at least one host is required'],
    [
      { tag: 'x1', name: 'x', monitor_type: 'TCP', type_data: { hosts: [] } },
      'type_data.hosts: at least one host is required',
    ],
    [
      { tag: 'x1', name: 'x', monitor_type: 'PING', type_data: { hosts: [{ host: 'localhost' }] } },
      "type_data.hosts.0.host: host 'localhost' is not an IPv4 address, but its type is IP4",
    ],
    [
      { tag: 'x1', name: 'x', monitor_type: 'DNS', type_data: { host: 'a.test' } },
      'type_data.values: at least one expected value is required',
    ],
  ])('%j', async (json, message) => {
    const answer = await test.api.post('/api/v4/monitors', json);
    expect(failureOf(answer)).toEqual([400, message]);
  });

  it.each([[0], [-1], [1.5], ['most'], [true], [[]]])('quorum %j', async (quorum) => {
    const answer = await test.api.post('/api/v4/monitors', { tag: 'x1', name: 'x', monitor_settings_json: { quorum } });
    expect(answer.status).toBe(400);
    expect(failureOf(answer)[1]).toContain("quorum must be 'any', 'majority', 'all' or a positive integer");
  });

  it.each([['eu'], [[]], [[5]], [{}]])('regions %j', async (regions) => {
    const answer = await test.api.post('/api/v4/monitors', {
      tag: 'x1',
      name: 'x',
      monitor_settings_json: { regions },
    });
    expect(failureOf(answer)).toEqual([400, expect.stringContaining('regions must')]);
  });

  it('what is nested so deep that storing it would fail', async () => {
    const raw = `{"tag":"x1","name":"x","type_data":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`;
    const answer = await test.api.request('POST', '/api/v4/monitors', { raw });
    expect(failureOf(answer)).toEqual([400, 'type_data must not be nested deeper than 32 levels']);
  });

  it('in the order of the reference: tag, name, the taken tag, then the other fields; all of them in the details', async () => {
    const { tag } = await create();
    const faults = { status: 'x', confirmation_threshold: 0 };
    const messages = [];
    for (const body of [faults, { tag, ...faults }, { tag, name: 'x', ...faults }, { tag: 'x1', name: 'x', ...faults }])
      messages.push(failureOf(await test.api.post('/api/v4/monitors', body))[1]);
    expect(messages).toEqual([REQUIRED_TAG, REQUIRED_NAME, `Monitor with tag '${tag}' already exists`, THRESHOLD]);
    const { body } = await test.api.post('/api/v4/monitors', faults);
    expect(body).toMatchObject({
      error: {
        code: 'BAD_REQUEST',
        details: ['tag', 'name', 'confirmation_threshold', 'status'].map((path) => ({ path })),
      },
    });
    expect((await test.api.get('/api/v4/monitors/x1')).status).toBe(404);
  });
});
