import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../../db/api-keys.ts';
import { createApiClient, type ApiClient } from '../../../support/api-client.ts';
import { failureOf } from '../../../support/api-monitors.ts';
import { serve } from '../../../support/api-server.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import type { Exposure } from '../../../../api/http/exposure.ts';

const MONITORS = '/api/v4/monitors';
const ORIGIN = 'https://status.example';

let database: TestDatabase;
let key: string;
let otherKey: string;
beforeAll(async () => {
  database = await createTestDatabase();
  const make = async (name: string): Promise<string> => (await createApiKey(database.pool, name))?.key ?? '';
  [key, otherKey] = [await make('one'), await make('two')];
});
afterAll(() => database.drop());

/** A server of that exposure, as long as `work` takes. */
async function exposed(exposure: Partial<Exposure>, work: (api: ApiClient) => Promise<void>): Promise<void> {
  const server = await serve(database.url, undefined, { exposure });
  try {
    await work(await createApiClient(server.base, key));
  } finally {
    await server.stop();
  }
}

describe('a rate limit', () => {
  it('counts the requests of each key, whatever they ask, and names itself in each answer', () =>
    exposed({ perCaller: 4 }, async (api) => {
      const left = (answer: { headers: Headers }): string | undefined =>
        /r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1];
      const ok = await api.get(MONITORS);
      expect(ok.headers.get('ratelimit-policy')).toBe('"key";q=4;w=60');
      const others = [await api.get('/api/v4/nope'), await api.request('PUT', MONITORS), await api.post(MONITORS, {})];
      expect([ok, ...others].map(left)).toEqual(['3', '2', '1', '0']);
      const refused = await api.get(MONITORS);
      const [status, message] = failureOf(refused);
      expect(status).toBe(429);
      expect(message).toMatch(/^At most 4 requests a minute, try again in \d+ seconds$/);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
      expect(refused.headers.get('ratelimit')).toMatch(/^"key";r=0;t=\d+$/);
      const other = await api.request('GET', MONITORS, { authorization: `Bearer ${otherKey}` });
      expect(other.status).toBe(200);
    }));

  it('counts what comes without a key by its address, and lets keys from there through', () =>
    // The client has read the document with the first.
    exposed({ perAddress: 4 }, async (api) => {
      const anonymous = (path: string, authorization: string | null = null) =>
        api.request('GET', path, { authorization });
      expect((await anonymous('/api/v4/status')).headers.get('ratelimit')).toMatch(/^"address";r=2;/);
      expect((await anonymous(MONITORS, 'Bearer wrong')).status).toBe(401);
      expect((await anonymous('/nope')).status).toBe(404);
      expect((await anonymous('/api/v4/status')).status).toBe(429);
      expect((await anonymous(MONITORS, `Bearer farwatch_${'0'.repeat(64)}`)).status).toBe(429);
      expect((await anonymous('/nope')).status).toBe(429);
      expect((await anonymous('/healthz')).status).toBe(200);
      expect((await api.get(MONITORS)).status).toBe(200);
    }));

  it('believes a trusted proxy whose client it is, and nobody else', async () => {
    const from = (api: ApiClient, address: string) =>
      api.request('GET', '/api/v4/status', { authorization: null, headers: { 'x-forwarded-for': address } });
    await exposed({ perAddress: 2, trustedProxies: ['loopback'] }, async (api) => {
      for (let client = 1; client < 6; client += 1) expect((await from(api, `10.0.0.${client}`)).status).toBe(200);
      await from(api, '10.0.0.1');
      expect((await from(api, '10.0.0.1')).status).toBe(429);
      // What a client says of itself stands before what the proxy adds.
      expect((await from(api, '10.9.9.9, 10.0.0.1')).status).toBe(429);
    });
    await exposed({ perAddress: 2 }, async (api) => {
      await from(api, '10.0.0.1');
      expect((await from(api, '10.0.0.2')).status).toBe(429);
    });
  });
});

