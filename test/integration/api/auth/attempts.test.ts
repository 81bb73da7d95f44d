import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Passwords } from '../../../../runtime/passwords.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { createApiClient } from '../../../support/api-client.ts';
import { addOwner, addUser, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

/** Attempts are what is counted here, not what a hash costs. */
const passwords: Passwords = { hash: async () => 'x', verify: async (given) => given === PASSWORD };

let running: TestApi;
beforeAll(async () => {
  running = await startApi({ passwords });
  await addOwner(running.database.pool);
});
afterAll(() => running.stop());
beforeEach(async () => {
  await running.database.pool.query('delete from login_attempts');
});

async function fail(browser: Browser, email: string, times: number): Promise<number[]> {
  const statuses = [];
  for (let round = 0; round < times; round += 1) statuses.push((await browser.logIn(email, 'Wrong horse 1')).status);
  return statuses;
}

it('lets an account be guessed at twenty times in a quarter of an hour, whether it exists or not', async () => {
  for (const email of ['owner@example.com', 'nobody@example.com']) {
    await running.database.pool.query('delete from login_attempts');
    const stranger = openBrowser(running.api);
    expect(new Set(await fail(stranger, email, 20))).toEqual(new Set([401]));
    const answer = await stranger.logIn(email);
    expect(answer.status).toBe(429);
    expect(answer.body).toEqual({ error: { code: 'RATE_LIMITED', message: 'Too many attempts, try again later' } });
    const wait = Number(answer.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(900);
  }
});

it('lets an address guess thirty times, at whomever', async () => {
  const stranger = openBrowser(running.api);
  for (let round = 0; round < 30; round += 1)
    expect((await stranger.logIn(`user-${round}@example.com`, 'Wrong horse 1')).status).toBe(401);
  expect((await stranger.logIn('user-31@example.com', 'Wrong horse 1')).status).toBe(429);
});

it('counts for all copies of the API together, also where they ask at once', async () => {
  const other = await serve(running.database.url, undefined, { passwords });
  try {
    const browsers = [openBrowser(running.api), openBrowser(await createApiClient(other.base, running.key))];
    const rounds = Array.from({ length: 20 }, () => browsers).flat();
    const answers = await Promise.all(rounds.map((browser) => browser.logIn('nobody@example.com', 'Wrong horse 1')));
    const statuses = answers.map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  } finally {
    await other.stop();
  }
});

it('never shuts the owner out of a browser that he has used before, whatever strangers do', async () => {
  const own = openBrowser(running.api);
  await own.logIn('owner@example.com');
  await own.post('/manage/auth/logout', {});
  await fail(openBrowser(running.api), 'owner@example.com', 25);
  expect((await openBrowser(running.api).logIn('owner@example.com')).status).toBe(429);
  expect((await own.logIn('owner@example.com')).status).toBe(200);
});

it('counts what such a browser guesses by itself, and not for other accounts', async () => {
  const own = openBrowser(running.api);
  await own.logIn('owner@example.com');
  expect(new Set(await fail(own, 'owner@example.com', 20))).toEqual(new Set([401]));
  expect((await own.logIn('owner@example.com')).status).toBe(429);
  expect((await openBrowser(running.api).logIn('owner@example.com')).status).toBe(200);
  await fail(own, 'nobody@example.com', 20);
  expect((await openBrowser(running.api).logIn('nobody@example.com')).status).toBe(429);
});

it('counts failures only', async () => {
  const browser = openBrowser(running.api);
  for (let round = 0; round < 40; round += 1) {
    browser.cookies.clear();
    expect((await browser.logIn('owner@example.com')).status).toBe(200);
  }
});

it('counts the right password of an account that is switched off as a failure, or its state would show', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'off@example.com', 'editor');
  await pool.query('update users set is_active = false where id = $1', [id]);
  const stranger = openBrowser(running.api);
  for (let round = 0; round < 20; round += 1) expect((await stranger.logIn('off@example.com')).status).toBe(401);
  expect((await stranger.logIn('off@example.com')).status).toBe(429);
});

it('begins anew after a quarter of an hour, and keeps no counters for longer', async () => {
  const { pool } = running.database;
  await fail(openBrowser(running.api), 'owner@example.com', 21);
  await pool.query('update login_attempts set window_ends_at = service_now()');
  expect((await openBrowser(running.api).logIn('owner@example.com')).status).toBe(200);
  await fail(openBrowser(running.api), 'other@example.com', 1);
  await pool.query('update login_attempts set window_ends_at = service_now()');
  await openBrowser(running.api).logIn('owner@example.com');
  expect((await pool.query('select from login_attempts')).rowCount).toBe(2);
});

it('bounds how often a session guesses at the password behind it', async () => {
  const browser = openBrowser(running.api);
  await browser.logIn('owner@example.com');
  const guess = { current_password: 'Wrong horse 1', new_password: 'Another horse 2' };
  for (let round = 0; round < 10; round += 1)
    expect(await browser.act('updatePassword', guess)).toMatchObject({
      status: 400,
      body: { error: { message: 'The current password is wrong' } },
    });
  expect((await browser.act('updatePassword', { ...guess, current_password: PASSWORD })).status).toBe(429);
});
