import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createLink } from '../../../../db/one-time-links.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { createApiClient } from '../../../support/api-client.ts';
import { addOwner, addUser, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

const UNUSABLE = { error: { code: 'BAD_REQUEST', message: 'The link is not valid any more' } };
const ANOTHER = 'Another horse 2';

let running: TestApi;
let owner: Browser;
beforeAll(async () => {
  running = await startApi();
  await addOwner(running.database.pool);
  owner = openBrowser(running.api);
  await owner.logIn('owner@example.com');
});
afterAll(() => running.stop());
beforeEach(async () => {
  await running.database.pool.query('delete from users where not is_owner');
});

interface Link {
  user: { id: number };
  purpose: string;
  link: string;
  expires_at: string;
}

/** What was asked for, as the action answers it. */
async function linkBy(action: string, data: unknown): Promise<Link & { token: string }> {
  const answer = await owner.act(action, data);
  expect(answer.status, answer.text).toBe(200);
  const link = answer.body as Link;
  return { ...link, token: link.link.split('#')[1] ?? '' };
}

const invite = (email = 'new@example.com') => linkBy('createNewUser', { email, name: 'New', role_ids: ['editor'] });
const hoursUntil = (text: string): number => (Date.parse(text) - Date.now()) / 3_600_000;

it('invites by a link that is good for seven days, by which the invited one sets his password and is in', async () => {
  const { token, link, purpose, expires_at } = await invite();
  expect([purpose, link]).toEqual(['INVITE', `/manage/password#${token}`]);
  expect(hoursUntil(expires_at)).toBeCloseTo(168, 0);
  const browser = openBrowser(running.api);
  expect((await browser.logIn('new@example.com', '')).status).toBe(401);
  expect((await browser.post('/manage/auth/link', { token })).body).toEqual({
    ...{ purpose: 'INVITE', email: 'new@example.com', name: 'New' },
    expires_at,
  });
  const answer = await browser.post('/manage/auth/password', { token, password: ANOTHER });
  expect(answer.body).toMatchObject({ user: { email: 'new@example.com', is_active: true, has_password: true } });
  expect((await browser.act('getMonitors')).status).toBe(200);
  expect((await openBrowser(running.api).logIn('new@example.com', ANOTHER)).status).toBe(200);
});

it('takes a link once, also from two who come at once', async () => {
  const { token } = await invite();
  const answers = await Promise.all(
    Array.from({ length: 5 }, () =>
      openBrowser(running.api).post('/manage/auth/password', { token, password: ANOTHER }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  expect(answers.find(({ status }) => status === 400)?.body).toEqual(UNUSABLE);
  expect((await openBrowser(running.api).post('/manage/auth/link', { token })).body).toEqual(UNUSABLE);
});

it('takes no link that has expired, was replaced, or never was', async () => {
  const { pool } = running.database;
  const first = await invite();
  const second = await linkBy('resendInvitation', { user_id: first.user.id });
  expect(second.purpose).toBe('INVITE');
  const browser = openBrowser(running.api);
  for (const token of [first.token, 'never', '', "' or true"]) {
    expect(await browser.post('/manage/auth/link', { token })).toMatchObject({ status: 400, body: UNUSABLE });
    const chosen = await browser.post('/manage/auth/password', { token, password: ANOTHER });
    expect(chosen).toMatchObject({ status: 400, body: UNUSABLE });
  }
  await pool.query('update one_time_links set expires_at = service_now()');
  const late = await browser.post('/manage/auth/password', { token: second.token, password: ANOTHER });
  expect(late).toMatchObject({ status: 400, body: UNUSABLE });
});

it('makes a link for another password, for an hour, which ends all sessions and forgets all browsers', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'forgot@example.com', 'editor');
  const before = openBrowser(running.api);
  await before.logIn('forgot@example.com');
  const { token, purpose, expires_at } = await linkBy('resendInvitation', { user_id: id });
  expect(purpose).toBe('RESET');
  expect(hoursUntil(expires_at)).toBeCloseTo(1, 1);
  expect((await before.act('getMonitors')).status).toBe(200);
  await openBrowser(running.api).post('/manage/auth/password', { token, password: ANOTHER });
  expect((await before.act('getMonitors')).status).toBe(401);
  expect((await pool.query('select from known_devices where user_id = $1', [id])).rowCount).toBe(1);
  expect((await openBrowser(running.api).logIn('forgot@example.com', PASSWORD)).status).toBe(401);
});

it('makes links worthless when the user is switched off or gets another address', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'leaving@example.com', 'editor');
  const first = await linkBy('resendInvitation', { user_id: id });
  await owner.act('manualUpdate', { user_id: id, is_active: false });
  const browser = openBrowser(running.api);
  expect(await browser.post('/manage/auth/password', { token: first.token, password: ANOTHER })).toMatchObject({
    body: UNUSABLE,
  });
  expect(await owner.act('resendInvitation', { user_id: id })).toMatchObject({ status: 400 });
  await owner.act('manualUpdate', { user_id: id, is_active: true });
  const second = await linkBy('resendInvitation', { user_id: id });
  await owner.act('manualUpdate', { user_id: id, email: 'elsewhere@example.com' });
  expect(await browser.post('/manage/auth/password', { token: second.token, password: ANOTHER })).toMatchObject({
    body: UNUSABLE,
  });
});

it.each(['short1A', 'nodigitsHere', 'NOLOWER123', 'noupper123', 'x'.repeat(300), 7, null])(
  'refuses %j for a password, and the link stays good',
  async (password) => {
    const { token } = await invite();
    const browser = openBrowser(running.api);
    expect((await browser.post('/manage/auth/password', { token, password })).status).toBe(400);
    expect((await browser.post('/manage/auth/password', { token, password: 'Ünïcode-1' })).status).toBe(200);
  },
);

it('stores a hash of the token and nothing of the password', async () => {
  const { token } = await invite();
  const { rows } = await running.database.pool.query<{ all: string }>(
    'select json_agg(l)::text as all from one_time_links l',
  );
  expect(rows[0]?.all).not.toContain(token);
  expect(rows[0]?.all).not.toContain(Buffer.from(token, 'base64url').toString('hex'));
});

it('names the place that people reach the service by in links', async () => {
  const server = await serve(running.database.url, undefined, { publicUrl: 'https://status.example/' });
  try {
    const api = await createApiClient(server.base, running.key);
    const answer = await api.post('/manage/api', {
      action: 'createNewUser',
      data: { email: 'far@example.com', name: 'Far' },
    });
    expect(answer.body).toMatchObject({
      link: expect.stringMatching(/^https:\/\/status\.example\/manage\/password#[\w-]{43}$/) as unknown,
      user: { role_ids: ['member'] },
    });
  } finally {
    await server.stop();
  }
});

it('takes no set-up token for a link', async () => {
  const { token } = await createLink(running.database.pool, 'SETUP', null);
  const browser = openBrowser(running.api);
  expect(await browser.post('/manage/auth/link', { token })).toMatchObject({ status: 400, body: UNUSABLE });
  expect(await browser.post('/manage/auth/password', { token, password: ANOTHER })).toMatchObject({ status: 400 });
});
