import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createPasswords, type Passwords } from '../../../../runtime/passwords.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { createApiClient } from '../../../support/api-client.ts';
import { addOwner, addUser, openBrowser, PASSWORD } from '../../../support/people.ts';

const REFUSED = { error: { code: 'UNAUTHORIZED', message: 'Wrong email or password' } };

let running: TestApi;
/** What passwords were verified against: null where there was nothing. */
let verified: (string | null)[] = [];

beforeAll(async () => {
  const real = createPasswords();
  const passwords: Passwords = {
    ...real,
    verify: (password, phc) => {
      verified.push(phc);
      return real.verify(password, phc);
    },
  };
  running = await startApi({ passwords });
  const { pool } = running.database;
  await addOwner(pool);
  await addUser(pool, 'ada@example.com', 'editor');
  const off = await addUser(pool, 'off@example.com', 'editor');
  await pool.query('update users set is_active = false where id = $1', [off]);
  await pool.query("insert into users (email, name, is_active) values ('invited@example.com', 'I', false)");
});
afterAll(() => running.stop());
beforeEach(async () => {
  verified = [];
  await running.database.pool.query('delete from login_attempts');
});

it('signs in with email and password, says who it is and what he may do, and signs out', async () => {
  const browser = openBrowser(running.api);
  const { status, body } = await browser.logIn(' Ada@Example.com ');
  expect(status).toBe(200);
  expect(body).toMatchObject({ user: { email: 'ada@example.com', is_owner: false, role_ids: ['editor'] } });
  expect(JSON.stringify(body)).not.toContain('argon2');
  expect((await browser.get('/manage/auth/session')).body).toMatchObject({
    kind: 'user',
    user: { email: 'ada@example.com' },
    permissions: expect.arrayContaining(['monitors.write']) as unknown,
  });
  expect((await browser.act('getMonitors')).status).toBe(200);
  const token = browser.cookies.get('farwatch_session') ?? '';
  expect((await browser.post('/manage/auth/logout', {})).body).toEqual({ message: 'Signed out' });
  expect(browser.cookies.has('farwatch_session')).toBe(false);
  browser.cookies.set('farwatch_session', token);
  expect((await browser.act('getMonitors')).status).toBe(401);
});

it('gives cookies that no script reads and no other site sends', async () => {
  const { headers } = await openBrowser(running.api).logIn('ada@example.com');
  const cookies = headers.getSetCookie();
  expect(cookies).toHaveLength(2);
  expect(cookies[0]).toMatch(/^farwatch_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/);
  expect(cookies[1]).toMatch(/^farwatch_device=[\w-]{43}; Path=\/; Max-Age=34560000; HttpOnly; SameSite=Lax$/);
});

it('gives cookies for HTTPS and this host alone where the service is reached by it', async () => {
  const server = await serve(running.database.url, undefined, { publicUrl: 'https://status.example' });
  try {
    const browser = openBrowser(await createApiClient(server.base, running.key));
    const { headers } = await browser.logIn('ada@example.com');
    for (const cookie of headers.getSetCookie()) {
      expect(cookie).toMatch(/^__Host-farwatch_(session|device)=/);
      expect(cookie).toMatch(/; Path=\/; .*HttpOnly; SameSite=Lax; Secure$/);
    }
    expect((await browser.act('getMonitors')).status).toBe(200);
    const planted = openBrowser(running.api);
    planted.cookies.set('farwatch_session', browser.cookies.get('__Host-farwatch_session') ?? '');
    const plain = openBrowser(await createApiClient(server.base, running.key));
    plain.cookies.set('farwatch_session', browser.cookies.get('__Host-farwatch_session') ?? '');
    expect((await plain.act('getMonitors')).status).toBe(401);
  } finally {
    await server.stop();
  }
});

it.each([
  ['nobody@example.com', PASSWORD, 'an unknown account'],
  ['ada@example.com', 'Wrong horse 1', 'a wrong password'],
  ['off@example.com', PASSWORD, 'an account that is switched off'],
  ['invited@example.com', PASSWORD, 'an invitation that was not taken'],
  ['no address', '', 'nonsense'],
  ["ada@example.com'\0--", PASSWORD, 'what no address is'],
])('answers %j with %j alike, after the same work: %s', async (email, password) => {
  const answer = await openBrowser(running.api).logIn(email, password);
  expect(answer.status).toBe(401);
  expect(answer.body).toEqual(REFUSED);
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(verified).toHaveLength(1);
});

it('refuses what is no email and no password at all', async () => {
  const browser = openBrowser(running.api);
  for (const body of [
    {},
    { email: 1, password: 'x' },
    { email: 'a@b.c' },
    { email: 'a@b.c', password: 'x'.repeat(257) },
  ])
    expect((await browser.post('/manage/auth/login', body)).status).toBe(400);
  expect(verified).toEqual([]);
});

it('gives every sign-in a session of its own, and ends the one that the browser carried', async () => {
  const browser = openBrowser(running.api);
  browser.cookies.set('farwatch_session', 'planted-by-somebody-else');
  await browser.logIn('ada@example.com');
  const first = browser.cookies.get('farwatch_session') ?? '';
  expect(first).not.toBe('planted-by-somebody-else');
  await browser.logIn('ada@example.com');
  expect(browser.cookies.get('farwatch_session')).not.toBe(first);
  const before = openBrowser(running.api);
  before.cookies.set('farwatch_session', first);
  expect((await before.get('/manage/auth/session')).status).toBe(401);
});

