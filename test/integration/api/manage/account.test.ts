import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { failureOf } from '../../../support/api-monitors.ts';
import { addOwner, addUser, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

const ANOTHER = 'Another horse 2';

let running: TestApi;
let userId: number;
let browser: Browser;
beforeAll(async () => {
  running = await startApi();
  await addOwner(running.database.pool);
});
afterAll(() => running.stop());
beforeEach(async () => {
  const { pool } = running.database;
  await pool.query('delete from users where not is_owner');
  userId = await addUser(pool, 'ada@example.com');
  browser = await signedIn();
});

async function signedIn(): Promise<Browser> {
  const own = openBrowser(running.api);
  await own.logIn('ada@example.com');
  return own;
}

interface Session {
  id: number;
  address: string;
  is_current: boolean;
}

async function sessions(of: Browser): Promise<Session[]> {
  // Held against the document by the client.
  return (await of.act('getSessions')).body as Session[];
}

it('lists the sessions of a user, and ends one of them at once', async () => {
  const other = await signedIn();
  const listed = await sessions(browser);
  expect(listed).toHaveLength(2);
  expect(listed.filter(({ is_current }) => is_current)).toHaveLength(1);
  expect(listed[0]?.address).toMatch(/127\.0\.0\.1$/);
  expect(JSON.stringify(listed)).not.toContain('token');
  const current = (await sessions(other)).find(({ is_current }) => is_current);
  expect((await browser.act('deleteSession', { id: current?.id })).body).toBe(1);
  expect((await other.act('getSessions')).status).toBe(401);
  expect(await sessions(browser)).toHaveLength(1);
});

it("ends nobody else's session", async () => {
  const owner = openBrowser(running.api);
  await owner.logIn('owner@example.com');
  const [session] = await sessions(owner);
  expect((await browser.act('deleteSession', { id: session?.id })).body).toBe(0);
  expect((await owner.act('getSessions')).status).toBe(200);
});

it('changes the password by the one of before, ends the other sessions and forgets other browsers', async () => {
  const other = await signedIn();
  const wrong = await browser.act('updatePassword', { current_password: 'Wrong horse 1', new_password: ANOTHER });
  expect(failureOf(wrong)).toEqual([400, 'The current password is wrong']);
  const weak = await browser.act('updatePassword', { current_password: PASSWORD, new_password: 'weak' });
  expect(weak.status).toBe(400);
  expect((await other.act('getSessions')).status).toBe(200);
  const done = await browser.act('updatePassword', { current_password: PASSWORD, new_password: ANOTHER });
  expect(done.body).toEqual({ message: 'Password changed' });
  expect((await other.act('getSessions')).status).toBe(401);
  expect((await browser.act('getSessions')).status).toBe(200);
  const { rows } = await running.database.pool.query('select from known_devices where user_id = $1', [userId]);
  expect(rows).toEqual([]);
  expect((await openBrowser(running.api).logIn('ada@example.com', PASSWORD)).status).toBe(401);
  expect((await openBrowser(running.api).logIn('ada@example.com', ANOTHER)).status).toBe(200);
});

it('lets one of two changes of the password at once win', async () => {
  const answers = await Promise.all(
    [ANOTHER, 'Third horse 3'].map((new_password) =>
      browser.act('updatePassword', { current_password: PASSWORD, new_password }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
});

it("changes one's name, and with the password one's email", async () => {
  expect((await browser.act('updateUser', { name: ' Ada L. ' })).body).toMatchObject({
    ...{ id: userId, name: 'Ada L.', email: 'ada@example.com' },
  });
  for (const data of [{ email: 'new@example.com' }, { email: 'new@example.com', current_password: 'Wrong horse 1' }])
    expect(failureOf(await browser.act('updateUser', data))).toEqual([400, 'The current password is wrong']);
  const taken = await browser.act('updateUser', { email: 'owner@example.com', current_password: PASSWORD });
  expect(failureOf(taken)).toEqual([400, "A user with the email 'owner@example.com' exists already"]);
  const done = await browser.act('updateUser', { email: 'New@Example.com', current_password: PASSWORD });
  expect(done.body).toMatchObject({ email: 'new@example.com', name: 'Ada L.' });
});

it('says honestly that no e-mail is sent', async () => {
  expect(failureOf(await browser.act('sendVerificationEmail'))).toEqual([
    400,
    'This service sends no e-mail, so there is none to verify by',
  ]);
});

it('has nothing for a key, which has no account', async () => {
  const asked: [string, object][] = [
    ['getSessions', {}],
    ['deleteSession', { id: 1 }],
    ['updateUser', { name: 'x' }],
    ['updatePassword', { current_password: PASSWORD, new_password: ANOTHER }],
  ];
  for (const [action, data] of asked) {
    const answer = await running.api.post('/manage/api', { action, data });
    expect(failureOf(answer)).toEqual([403, 'Only a user who has signed in can do this']);
  }
});
