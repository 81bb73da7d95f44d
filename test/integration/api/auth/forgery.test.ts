import { afterAll, beforeAll, expect, it } from 'vitest';
import { createApiClient } from '../../../support/api-client.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { addOwner, openBrowser, PASSWORD, type Browser } from '../../../support/people.ts';

const FOREIGN = { error: { code: 'FORBIDDEN', message: 'Requests from other sites are refused' } };

let running: TestApi;
let browser: Browser;
beforeAll(async () => {
  running = await startApi();
  await addOwner(running.database.pool);
  browser = openBrowser(running.api);
  await browser.logIn('owner@example.com');
});
afterAll(() => running.stop());

const ACTION = { action: 'getMonitors', data: {} };
const PATHS: [string, unknown][] = [
  ['/manage/api', ACTION],
  ['/manage/auth/login', { email: 'owner@example.com', password: PASSWORD }],
  ['/manage/auth/logout', {}],
  ['/manage/auth/setup', { token: 'x', email: 'a@example.com', name: 'A', password: PASSWORD }],
  ['/manage/auth/link', { token: 'x' }],
  ['/manage/auth/password', { token: 'x', password: PASSWORD }],
];

it.each(PATHS)('refuses POST %s that another site made the browser send', async (path, body) => {
  const foreign: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: `${running.api.base}.evil.example` },
    { origin: running.api.base.replace(/\d+$/, '1') },
  ];
  for (const headers of foreign)
    expect(await browser.post(path, body, headers)).toMatchObject({ status: 403, body: FOREIGN });
});

it.each(PATHS)('refuses POST %s in a form that a page of another site can send without asking', async (path, body) => {
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', ''])
    expect(await browser.post(path, body, { 'content-type': type })).toMatchObject({
      status: 400,
      body: { error: { message: 'Content-Type must be application/json' } },
    });
});

it('takes what its own pages send, and what no browser sent', async () => {
  expect((await browser.post('/manage/api', ACTION)).status).toBe(200);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { cookie, 'content-type': 'application/json; charset=utf-8' };
  const plain = await running.api.request('POST', '/manage/api', { authorization: null, json: ACTION, headers });
  expect(plain.status).toBe(200);
});

it('asks nothing of a key, which no browser sends by itself', async () => {
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example', 'content-type': 'text/plain' };
  expect((await running.api.request('POST', '/manage/api', { json: ACTION, headers })).status).toBe(200);
});

it('lets a session be read from anywhere, since that changes nothing and answers nobody else', async () => {
  const answer = await browser.get('/manage/auth/session');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  expect(answer.headers.get('cache-control')).toMatch(/no-store|private/);
});

it('knows the address that people reach it by, behind whatever proxy', async () => {
  const server = await serve(running.database.url, undefined, { publicUrl: 'https://status.example/' });
  try {
    const own = openBrowser(await createApiClient(server.base, running.key));
    const body = { email: 'owner@example.com', password: PASSWORD };
    expect((await own.post('/manage/auth/login', body, { origin: 'https://status.example' })).status).toBe(200);
    for (const origin of ['http://status.example', 'https://status.example:8443', 'https://status.example.evil'])
      expect((await own.post('/manage/auth/login', body, { origin })).status).toBe(403);
  } finally {
    await server.stop();
  }
});
