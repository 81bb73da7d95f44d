import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { failureOf } from '../../../support/api-monitors.ts';
import { addOwner, addUser, openBrowser, type Browser } from '../../../support/people.ts';

let running: TestApi;
let owner: Browser;
let userId: number;
beforeAll(async () => {
  running = await startApi();
  await addOwner(running.database.pool);
  userId = await addUser(running.database.pool, 'ada@example.com', 'member');
  owner = openBrowser(running.api);
  await owner.logIn('owner@example.com');
});
afterAll(() => running.stop());

it('lists users, the oldest first, without what they sign in by', async () => {
  const { body, text } = await owner.act('getUsers');
  expect(body).toMatchObject([
    { email: 'owner@example.com', is_owner: true, is_active: true, has_password: true, role_ids: ['admin'] },
    { email: 'ada@example.com', is_owner: false, role_ids: ['member'] },
  ]);
  expect(text).not.toMatch(/argon2|password_hash/);
});

it('invites nobody twice, and nobody without a proper email and name', async () => {
  const data = { email: 'ADA@example.com', name: 'Ada' };
  expect(failureOf(await owner.act('createNewUser', data))).toEqual([
    400,
    "A user with the email 'ada@example.com' exists already",
  ]);
  for (const wrong of [{ email: 'x' }, { email: null }, { name: '' }, { role_ids: 'admin' }, { name: 'a\0b' }])
    expect((await owner.act('createNewUser', { ...data, email: 'b@example.com', ...wrong })).status).toBe(400);
  const twins = await Promise.all(
    Array.from({ length: 4 }, () => owner.act('createNewUser', { email: 'twin@example.com', name: 'Twin' })),
  );
  expect(twins.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
});

it('switches a user off and on: his sessions end at once', async () => {
  const ada = openBrowser(running.api);
  await ada.logIn('ada@example.com');
  expect((await owner.act('manualUpdate', { user_id: userId, is_active: false })).body).toMatchObject({
    is_active: false,
  });
  expect((await ada.act('getMonitors')).status).toBe(401);
  expect((await ada.logIn('ada@example.com')).status).toBe(401);
  await owner.act('manualUpdate', { user_id: userId, is_active: true });
  expect((await ada.act('getMonitors')).status).toBe(401);
  expect((await ada.logIn('ada@example.com')).status).toBe(200);
});

it('keeps what an update does not name', async () => {
  const before = (await owner.act('manualUpdate', { user_id: userId })).body;
  expect((await owner.act('manualUpdate', { user_id: userId, name: 'Ada L.' })).body).toEqual({
    ...(before as object),
    name: 'Ada L.',
    updated_at: expect.any(String) as unknown,
  });
});

it('lets nobody in whose invitation is open, nor anybody switch himself off', async () => {
  const { body } = await owner.act('createNewUser', { email: 'open@example.com', name: 'Open' });
  const { user } = body as { user: { id: number } };
  expect(failureOf(await owner.act('manualUpdate', { user_id: user.id, is_active: true }))).toEqual([
    400,
    'The user becomes active when he takes his invitation',
  ]);
  const admin = await addUser(running.database.pool, 'admin@example.com', 'admin');
  const own = openBrowser(running.api);
  await own.logIn('admin@example.com');
  expect(failureOf(await own.act('manualUpdate', { user_id: admin, is_active: false }))).toEqual([
    400,
    'Nobody switches himself off',
  ]);
});

it('lets nobody take his own account without the password, by an open browser', async () => {
  const [own] = (await owner.act('getUsers')).body as { id: number }[];
  const message = 'Change your own email and password with the password that you have';
  for (const [action, data] of [
    ['resendInvitation', {}],
    ['manualUpdate', { email: 'mine@example.com' }],
  ] as const)
    expect(failureOf(await owner.act(action, { user_id: own?.id, ...data }))).toEqual([400, message]);
  expect((await owner.act('manualUpdate', { user_id: own?.id, name: 'Another' })).status).toBe(200);
});

it('says which user does not exist', async () => {
  for (const action of ['manualUpdate', 'resendInvitation'])
    expect(failureOf(await owner.act(action, { user_id: 999_999 }))).toEqual([404, "User with id '999999' not found"]);
});
