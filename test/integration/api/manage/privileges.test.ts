import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import type { Answer } from '../../../support/api-client.ts';
import { addKey, addOwner, addRole, addUser, openBrowser, type Browser } from '../../../support/people.ts';

const TOO_MUCH = 'This takes permissions that you do not have yourself';
/** What a manager of people may do: much with others, little himself. */
const MANAGER = [
  ...['users.read', 'users.write', 'roles.read', 'roles.write', 'roles.assign_permissions', 'roles.assign_users'],
  ...['api_keys.read', 'api_keys.write', 'api_keys.delete', 'monitors.read'],
];

let running: TestApi;
let ownerId: number;
let managerId: number;
let manager: Browser;
let owner: Browser;
beforeAll(async () => {
  running = await startApi();
  const { pool } = running.database;
  ownerId = await addOwner(pool);
  await addRole(pool, 'manager', ...MANAGER);
  managerId = await addUser(pool, 'manager@example.com', 'manager');
  manager = openBrowser(running.api);
  await manager.logIn('manager@example.com');
  owner = openBrowser(running.api);
  await owner.logIn('owner@example.com');
});
afterAll(() => running.stop());
beforeEach(async () => {
  await running.database.pool.query('delete from users where id <> all($1)', [[ownerId, managerId]]);
  await running.database.pool.query("delete from api_keys where role_id <> 'admin'");
  await running.database.pool.query("delete from roles where not is_builtin and id <> 'manager'");
});

function expectRefused({ status, body }: Answer, message: string, expected = 403): void {
  expect({ status, body }).toMatchObject({ status: expected, body: { error: { message } } });
}

describe('nobody rises by what he may do to others', () => {
  it('does not give himself or others a role that can do more', async () => {
    const other = await addUser(running.database.pool, 'other@example.com');
    for (const user_id of [managerId, other])
      for (const role_id of ['admin', 'editor', 'member'])
        expectRefused(await manager.act('addUserToRole', { role_id, user_id }), TOO_MUCH);
  });

  it('does not put more into a role than he has, his own or another', async () => {
    const { pool } = running.database;
    await addRole(pool, 'small', 'monitors.read');
    for (const role_id of ['manager', 'small'])
      expectRefused(
        await manager.act('updateRolePermissions', { role_id, permissions: [...MANAGER, 'monitors.write'] }),
        TOO_MUCH,
      );
    const done = await manager.act('updateRolePermissions', { role_id: 'small', permissions: ['users.read'] });
    expect(done.body).toMatchObject({ id: 'small', permissions: ['users.read'] });
  });

  it('does not take from a role, nor delete one, that can do more than he', async () => {
    const { pool } = running.database;
    await addRole(pool, 'large', 'monitors.read', 'settings.write');
    expectRefused(await manager.act('updateRolePermissions', { role_id: 'large', permissions: [] }), TOO_MUCH);
    expectRefused(await manager.act('deleteRole', { role_id: 'large' }), TOO_MUCH);
    const kept = { role_id: 'large', permissions: ['settings.write', 'monitors.read', 'users.read'] };
    expect((await manager.act('updateRolePermissions', kept)).status).toBe(200);
  });

  it('does not invite anybody who can do more', async () => {
    const data = { email: 'new@example.com', name: 'New' };
    expectRefused(await manager.act('createNewUser', { ...data, role_ids: ['manager', 'admin'] }), TOO_MUCH);
    expectRefused(await manager.act('createNewUser', data), TOO_MUCH);
    expect((await running.database.pool.query("select from users where email = 'new@example.com'")).rowCount).toBe(0);
    expect((await manager.act('createNewUser', { ...data, role_ids: ['manager'] })).status).toBe(200);
  });

  it('does not touch users who can do more: not their address, not their password, not their state, not their roles', async () => {
    const { pool } = running.database;
    const user_id = await addUser(pool, 'editor@example.com', 'editor', 'manager');
    expectRefused(await manager.act('manualUpdate', { user_id, email: 'mine@example.com' }), TOO_MUCH);
    expectRefused(await manager.act('manualUpdate', { user_id, is_active: false }), TOO_MUCH);
    expectRefused(await manager.act('resendInvitation', { user_id }), TOO_MUCH);
    expectRefused(await manager.act('removeUserFromRole', { user_id, role_id: 'manager' }), TOO_MUCH);
    expect((await pool.query('select from one_time_links')).rowCount).toBe(0);
  });

  it('does not make a key, nor wake one, that can do more', async () => {
    const { pool } = running.database;
    const none = { name: 'mine' };
    expectRefused(await manager.act('createNewApiKey', none), TOO_MUCH);
    for (const role_id of ['admin', 'editor', 'member'])
      expectRefused(await manager.act('createNewApiKey', { name: 'mine', role_id }), TOO_MUCH);
    expect((await manager.act('createNewApiKey', { name: 'mine', role_id: 'manager' })).status).toBe(200);
    await addKey(pool, 'editor', 'theirs');
    const { rows } = await pool.query<{ id: number }>("select id from api_keys where name = 'theirs'");
    const id = rows[0]?.id;
    expect((await manager.act('updateApiKeyStatus', { id, status: 'INACTIVE' })).body).toBe(1);
    expectRefused(await manager.act('updateApiKeyStatus', { id, status: 'ACTIVE' }), TOO_MUCH);
    expect((await owner.act('updateApiKeyStatus', { id, status: 'ACTIVE' })).body).toBe(1);
  });

  it('holds for keys as for people', async () => {
    const authorization = await addKey(running.database.pool, 'manager');
    const json = { action: 'createNewApiKey', data: { name: 'more', role_id: 'editor' } };
    expectRefused(await running.api.request('POST', '/manage/api', { authorization, json }), TOO_MUCH);
  });
});

