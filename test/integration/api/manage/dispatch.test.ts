import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiKey } from '../../../../db/api-keys.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

let running: TestApi;
beforeAll(async () => {
  running = await startApi();
});
afterAll(() => running.stop());

const failure = (code: string, message: string) => ({ error: { code, message } });
const manage = (json: unknown, authorization?: string | null) =>
  running.api.request('POST', '/manage/api', { json, ...(authorization !== undefined && { authorization }) });

/** A key that acts with a custom role of these permissions. */
async function keyWith(name: string, ...permissions: string[]): Promise<string> {
  const { pool } = running.database;
  await pool.query('insert into roles (id, name) values ($1, $1)', [name]);
  await pool.query('insert into role_permissions select $1, unnest($2::text[])', [name, permissions]);
  const created = await createApiKey(pool, name);
  await pool.query('update api_keys set role_id = $1 where name = $1', [name]);
  return `Bearer ${created?.key}`;
}

it('answers getMonitors with a bare array, newest first, whose JSON members are texts', async () => {
  for (const tag of ['one', 'two'])
    await running.api.post('/api/v4/monitors', { tag, name: tag, monitor_type: 'NONE', type_data: { a: 1 } });
  const { status, body } = await manage({ action: 'getMonitors', data: {} });
  expect(status).toBe(200);
  expect(body).toMatchObject([
    { tag: 'two', type_data: '{"a":1}', monitor_settings_json: null },
    { tag: 'one', type_data: '{"a":1}', monitor_settings_json: null },
  ]);
  expect((await manage({ action: 'getMonitors' })).body).toEqual(body);
});

it('says that an action is unknown, or not named at all', async () => {
  for (const json of [{}, { action: 'nope', data: {} }, { action: 7 }, { action: 'constructor' }]) {
    const answer = await manage(json);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual(failure('BAD_REQUEST', 'Unknown action'));
  }
  const deep = `{"action":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect((await running.api.request('POST', '/manage/api', { raw: deep })).status).toBe(400);
});

it('is documented by one schema for each action, told apart by its name', () => {
  // The document's own shape, as OpenAPI defines it.
  const { paths, components } = running.api.document as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: { oneOf: object[] } }> } } }>;
    components: { schemas: Record<string, { required: string[] }> };
  };
  const schema = paths['/manage/api']?.post.requestBody.content['application/json']?.schema;
  expect(schema?.oneOf).toContainEqual({ $ref: '#/components/schemas/deleteApiKeyAction' });
  expect(schema).toMatchObject({ discriminator: { propertyName: 'action' } });
  expect(components.schemas.getMonitorsAction?.required).toEqual(['action']);
  expect(components.schemas.deleteApiKeyAction?.required).toEqual(['action', 'data']);
});

it('looks at who asks before it looks at what is asked', async () => {
  expect(await manage({}, null)).toMatchObject({
    status: 401,
    body: failure('UNAUTHORIZED', 'Missing or invalid authorization header'),
  });
  expect(await manage({}, `Bearer farwatch_${'0'.repeat(64)}`)).toMatchObject({
    status: 401,
    body: failure('UNAUTHORIZED', 'Invalid API key'),
  });
});

it('refuses an action that the role of the key does not permit, before it looks at the data', async () => {
  const key = await keyWith('incidents-only', 'incidents.read');
  expect(await manage({ action: 'getMonitors', data: 5 }, key)).toMatchObject({
    status: 403,
    body: failure('FORBIDDEN', 'You do not have permission to perform this action'),
  });
});

it('holds every route of /api/v4 to the same permissions', async () => {
  const key = await keyWith('reads-monitors', 'monitors.read');
  const ask = (method: string, path: string, json?: unknown) =>
    running.api.request(method, path, { authorization: key, json });
  expect(await ask('GET', '/api/v4/monitors')).toMatchObject({ status: 200 });
  expect(await ask('GET', '/api/v4/monitors/one')).toMatchObject({ status: 200 });
  for (const [method, path] of [
    ['POST', '/api/v4/monitors'],
    ['PATCH', '/api/v4/monitors/one'],
    ['PATCH', '/api/v4/monitors/absent'],
    ['GET', '/api/v4/incidents'],
  ] as const)
    expect(await ask(method, path)).toMatchObject({
      status: 403,
      body: failure('FORBIDDEN', 'You do not have permission to perform this action'),
    });
});

it('forgets a permission at the next request', async () => {
  const key = await keyWith('for-now', 'monitors.read');
  expect(await manage({ action: 'getMonitors' }, key)).toMatchObject({ status: 200 });
  await running.database.pool.query("delete from role_permissions where role_id = 'for-now'");
  expect(await manage({ action: 'getMonitors' }, key)).toMatchObject({ status: 403 });
});
