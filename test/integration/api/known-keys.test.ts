import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createKnownKeys, type KnownKeys } from '../../../api/known-keys.ts';
import { createApiKey, deleteApiKey, setApiKeyStatus } from '../../../db/api-keys.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let database: TestDatabase;
let key = '';
beforeAll(async () => {
  database = await createTestDatabase();
  key = (await createApiKey(database.pool, 'known', 'member'))?.key ?? '';
});
afterAll(() => database.drop());

let now = 0;
let keys: KnownKeys;
beforeEach(async () => {
  now = 0;
  keys = createKnownKeys(() => now);
  await switchKey('ACTIVE');
});

const find = () => keys.find(database.pool, key);
const switchKey = (status: 'ACTIVE' | 'INACTIVE') => setApiKeyStatus(database.pool, { name: 'known' }, status);

it('knows who has a key and what it may do', async () => {
  const actor = await find();
  expect(actor).toMatchObject({ kind: 'key', name: 'known' });
  expect([actor?.permissions.has('monitors.read'), actor?.permissions.has('monitors.write')]).toEqual([true, false]);
  expect(await find()).toBe(actor);
});

it('looks a key up again after a second', async () => {
  await find();
  await switchKey('INACTIVE');
  now = 999;
  expect(await find()).toBeDefined();
  now = 1000;
  expect(await find()).toBeUndefined();
  await switchKey('ACTIVE');
  expect(await find()).toBeDefined();
});

it('looks a key up at once where something has been changed', async () => {
  await find();
  await switchKey('INACTIVE');
  keys.forget();
  expect(await find()).toBeUndefined();
});

it('does not remember what was looked up before a change', async () => {
  const under = find();
  keys.forget();
  expect(await under).toBeDefined();
  await switchKey('INACTIVE');
  expect(await find()).toBeUndefined();
});

it('never takes one key for another, or remembers one that nobody has', async () => {
  await find();
  const stranger = `farwatch_${'0'.repeat(64)}`;
  expect(await keys.find(database.pool, stranger)).toBeUndefined();
  const later = (await createApiKey(database.pool, 'later'))?.key ?? '';
  expect(await keys.find(database.pool, later)).toMatchObject({ name: 'later' });
  await deleteApiKey(database.pool, { name: 'later' });
  expect(await keys.find(database.pool, key)).toMatchObject({ name: 'known' });
});