describe('CORS', () => {
  const preflight = (api: ApiClient, headers: Record<string, string>, path = `${MONITORS}/x`) =>
    fetch(api.base + path, { method: 'OPTIONS', headers });
  const asks = (origin: string) => ({ origin, 'access-control-request-method': 'PATCH' });

  it('is off without origins: OPTIONS is not allowed, and no answer mentions it', () =>
    exposed({}, async (api) => {
      const answer = await api.request('OPTIONS', MONITORS, { headers: asks(ORIGIN) });
      expect(answer.status).toBe(405);
      const read = await api.request('GET', MONITORS, { headers: { origin: ORIGIN } });
      for (const { headers } of [answer, read]) {
        expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
        expect(headers.get('vary')).toBeNull();
      }
    }));

  it('answers a preflight without a key, with what the origin may send', () =>
    exposed({ corsOrigins: [ORIGIN, 'https://other.example'], perAddress: 1 }, async (api) => {
      for (const path of [MONITORS, '/api/v4/nope', '/manage/api']) {
        const answer = await preflight(api, asks(ORIGIN), path);
        expect([answer.status, await answer.text()]).toEqual([204, '']);
        expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
        expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, POST, PATCH, DELETE');
        expect(answer.headers.get('access-control-allow-headers')).toMatch(/Authorization.*Idempotency-Key/);
        expect(answer.headers.get('access-control-max-age')).toBe('7200');
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
        expect(answer.headers.get('vary')).toBe('Origin');
      }
    }));

  it.each(['https://status.example.evil', 'http://status.example', 'null', 'https://status.example:8443'])(
    'lets %s in no more than anybody',
    (origin) =>
      exposed({ corsOrigins: [ORIGIN] }, async (api) => {
        const answer = await preflight(api, asks(origin));
        expect(answer.status).toBe(204);
        const read = await api.request('GET', MONITORS, { headers: { origin } });
        expect(read.status).toBe(200);
        for (const { headers } of [answer, read]) {
          expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
          expect(headers.get('vary')).toBe('Origin');
        }
      }),
  );

  it('lets the origin read every answer, failures too, and the headers that clients need', () =>
    exposed({ corsOrigins: [ORIGIN], perCaller: 100 }, async (api) => {
      const headers = { origin: ORIGIN };
      for (const [path, authorization, status] of [
        [MONITORS, `Bearer ${key}`, 200],
        [`${MONITORS}/x`, `Bearer ${key}`, 404],
        [MONITORS, null, 401],
        ['/api/v4/status', null, 200],
      ] as const) {
        const answer = await api.request('GET', path, { headers, authorization });
        expect(answer.status).toBe(status);
        expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
        expect(answer.headers.get('vary')).toBe('Origin');
        for (const name of ['ETag', 'RateLimit', 'Retry-After', 'X-Request-Id', 'Idempotent-Replayed'])
          expect(answer.headers.get('access-control-expose-headers')).toContain(name);
      }
    }));

  it('leaves an OPTIONS that is no preflight what it was', () =>
    exposed({ corsOrigins: [ORIGIN] }, async (api) => {
      expect((await preflight(api, { origin: ORIGIN })).status).toBe(401);
      expect((await preflight(api, { 'access-control-request-method': 'GET' })).status).toBe(401);
    }));
});

describe('a conditional GET', () => {
  it('of a list or a resource is answered without a body until it changes', () =>
    exposed({}, async (api) => {
      await api.post(MONITORS, { tag: 'kept', name: 'one' });
      for (const path of [MONITORS, `${MONITORS}/kept`, '/api/v4/pages', '/api/v4/status', '/openapi.json']) {
        const first = await api.get(path);
        const etag = first.headers.get('etag') ?? '';
        expect(etag, path).toMatch(/^"[\w-]{43}"$/);
        const again = await api.request('GET', path, { headers: { 'if-none-match': etag } });
        expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag]);
        expect(again.headers.get('cache-control')).toBe(first.headers.get('cache-control'));
        const head = await api.request('HEAD', path);
        expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
      }
      const { headers } = await api.get(`${MONITORS}/kept`);
      await api.patch(`${MONITORS}/kept`, { name: 'two' });
      const changed = await api.request('GET', `${MONITORS}/kept`, {
        headers: { 'if-none-match': headers.get('etag') ?? '' },
      });
      expect(changed.status).toBe(200);
    }));

  it('takes lists, weak forms and the star, and is not asked to prove what is missing', () =>
    exposed({}, async (api) => {
      const etag = (await api.get(MONITORS)).headers.get('etag') ?? '';
      const ask = async (path: string, known: string) =>
        (await api.request('GET', path, { headers: { 'if-none-match': known } })).status;
      expect(await ask(MONITORS, `"x", W/${etag}`)).toBe(304);
      expect(await ask(MONITORS, '*')).toBe(304);
      expect(await ask(MONITORS, '"x"')).toBe(200);
      expect(await ask(`${MONITORS}/nope`, '*')).toBe(404);
    }));

  it('still needs its key', () =>
    exposed({}, async (api) => {
      const etag = (await api.get(MONITORS)).headers.get('etag') ?? '';
      const answer = await api.request('GET', MONITORS, { authorization: null, headers: { 'if-none-match': etag } });
      expect(answer.status).toBe(401);
    }));

  it('of what changes with every answer has no tag', () =>
    exposed({}, async (api) => {
      await api.post(MONITORS, { tag: 'streamed', name: 'x' });
      for (const path of ['/healthz', `${MONITORS}/streamed/data?start_ts=0&end_ts=60`]) {
        const { headers } = await api.get(path);
        expect([headers.get('etag'), headers.get('cache-control')]).toEqual([null, 'no-store']);
      }
    }));

  it('keeps the connection usable: a 304 is framed by its headers alone', () =>
    exposed({}, async (api) => {
      const etag = (await api.get(MONITORS)).headers.get('etag') ?? '';
      const socket = connect(Number(new URL(api.base).port), '127.0.0.1');
      const head = `Host: x\r\nAuthorization: Bearer ${key}\r\n`;
      socket.write(`GET ${MONITORS} HTTP/1.1\r\n${head}If-None-Match: ${etag}\r\n\r\n`);
      socket.write(`GET /healthz HTTP/1.1\r\n${head}Connection: close\r\n\r\n`);
      const answers = await text(socket);
      expect(answers.match(/^HTTP\/1\.1 \d+/gm)).toEqual(['HTTP/1.1 304', 'HTTP/1.1 200']);
    }));
});
