import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { eventually } from '../../../support/eventually.ts';
import { addOwner, addUser, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

interface Line {
  msg: string;
  action?: string;
}

let running: TestApi;
let text = '';
let owner: Browser;
let userId: number;
beforeAll(async () => {
  const sink = new Writable({ write: (chunk, _encoding, done) => done(void (text += String(chunk))) });
  running = await startApi({ log: pino({ level: 'trace' }, sink) });
  await addOwner(running.database.pool);
  userId = await addUser(running.database.pool, 'ada@example.com');
  owner = openBrowser(running.api);
  await owner.logIn('owner@example.com');
});
afterAll(() => running.stop());
beforeEach(() => {
  text = '';
});

const lines = (): Line[] =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Line);

it('says who changed what, and does not tell what was only read', async () => {
  await owner.act('addUserToRole', { role_id: 'member', user_id: userId });
  await owner.act('getUsers');
  await running.api.post('/manage/api', { action: 'updateApiKeyStatus', data: { id: 2_000_000, status: 'INACTIVE' } });
  const run = lines().filter(({ msg }) => msg === 'action run');
  expect(run).toMatchObject([
    {
      action: 'addUserToRole',
      by: { kind: 'user', id: 1 },
      roleId: 'member',
      userId,
      requestId: expect.any(String) as unknown,
    },
    { action: 'updateApiKeyStatus', by: { kind: 'key' }, keyId: 2_000_000, status: 'INACTIVE' },
  ]);
});

it('says which monitor, incident or page a change was about', async () => {
  await owner.act('storeMonitorData', { tag: 'audited', name: 'A', monitor_type: 'NONE' });
  const created = (await owner.act('createPage', { page_path: 'audited', page_title: 'T', page_header: 'H' })).body;
  // Held against the document by the client.
  const { id } = created as { id: number };
  await owner.act('addMonitorToPage', { page_id: id, monitor_tag: 'audited' });
  expect(lines().filter(({ msg }) => msg === 'action run')).toMatchObject([
    { action: 'storeMonitorData', tag: 'audited' },
    { action: 'createPage', path: 'audited' },
    { action: 'addMonitorToPage', pageId: id, tag: 'audited' },
  ]);
});

it('says that somebody signed in, or was refused', async () => {
  await openBrowser(running.api).logIn('ada@example.com');
  await openBrowser(running.api).logIn('ada@example.com', 'Wrong horse 1');
  await openBrowser(running.api).logIn('Typed the Password 1 here', PASSWORD);
  const told = lines().filter(({ msg }) => msg.startsWith('sign'));
  expect(told).toMatchObject([
    { msg: 'signed in', userId },
    { msg: 'sign-in refused', userId },
    { msg: 'sign-in refused', userId: null },
  ]);
  expect(text).not.toContain('Typed the Password');
});

it('tells no secret, whatever is done', async () => {
  const secrets = [PASSWORD, 'Another horse 2', 'Wrong horse 1'];
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com', 'Wrong horse 1');
  await browser.logIn('ada@example.com');
  const invited = (await owner.act('createNewUser', { email: 'new@example.com', name: 'New' })).body as {
    link: string;
  };
  const token = invited.link.split('#')[1] ?? '';
  await openBrowser(running.api).post('/manage/auth/password', { token, password: 'weak' });
  await openBrowser(running.api).post('/manage/auth/password', { token, password: 'Another horse 2' });
  const key = (await owner.act('createNewApiKey', { name: 'a key' })).body as { apiKey: string };
  await running.api.request('GET', '/api/v4/monitors', { authorization: `Bearer ${key.apiKey}` });
  await browser.act('updatePassword', { current_password: PASSWORD, new_password: 'Another horse 2' });
  secrets.push(token, key.apiKey, ...browser.cookies.values(), ...owner.cookies.values());
  await browser.post('/manage/auth/logout', {});
  const answered = (): number => lines().filter(({ msg }) => msg === 'request answered').length;
  await eventually('every request is told', 20_000, () => answered() >= 9);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toContain('argon2');
});