it('stores nothing by which somebody could sign in', async () => {
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com');
  const { rows } = await running.database.pool.query<{ all: string }>(
    `select (select json_agg(s)::text from sessions s) || (select json_agg(d)::text from known_devices d) ||
       (select json_agg(u)::text from users u) as all`,
  );
  for (const secret of [...browser.cookies.values(), PASSWORD]) {
    expect(rows[0]?.all).not.toContain(secret);
    expect(rows[0]?.all).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  }
  expect(rows[0]?.all).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
});

it.each([
  ['has expired', 'expires_at = service_now()'],
  ['was not used for a week', "last_used_at = service_now() - interval '7 days'"],
])('takes no session that %s', async (_words, change) => {
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com');
  expect((await browser.act('getMonitors')).status).toBe(200);
  await running.database.pool.query(`update sessions set ${change}`);
  expect(await browser.act('getMonitors')).toMatchObject({
    status: 401,
    body: { error: { code: 'UNAUTHORIZED', message: 'You are not signed in' } },
  });
});

it('keeps a session that is used alive, by a write now and then', async () => {
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com');
  const age = async (): Promise<number | undefined> => {
    const { rows } = await running.database.pool.query<{ s: number }>(
      'select extract(epoch from service_now() - last_used_at)::float8 as s from sessions order by id desc limit 1',
    );
    return rows[0]?.s;
  };
  await running.database.pool.query("update sessions set last_used_at = service_now() - interval '6 days'");
  expect((await browser.act('getMonitors')).status).toBe(200);
  expect(await age()).toBeLessThan(3600);
  await running.database.pool.query("update sessions set last_used_at = service_now() - interval '20 seconds'");
  expect((await browser.act('getMonitors')).status).toBe(200);
  expect(await age()).toBeGreaterThanOrEqual(20);
});

it('takes no session that was tampered with', async () => {
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com');
  const token = browser.cookies.get('farwatch_session') ?? '';
  for (const other of [`${token}x`, token.slice(0, -1), token.toUpperCase(), 'x'.repeat(4000), "' or true --", '%00']) {
    browser.cookies.set('farwatch_session', other);
    expect((await browser.act('getMonitors')).status).toBe(401);
  }
});

it('forgets a user who is switched off, and a role that he loses, at his next request', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'leaving@example.com', 'editor');
  const browser = openBrowser(running.api);
  await browser.logIn('leaving@example.com');
  expect((await browser.act('getMonitors')).status).toBe(200);
  await pool.query('delete from user_roles where user_id = $1', [id]);
  expect((await browser.act('getMonitors')).status).toBe(403);
  await pool.query("insert into user_roles values ($1, 'member')", [id]);
  expect((await browser.act('getMonitors')).status).toBe(200);
  await pool.query('update users set is_active = false where id = $1', [id]);
  expect((await browser.act('getMonitors')).status).toBe(401);
});

it('keeps a hundred sessions and fifty browsers of a user, the newest', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'script@example.com', 'editor');
  await pool.query(
    `insert into sessions (user_id, token_hash, address, user_agent, expires_at, last_used_at)
     select $1, sha256(('s' || at)::bytea), '', '', service_now() + interval '1 day', service_now() - at * interval '1 s'
     from generate_series(1, 150) as at`,
    [id],
  );
  await pool.query(
    `insert into known_devices (user_id, token_hash, expires_at)
     select $1, sha256(('d' || at)::bytea), service_now() + interval '1 day' from generate_series(1, 150) as at`,
    [id],
  );
  await openBrowser(running.api).logIn('script@example.com');
  const { rows } = await pool.query(
    `select (select count(*)::int from sessions where user_id = $1) as sessions,
       (select count(*)::int from known_devices where user_id = $1) as devices,
       exists (select from sessions where token_hash = sha256('s99')) as newest,
       exists (select from sessions where token_hash = sha256('s100')) as older`,
    [id],
  );
  expect(rows).toEqual([{ sessions: 100, devices: 50, newest: true, older: false }]);
});

it('lets no session at /api/v4, and a key before a session at /manage/api', async () => {
  const browser = openBrowser(running.api);
  await browser.logIn('ada@example.com');
  expect((await browser.get('/api/v4/monitors')).status).toBe(401);
  const asked = { action: 'getUsers', data: {} };
  expect((await browser.post('/manage/api', asked, { authorization: `Bearer ${running.key}` })).status).toBe(200);
  expect((await browser.post('/manage/api', asked, { authorization: 'Bearer wrong' })).status).toBe(401);
});

it('lets only a session whose password still holds begin', async () => {
  const { pool } = running.database;
  const id = await addUser(pool, 'race@example.com', 'editor');
  const real = createPasswords();
  // While the password is verified, somebody changes it.
  const passwords: Passwords = {
    ...real,
    verify: async (password, phc) => {
      const isRight = await real.verify(password, phc);
      await pool.query("update users set password_hash = password_hash || 'x' where id = $1", [id]);
      return isRight;
    },
  };
  const server = await serve(running.database.url, undefined, { passwords });
  try {
    const answer = await openBrowser(await createApiClient(server.base, running.key)).logIn('race@example.com');
    expect(answer).toMatchObject({ status: 401, body: REFUSED });
  } finally {
    await server.stop();
  }
});

it('asks to come back where too many wait for their turn', async () => {
  const passwords: Passwords = { hash: async () => null, verify: async () => null };
  const server = await serve(running.database.url, undefined, { passwords });
  try {
    const answer = await openBrowser(await createApiClient(server.base, running.key)).logIn('ada@example.com');
    expect(answer.status).toBe(503);
    expect(answer.headers.get('retry-after')).toBe('2');
  } finally {
    await server.stop();
  }
});
