import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { failureOf } from '../../../support/api-monitors.ts';

let running: TestApi;
beforeAll(async () => {
  running = await startApi();
});
afterAll(() => running.stop());

const act = (action: string, data: object = {}, key?: string) =>
  running.api.request('POST', '/manage/api', {
    json: { action, data },
    ...(key !== undefined && { authorization: `Bearer ${key}` }),
  });

interface Key {
  id: number;
  name: string;
  masked_key: string;
}

async function createKey(name: string): Promise<string> {
  const { body } = await act('createNewApiKey', { name });
  return (body as { apiKey: string }).apiKey;
}

async function keyNamed(name: string): Promise<Key | undefined> {
  return ((await act('getAPIKeys')).body as Key[]).find((key) => key.name === name);
}

it('shows a key once, acts as admin with it, and lists it masked, without its hash', async () => {
  const { status, body } = await act('createNewApiKey', { name: '  deploy  ' });
  expect(status).toBe(200);
  expect(body).toEqual({ apiKey: expect.stringMatching(/^farwatch_[0-9a-f]{64}$/) as unknown, name: 'deploy' });
  const { apiKey } = body as { apiKey: string };
  expect((await act('getUsers', {}, apiKey)).status).toBe(200);
  expect(await keyNamed('deploy')).toEqual({
    id: expect.any(Number) as unknown,
    name: 'deploy',
    masked_key: '*'.repeat(69) + apiKey.slice(-4),
    status: 'ACTIVE',
    role_id: 'admin',
    created_at: expect.stringMatching(/Z$/) as unknown,
    updated_at: expect.stringMatching(/Z$/) as unknown,
  });
});

it('needs a name that no other key has', async () => {
  for (const data of [{}, { name: '' }, { name: '  ' }, { name: null }, { name: 7 }])
    expect(failureOf(await act('createNewApiKey', data))).toEqual([400, 'Name is required']);
  await createKey('twice');
  expect(failureOf(await act('createNewApiKey', { name: 'twice' }))).toEqual([
    400,
    "An API key with the name 'twice' exists already",
  ]);
});

it('makes keys that act with a role', async () => {
  const { body } = await act('createNewApiKey', { name: 'reader', role_id: 'member' });
  const { apiKey } = body as { apiKey: string };
  const authorization = `Bearer ${apiKey}`;
  expect((await running.api.request('GET', '/api/v4/monitors', { authorization })).status).toBe(200);
  const json = { tag: 'x', name: 'X' };
  expect((await running.api.request('POST', '/api/v4/monitors', { authorization, json })).status).toBe(403);
  expect((await act('getMonitors', {}, apiKey)).status).toBe(200);
  expect((await act('createRole', { id: 'x', name: 'X' }, apiKey)).status).toBe(403);
});

it('rejects a key that is switched off, here and at /api/v4, and takes it again', async () => {
  const apiKey = await createKey('switched');
  const id = (await keyNamed('switched'))?.id;
  expect((await act('updateApiKeyStatus', { id, status: 'INACTIVE' })).body).toBe(1);
  expect(failureOf(await act('getMonitors', {}, apiKey))).toEqual([401, 'Invalid API key']);
  const authorization = `Bearer ${apiKey}`;
  expect((await running.api.request('GET', '/api/v4/monitors', { authorization })).status).toBe(401);
  expect((await act('updateApiKeyStatus', { id, status: 'ACTIVE' })).body).toBe(1);
  expect((await act('getMonitors', {}, apiKey)).status).toBe(200);
});

it('deletes a key for good', async () => {
  const apiKey = await createKey('gone');
  const id = (await keyNamed('gone'))?.id;
  expect((await act('deleteApiKey', { id })).body).toBe(1);
  expect((await act('getMonitors', {}, apiKey)).status).toBe(401);
  expect((await act('deleteApiKey', { id })).body).toBe(0);
  expect((await act('updateApiKeyStatus', { id, status: 'ACTIVE' })).body).toBe(0);
});

it('refuses an id that is none and a status that is none', async () => {
  expect(failureOf(await act('deleteApiKey', { id: 'x' }))).toEqual([400, 'id must be a positive integer']);
  expect(failureOf(await act('updateApiKeyStatus', { id: 1, status: 'OFF' }))).toEqual([
    400,
    'status must be one of: ACTIVE, INACTIVE',
  ]);
});
