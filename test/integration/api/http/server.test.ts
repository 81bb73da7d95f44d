import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import express from 'express';
import { afterEach, expect, it } from 'vitest';
import { readJsonObject } from '../../../../api/http/body.ts';
import { listen, type Patience, type RunningServer } from '../../../../api/http/server.ts';
import { eventually } from '../../../support/eventually.ts';

const IMPATIENT: Patience = { headersMs: 300, requestMs: 900, lookEveryMs: 50, stalledMs: 600 };

/** More than the system's own buffers hold. */
const LARGE = Buffer.alloc(32 * 1024 * 1024, ' ');

let server: RunningServer;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

/** Answers each request with its path, once its body is there. */
async function start(): Promise<{ begun: string[]; ended: string[] }> {
  const begun: string[] = [];
  const ended: string[] = [];
  const app = express();
  app.use(async (request, response) => {
    begun.push(request.url);
    const body = request.method === 'POST' ? await readJsonObject(request).catch((error: Error) => error.message) : '';
    ended.push(`${request.url} ${JSON.stringify(body)}`);
    if (request.url === '/large') response.once('close', () => ended.push('/large closed')).end(LARGE);
    else setTimeout(() => response.end(request.url), request.url === '/pondered' ? 3 * IMPATIENT.stalledMs : 0);
  });
  server = await listen(app, { host: '127.0.0.1', port: 0 }, IMPATIENT);
  return { begun, ended };
}

function open(): Socket {
  const socket = connect(server.address.port, '127.0.0.1');
  // What is cut off resets.
  socket.on('error', () => undefined);
  sockets.push(socket);
  return socket;
}

const whole = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;

it('answers 408 to headers that do not come, in the form of every failure', async () => {
  await start();
  const socket = open();
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n');
  const answer = await text(socket);
  expect(answer).toMatch(
    /^HTTP\/1\.1 408 Request Timeout\r\n[^]*{"error":{"code":"BAD_REQUEST","message":"Request Timeout"}}$/,
  );
});

it('is not held by headers that trickle', async () => {
  await start();
  const socket = open();
  socket.write('GET / HTTP/1.1\r\n');
  let sent = 0;
  const answer = text(socket);
  while (!socket.destroyed && !socket.readableEnded && sent < 2000) {
    socket.write(`A${(sent += 1)}: x\r\n`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(await answer.catch(() => 'cut')).toMatch(/^HTTP\/1\.1 408|^cut$|^$/);
  expect(sent).toBeLessThan(2000);
});

it('cuts a body that trickles, and the request ends', async () => {
  const { ended } = await start();
  const socket = open();
  socket.write('POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{');
  let sent = 0;
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.resume();
  while (!socket.destroyed && sent < 2000) {
    socket.write(' ');
    sent += 1;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await closed;
  expect(sent).toBeLessThan(2000);
  await eventually('the request to end', 10_000, () => ended.includes('/slow "The request was cut off"'));
});

it('answers others while hundreds of clients dawdle', async () => {
  await start();
  for (let client = 0; client < 300; client += 1) open().write('GET / HTTP/1.1\r\nHost:');
  const socket = open();
  socket.write(whole('/quick'));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\/quick$/);
});

it('answers what is sent ahead in its order', async () => {
  await start();
  const socket = open();
  const ahead = Array.from({ length: 20 }, (_, at) => `GET /${at} HTTP/1.1\r\nHost: x\r\n\r\n`).join('');
  socket.write(ahead + whole('/last'));
  const answers = await text(socket);
  expect(answers.match(/(?<=\r\n\r\n)\/(\d+|last)/g)).toEqual([
    ...Array.from({ length: 20 }, (_, at) => `/${at}`),
    '/last',
  ]);
});

it('ends a client that takes nothing of its answer, and none that reads slowly', async () => {
  const { ended } = await start();
  const slow = open();
  let taken = 0;
  slow.on('data', (bytes: Buffer) => {
    taken += bytes.length;
    slow.pause();
    setTimeout(() => slow.resume(), 5);
  });
  slow.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  const started = performance.now();
  await eventually('the slow one to have it', 30_000, () => ended.includes('/large closed'));
  await eventually('all of it', 30_000, () => taken > LARGE.length);
  expect(performance.now() - started).toBeGreaterThan(2 * IMPATIENT.stalledMs);
  ended.splice(0);
  const deaf = open().pause();
  deaf.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n');
  await eventually('the deaf one to be ended', 10_000, () => ended.includes('/large closed'));
});

it('waits for its own answer, however long that is made', async () => {
  await start();
  const socket = open();
  socket.write(whole('/pondered'));
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 [^]*\/pondered$/);
});

it('is done with an upload whose client left', async () => {
  const { begun, ended } = await start();
  const socket = open();
  socket.write('POST /left HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"a":');
  await eventually('the server to have it', 10_000, () => begun.includes('/left'));
  socket.destroy();
  await eventually('the request to end', 10_000, () => ended.includes('/left "The request was cut off"'));
});

it.each([
  ['headers that are too long', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'x'.repeat(40_000)}\r\n\r\n`, 431],
  ['a name with a space', 'GET / HTTP/1.1\r\nHo st: x\r\n\r\n', 400],
  ['two lengths', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400],
  ['a length and chunks', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n', 400],
  ['a method that is none', 'nonsense / HTTP/1.1\r\n\r\n', 400],
])('answers %s without a route, in the form of every failure', async (_, request, status) => {
  const { ended } = await start();
  const socket = open();
  socket.write(request);
  expect(await text(socket)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [^]*{"error":{"code":"BAD_REQUEST"`));
  expect(ended).toEqual([]);
});
