import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setApiKeyStatus } from '../../../db/api-keys.ts';
import { createMonitor, failureOf } from '../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';

const MONITORS = '/api/v4/monitors';

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
  await createMonitor(test.api, { tag: 'known' });
});
afterAll(() => test.stop());

describe('authentication', () => {
  const withHeader = (authorization: string | null) => test.api.request('GET', MONITORS, { authorization });

  it.each([null, '', 'Bearer', 'Bearer ', 'Basic abc', 'abc', 'Bearer a b', 'Bearer  a'])(
    'calls the header %j missing or invalid',
    async (authorization) => {
      expect(failureOf(await withHeader(authorization))).toEqual([401, 'Missing or invalid authorization header']);
    },
  );

  it.each(['x', `farwatch_${'0'.repeat(64)}`, `kener_${'0'.repeat(64)}`, '%00'])('refuses the key %j', async (key) => {
    const answer = await withHeader(`Bearer ${key}`);
    expect(failureOf(answer)).toEqual([401, 'Invalid API key']);
    expect(answer.body).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  });

  it('takes the scheme in any case, and the key only as it is', async () => {
    for (const scheme of ['bearer', 'BEARER', 'Bearer'])
      expect((await withHeader(`${scheme} ${test.key}`)).status).toBe(200);
    expect((await withHeader(`Bearer ${test.key.toUpperCase()}`)).status).toBe(401);
  });

  it('refuses an inactive key at once, and takes it again when it is active', async () => {
    await setApiKeyStatus(test.database.pool, { name: 'test' }, 'INACTIVE');
    const refused = await withHeader(`Bearer ${test.key}`);
    await setApiKeyStatus(test.database.pool, { name: 'test' }, 'ACTIVE');
    expect(failureOf(refused)).toEqual([401, 'Invalid API key']);
    expect((await withHeader(`Bearer ${test.key}`)).status).toBe(200);
  });

  it('comes before everything else below /api/', async () => {
    const anonymous = (method: string, path: string) => test.api.request(method, path, { authorization: null });
    expect((await anonymous('GET', '/api/v4/nope')).status).toBe(401);
    expect((await anonymous('PUT', MONITORS)).status).toBe(401);
    expect((await anonymous('GET', '/api/v4/%zz')).status).toBe(401);
    expect((await anonymous('GET', `${MONITORS}/nope`)).status).toBe(401);
    expect((await test.api.request('POST', MONITORS, { authorization: null, raw: '{' })).status).toBe(401);
  });
});