describe('the owner', () => {
  it('is touched by nobody else, whatever he may do', async () => {
    const { pool } = running.database;
    await addUser(pool, 'admin@example.com', 'admin');
    const admin = openBrowser(running.api);
    await admin.logIn('admin@example.com');
    const act = [
      ['manualUpdate', { user_id: ownerId, email: 'mine@example.com' }],
      ['manualUpdate', { user_id: ownerId, is_active: false }],
      ['resendInvitation', { user_id: ownerId }],
      ['removeUserFromRole', { user_id: ownerId, role_id: 'admin' }],
      ['addUserToRole', { user_id: ownerId, role_id: 'member' }],
    ] as const;
    for (const [action, data] of act) {
      expectRefused(await admin.act(action, data), 'Only the owner can change the owner');
      expectRefused(await running.api.post('/manage/api', { action, data }), 'Only the owner can change the owner');
    }
  });

  it('does not lose himself', async () => {
    expectRefused(
      await owner.act('manualUpdate', { user_id: ownerId, is_active: false }),
      'The owner cannot be switched off',
      400,
    );
    expectRefused(
      await owner.act('removeUserFromRole', { user_id: ownerId, role_id: 'admin' }),
      'The owner stays an admin',
      400,
    );
  });

  it('may do everything, whatever his roles say', async () => {
    await running.database.pool.query('delete from user_roles where user_id = $1', [ownerId]);
    expect((await owner.act('getUsers')).status).toBe(200);
    expect((await owner.act('addUserToRole', { user_id: ownerId, role_id: 'admin' })).status).toBe(200);
  });
});

