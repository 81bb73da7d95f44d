import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { createApp } from '../../../../api/http/app.ts';
import { JsonStream, route } from '../../../../api/http/route.ts';
import { createCheckAnswers } from '../../../../api/check-answers.ts';
import { listen, type RunningServer } from '../../../../api/http/server.ts';
import type { Services } from '../../../../api/context.ts';
import { createBoundedCalls } from '../../../../runtime/bounded-calls.ts';
import { RECURRENCE_MODULE } from '../../../../core/recurrence.ts';
import { openPool } from '../../../../db/client.ts';
import { createPasswords } from '../../../../runtime/passwords.ts';

const MEBIBYTE = Buffer.alloc(1024 * 1024, ' ');
const STALLED_MS = 300;

let ended = 0;
let produced = 0;
let entered = false;
let release: () => void = () => undefined;

/** Streams `count` mebibytes, then fails or ends. */
async function* pieces(count: number, fails: boolean): AsyncGenerator<Buffer | string> {
  try {
    yield '{"data":[';
    for (let index = 0; index < count; index += 1) {
      produced += 1;
      yield MEBIBYTE;
    }
    if (fails) throw new Error('the database broke off');
    yield ']}';
  } finally {
    ended += 1;
  }
}

/** No route asks who calls. */
const nobody = (): Promise<never> => Promise.reject(new Error('nobody calls'));
const response = z.object({ data: z.array(z.unknown()) });
const open = { method: 'GET', access: 'public', summary: '', response } as const;
const routes = [
  route({ ...open, path: '/boom', handler: () => Promise.reject(new Error('secret at /home/x.ts')) }),
  route({ ...open, path: '/short', handler: async () => new JsonStream(pieces(2, false)) }),
  route({ ...open, path: '/broken', handler: async () => new JsonStream(pieces(2, true)) }),
  route({
    ...open,
    path: '/fails-first',
    handler: async () =>
      new JsonStream(
        (async function* (): AsyncGenerator<string> {
          throw Object.assign(new Error('connection failure'), { code: '08006' });
        })(),
      ),
  }),
  route({ ...open, path: '/endless', handler: async () => new JsonStream(pieces(1e9, false)) }),
  route({
    ...open,
    path: '/slow',
    handler: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
        entered = true;
      });
      return { data: [] };
    },
  }),
];

const logged: string[] = [];
let server: RunningServer;
let port = 0;
beforeAll(async () => {
  // No route asks the database anything.
  const pool = openPool({ url: 'postgres://127.0.0.1:9/none', name: 'none', max: 1, statementTimeoutMs: 0 });
  const log = pino(
    { level: 'info' },
    new Writable({ write: (chunk, _encoding, done) => done(void logged.push(String(chunk))) }),
  );
  const recurrence: Services['recurrence'] = createBoundedCalls(RECURRENCE_MODULE, 'expandRecurrence');
  const passwords = createPasswords();
  const checkAnswers = createCheckAnswers();
  const services = {
    ...{ db: pool, history: pool, recurrence, checkAnswers, passwords },
    ...{ publicUrl: null, meetingPoint: null, stylesheet: '' },
  };
  const app = createApp({ routes, services, log, stalledClientMs: STALLED_MS, authenticate: nobody });
  server = await listen(app, { host: '127.0.0.1', port: 0 });
  port = server.address.port;
});
afterAll(() => server.close());

function get(path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    httpRequest({ port, host: '127.0.0.1', path, agent: false }, resolve).on('error', reject).end();
  });
}

async function until(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!holds()) {
    if (Date.now() > deadline) throw new Error('it did not come about in time');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

it('tells a client nothing of an unexpected failure, and the log all of it, by the same request id', async () => {
  const answer = await get('/boom');
  expect([answer.statusCode, await text(answer)]).toEqual([
    ...[500, '{"error":{"code":"INTERNAL_ERROR","message":"Internal server error"}}'],
  ]);
  const lines = logged.filter((line) => line.includes(String(answer.headers['x-request-id'])));
  expect(lines.join()).toContain('secret at');
});

it('streams a body piece by piece', async () => {
  const answer = await get('/short');
  expect(answer.headers['content-length']).toBeUndefined();
  expect(await text(answer)).toBe(`{"data":[${' '.repeat(2 * 1024 * 1024)}]}`);
});

it('answers a failure before the first piece with its own status', async () => {
  const answer = await get('/fails-first');
  expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(await text(answer)).toContain('UNAVAILABLE');
});

it('cuts the connection where a stream fails after its headers, so that nothing looks complete', async () => {
  const answer = await get('/broken');
  expect(answer.statusCode).toBe(200);
  await expect(text(answer)).rejects.toThrow('aborted');
});

it('waits for a client that reads slowly, within bounded memory, and ends one that takes nothing', async () => {
  const before = { ended, produced };
  const socket = connect(port, '127.0.0.1').pause();
  socket.write('GET /endless HTTP/1.1\r\nHost: x\r\n\r\n');
  await until(() => produced > before.produced);
  await until(() => ended > before.ended);
  // What the system's own buffers hold, and not more.
  expect(produced - before.produced).toBeLessThan(20);
  socket.destroy();
});

it('ends the reading when its client leaves', async () => {
  const before = ended;
  const answer = await get('/endless');
  answer.once('data', () => answer.destroy());
  await until(() => ended > before);
});

it('does not begin to read for a HEAD', async () => {
  const before = produced;
  const socket = connect(port, '127.0.0.1');
  socket.end('HEAD /endless HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\n$/);
  expect(produced).toBe(before);
});

it('answers HTTP without a host, and with an expectation it does not know, as any other', async () => {
  const socket = connect(port, '127.0.0.1');
  socket.end('GET /nope HTTP/1.1\r\nExpect: wonders\r\nConnection: close\r\n\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 [^]*"No API route matches '\/nope'"/);
});

it('lets a request in flight end at a shutdown, and takes no other', async () => {
  const pending = get('/slow');
  await until(() => entered);
  const closed = server.close();
  await expect(get('/boom')).rejects.toThrow('ECONNREFUSED');
  release();
  expect(await text(await pending)).toBe('{"data":[]}');
  await closed;
});