describe('routes', () => {
  it.each(['/api/v4/nope', '/api/v4', '/api/v4/monitors/known/nope', '/API/v4/monitors', '/nope', '/api/v4//monitors'])(
    'there is none at %s',
    async (path) => {
      expect(failureOf(await test.api.get(`${path}?a=1`))).toEqual([404, `No API route matches '${path}'`]);
    },
  );

  it.each([
    ['PUT', MONITORS, 'GET, HEAD, POST'],
    ['DELETE', MONITORS, 'GET, HEAD, POST'],
    ['OPTIONS', MONITORS, 'GET, HEAD, POST'],
    ['OPTIONS', '/healthz', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('%s %s is not allowed', async (method, path, allow) => {
    const answer = await test.api.request(method, path);
    expect(failureOf(answer)).toEqual([405, `${method} method not allowed`]);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(answer.body).toMatchObject({ error: { code: 'METHOD_NOT_ALLOWED' } });
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('answers HEAD wherever there is a GET, without a body', async () => {
    for (const [path, status] of [
      [MONITORS, 200],
      ['/healthz', 200],
      [`${MONITORS}/nope`, 404],
    ] as const)
      expect((await test.api.request('HEAD', path)).status).toBe(status);
  });

  it.each(['/api/v4/monitors/%zz', '/api/v4/%', '/%c3%28'])('calls %s malformed', async (path) => {
    expect(failureOf(await test.api.get(path))).toEqual([400, 'Malformed URI']);
  });
});

describe('bodies', () => {
  const post = (raw: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) =>
    test.api.request('POST', MONITORS, { raw, headers });

  it.each(['', '{', 'null', '[]', '"text"', '5', 'true', '{"a":1}x', "{'a':1}", '\u{feff}'])(
    '%j is no body',
    async (raw) => {
      expect(failureOf(await post(raw))).toEqual([400, 'Invalid JSON body']);
    },
  );

  it('must be UTF-8', async () => {
    expect(failureOf(await post(Uint8Array.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])))).toEqual([
      400,
      'Invalid JSON body',
    ]);
  });

  it('need no content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=utf-8']) {
      const tag = `type-${type.length}`;
      const answer = await post(JSON.stringify({ tag, name: 'x' }), {
        'content-type': type,
        origin: 'https://other.test',
      });
      expect(answer.status).toBe(201);
    }
  });

  it('may have a mebibyte, and not a byte more', async () => {
    const padded = (size: number): string => JSON.stringify({ tag: 'padded', name: 'x' }).padEnd(size, ' ');
    const answer = await post(padded(1024 * 1024 + 1));
    expect(failureOf(answer)).toEqual([413, 'The body must be at most 1048576 bytes']);
    expect(answer.body).toMatchObject({ error: { code: 'PAYLOAD_TOO_LARGE' } });
    expect((await post(padded(1024 * 1024))).status).toBe(201);
  });

  it('that say nothing of their size are cut at the same limit', async () => {
    const answer = await exchange([
      `POST ${MONITORS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${test.key}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`,
      ...Array.from({ length: 20 }, () => `10000\r\n${' '.repeat(0x10000)}\r\n`),
      '0\r\n\r\n',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('that never end because the client left do not harm the next request', async () => {
    const socket = connect(Number(new URL(test.api.base).port), '127.0.0.1');
    const head = `POST ${MONITORS} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${test.key}\r\nContent-Length: 50\r\n\r\n`;
    await new Promise((resolve) => socket.write(`${head}{"tag":`, resolve));
    socket.destroy();
    expect((await test.api.get(MONITORS)).status).toBe(200);
  });
});

describe('headers', () => {
  it('carry a request id, the client’s own where it is a plain word', async () => {
    const id = async (given: string) =>
      (await test.api.request('GET', '/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id');
    expect(await id('trace-1.a_B')).toBe('trace-1.a_B');
    expect(await id('not a word')).toMatch(/^[0-9a-f-]{36}$/);
    expect(await id('x'.repeat(129))).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('say what a browser may not do, and nothing of what serves them', async () => {
    const { headers } = await test.api.get(MONITORS);
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('x-powered-by')).toBeNull();
  });

  it('that are too long, and what is not HTTP, are answered in the same form', async () => {
    const long = await exchange([`GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(40_000)}\r\n\r\n`]);
    expect(long).toMatch(/^HTTP\/1\.1 431 [^]*{"error":{"code":"BAD_REQUEST"/);
    expect(await exchange(['nonsense\r\n\r\n'])).toMatch(/^HTTP\/1\.1 400 [^]*{"error":{"code":"BAD_REQUEST"/);
  });
});

describe('the document', () => {
  it('needs no key and describes every route', async () => {
    const answer = await test.api.request('GET', '/openapi.json', { authorization: null });
    expect(answer.status).toBe(200);
    expect(Object.keys((answer.body as { paths: object }).paths)).toEqual(
      expect.arrayContaining(['/healthz', MONITORS, `${MONITORS}/{tag}`]),
    );
  });
});

describe('GET /healthz', () => {
  it('needs no key', async () => {
    const answer = await test.api.request('GET', '/healthz', { authorization: null });
    expect([answer.status, answer.body]).toEqual([200, { status: 'ok', database: 'ok' }]);
  });
});

/** Writes raw bytes and reads until the server ends the connection. */
async function exchange(parts: string[]): Promise<string> {
  const socket = connect(Number(new URL(test.api.base).port), '127.0.0.1');
  for (const part of parts) socket.write(part);
  return text(socket);
}