describe('roles', () => {
  it('that are built in are changed by nobody', async () => {
    for (const role_id of ['admin', 'editor', 'member']) {
      const refused = 'Built-in roles cannot be changed';
      expectRefused(await owner.act('updateRole', { role_id, name: 'Mine' }), refused, 400);
      expectRefused(await owner.act('updateRolePermissions', { role_id, permissions: [] }), refused, 400);
      expectRefused(await owner.act('deleteRole', { role_id }), refused, 400);
      expectRefused(
        await owner.act('createRole', { id: role_id, name: 'Mine' }),
        `Role with id '${role_id}' already exists`,
        400,
      );
    }
  });

  it('are made empty, named, filled, given, taken and deleted, and hold at the next request', async () => {
    const { pool } = running.database;
    const user_id = await addUser(pool, 'one@example.com');
    const one = openBrowser(running.api);
    await one.logIn('one@example.com');
    const role_id = 'on_call-2';
    expect((await owner.act('createRole', { id: role_id, name: ' On call ' })).body).toMatchObject({
      ...{ id: role_id, name: 'On call', description: null, is_builtin: false, permissions: [], user_count: 0 },
    });
    expect((await owner.act('addUserToRole', { role_id, user_id })).body).toMatchObject({ role_ids: [role_id] });
    expect((await one.act('getMonitors')).status).toBe(403);
    await owner.act('updateRolePermissions', { role_id, permissions: ['monitors.read', 'monitors.read'] });
    expect((await one.act('getMonitors')).status).toBe(200);
    expect((await owner.act('getRolePermissions', { role_id })).body).toEqual(['monitors.read']);
    expect((await owner.act('getRoleUsers', { role_id })).body).toMatchObject([{ id: user_id }]);
    expect((await owner.act('updateRole', { role_id, description: 'At night' })).body).toMatchObject({
      ...{ name: 'On call', description: 'At night', permissions: ['monitors.read'], user_count: 1 },
    });
    await owner.act('removeUserFromRole', { role_id, user_id });
    expect((await one.act('getMonitors')).status).toBe(403);
    await owner.act('addUserToRole', { role_id, user_id });
    expect((await owner.act('deleteRole', { role_id })).status).toBe(200);
    expect((await one.act('getMonitors')).status).toBe(403);
    expectRefused(await owner.act('deleteRole', { role_id }), `Role with id '${role_id}' not found`, 404);
  });

  it('that keys act with are not deleted', async () => {
    const { pool } = running.database;
    await addKey(pool, await addRole(pool, 'robots', 'monitors.read'));
    expectRefused(await owner.act('deleteRole', { role_id: 'robots' }), 'API keys act with this role', 400);
  });

  it.each(['', 'Upper', 'white space', 'ä', 'x'.repeat(65), 7])('are not named %j', async (id) => {
    const message = 'id must be 1 to 64 lowercase letters, digits, hyphens and underscores';
    expectRefused(await owner.act('createRole', { id, name: 'A role' }), message, 400);
  });

  it('that do not exist are given to nobody', async () => {
    const missing = "Role with id 'nope' not found";
    expectRefused(await owner.act('addUserToRole', { role_id: 'nope', user_id: managerId }), missing, 400);
    expectRefused(await owner.act('createNewApiKey', { name: 'x', role_id: 'nope' }), missing, 400);
    const data = { email: 'x@example.com', name: 'X', role_ids: ['nope'] };
    expectRefused(await owner.act('createNewUser', data), missing, 400);
    expectRefused(
      await owner.act('addUserToRole', { role_id: 'admin', user_id: 999 }),
      "User with id '999' not found",
      404,
    );
  });

  it('permit the union of what each permits', async () => {
    const { pool } = running.database;
    await addRole(pool, 'first', 'monitors.read');
    await addRole(pool, 'second', 'users.read', 'no.longer.known');
    await addUser(pool, 'both@example.com', 'first', 'second');
    const both = openBrowser(running.api);
    const { body } = await both.logIn('both@example.com');
    expect(body).toMatchObject({ permissions: ['monitors.read', 'users.read'] });
  });
});

it('goes on with the roles somebody has while two change them at once', async () => {
  const { pool } = running.database;
  const user_id = await addUser(pool, 'many@example.com');
  const ids = await Promise.all(Array.from({ length: 8 }, (_, at) => addRole(pool, `role-${at}`)));
  await Promise.all(ids.map((role_id) => owner.act('addUserToRole', { role_id, user_id })));
  const { rows } = await pool.query('select role_id from user_roles where user_id = $1', [user_id]);
  expect(rows).toHaveLength(8);
});
