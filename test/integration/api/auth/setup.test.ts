import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLink } from '../../../../db/one-time-links.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { addOwner, openBrowser, PASSWORD } from '../../../support/people.ts';

let running: TestApi;
beforeEach(async () => {
  running = await startApi();
});
afterEach(() => running.stop());

const OWNER = { email: 'Ada@Example.com', name: 'Ada', password: PASSWORD };
const setupToken = async (): Promise<string> => (await createLink(running.database.pool, 'SETUP', null)).token;

it('makes the first user the owner, signs him in, and is over then', async () => {
  const token = await setupToken();
  const browser = openBrowser(running.api);
  expect((await browser.get('/manage/auth/setup')).body).toEqual({ needed: true, signed_in: false });
  const answer = await browser.post('/manage/auth/setup', { token, ...OWNER });
  expect(answer.status).toBe(200);
  expect(answer.body).toMatchObject({ user: { email: 'ada@example.com', is_owner: true, role_ids: ['admin'] } });
  expect((await browser.act('getUsers')).status).toBe(200);
  expect((await browser.get('/manage/auth/setup')).body).toEqual({ needed: false, signed_in: true });
  expect(await browser.post('/manage/auth/setup', { token: await setupToken(), ...OWNER })).toMatchObject({
    status: 403,
    body: { error: { code: 'FORBIDDEN', message: 'The service has been set up already' } },
  });
});

it('makes one owner only, whoever comes at once with whichever token', async () => {
  const token = await setupToken();
  const emails = ['a@example.com', 'b@example.com', 'c@example.com', 'd@example.com'];
  const answers = await Promise.all(
    emails.map((email) => openBrowser(running.api).post('/manage/auth/setup', { ...OWNER, token, email })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect((await running.database.pool.query('select from users')).rowCount).toBe(1);
});

it('needs the token that is good now', async () => {
  const browser = openBrowser(running.api);
  const first = await setupToken();
  const second = await setupToken();
  for (const token of [first, 'x', ''])
    expect(await browser.post('/manage/auth/setup', { token, ...OWNER })).toMatchObject({
      status: 400,
      body: { error: { message: 'The link is not valid any more' } },
    });
  await running.database.pool.query('update one_time_links set expires_at = service_now()');
  expect((await browser.post('/manage/auth/setup', { token: second, ...OWNER })).status).toBe(400);
  expect((await running.database.pool.query('select from users')).rowCount).toBe(0);
});

it('is over too where the owner was made on the command line', async () => {
  const token = await setupToken();
  await addOwner(running.database.pool);
  expect((await openBrowser(running.api).post('/manage/auth/setup', { token, ...OWNER })).status).toBe(403);
});

it('refuses a weak password, and no email or name, and the token stays good', async () => {
  const token = await setupToken();
  const browser = openBrowser(running.api);
  for (const [change, message] of [
    [{ password: 'weak' }, /^Password must be at least 8 characters/],
    [{ email: 'nowhere' }, /^Email must be an e-mail address$/],
    [{ name: ' ' }, /^Name is required$/],
  ] as const) {
    const answer = await browser.post('/manage/auth/setup', { token, ...OWNER, ...change });
    expect(answer).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringMatching(message) as unknown } },
    });
  }
  expect((await browser.post('/manage/auth/setup', { token, ...OWNER })).status).toBe(200);
});
