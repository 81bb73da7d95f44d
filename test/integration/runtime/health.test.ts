import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { serveHealth, type HealthServer } from '../../../runtime/health.ts';
import { createMetrics } from '../../../runtime/metrics.ts';

let health: HealthServer;
beforeAll(async () => {
  health = await serveHealth({ host: '127.0.0.1', port: 0 }, async () => ({ database: null }), createMetrics());
});
afterAll(() => health.close());

const urlOf = (path: string): string => `http://127.0.0.1:${health.address.port}${path}`;

/** Sends bytes on a connection of its own and gives what came until it ended. */
function talk(...parts: string[]): Promise<string> {
  const socket = connect(health.address.port, '127.0.0.1');
  let heard = '';
  socket.on('data', (bytes) => (heard += bytes.toString('latin1')));
  socket.on('error', () => undefined);
  for (const part of parts) socket.write(part);
  return new Promise((resolve) => socket.once('close', () => resolve(heard)));
}

const answers = (heard: string): string[] =>
  [...heard.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status = '']) => status);

describe('the listener for health and figures', () => {
  it('answers GET and HEAD, and says to any other method which it takes', async () => {
    expect(await (await fetch(urlOf('/healthz'))).json()).toEqual({ status: 'ok', parts: { database: null } });
    expect((await fetch(urlOf('/metrics'), { method: 'HEAD' })).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'PROPFIND']) {
      const answer = await fetch(urlOf('/metrics'), { method, body: method === 'OPTIONS' ? undefined : 'x' });
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
    }
  });

  it.each<[string, string]>([
    ['two lengths', 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 30\r\n\r\n'],
    [
      'a length and a transfer coding',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
    ],
    [
      'a transfer coding that nobody knows',
      'GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n',
    ],
    ['a length that is none', 'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\n'],
    ['a chunk without a length', 'GET /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
    ['a field that goes on in the next line', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX: a\r\n b\x00\r\n\r\n'],
    ['a space before the colon', 'GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n'],
    ['a line that ends in the middle', 'GET /healthz HTTP/1.1\rHost: x\r\n\r\n'],
    ['no host', 'GET /healthz HTTP/1.1\r\n\r\n'],
    ['no method of the list', 'SMUGGLE /healthz HTTP/1.1\r\nHost: x\r\n\r\n'],
    ['another protocol', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['fields without end', `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X: yyyyyyyyyyyyyyyy\r\n'.repeat(1000)}\r\n`],
    ['a path without end', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['zeros', '\0'.repeat(1000)],
  ])('refuses a request with %s, reads nothing behind it, and hangs up', async (_, request) => {
    const heard = await talk(request);
    expect(answers(heard)).toEqual([expect.stringMatching(/^4\d\d$/)]);
    expect(heard).not.toMatch(/node:|\.[jt]s:\d|Error/);
  });

  it('lets nobody stay who does not say what he wants', async () => {
    const begun = performance.now();
    const slow = ['', 'GET /heal', 'GET /healthz HTTP/1.1\r\nHost: x\r\nX: '].map((head) => talk(head));
    const body = talk('POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx');
    await Promise.all([...slow, body]);
    expect(performance.now() - begun).toBeLessThan(20_000);
  });

  it('has a bounded number of connections, and answers again when they are gone', async () => {
    const sockets: Socket[] = [];
    for (let number = 0; number < 150; number += 1)
      sockets.push(connect(health.address.port, '127.0.0.1').on('error', () => undefined));
    const closed = (): number => sockets.filter(({ destroyed }) => destroyed).length;
    for (const end = Date.now() + 20_000; closed() < 50 && Date.now() < end;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(closed()).toBeGreaterThanOrEqual(50);
    for (const socket of sockets) socket.destroy();
    for (const end = Date.now() + 20_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 20))) {
      const answer = await fetch(urlOf('/healthz')).catch(() => null);
      if (answer?.status === 200) return;
    }
    throw new Error('no answer any more');
  });
});
