import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createStartQueue } from '../../../../agent/probes/start-queue.ts';
import type { Resolve } from '../../../../agent/probes/target.ts';
import { measureTcp } from '../../../../agent/probes/tcp.ts';
import { eventually } from '../../../support/eventually.ts';

const never = new AbortController().signal;
const literal: Resolve = async ({ host }) => ({ kind: 'address', address: host, family: 4 });
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

it.each<[string, (socket: Socket) => void]>([
  ['that sends gigabytes', flood],
  ['that sends nothing', () => undefined],
  ['that sends garbage', (socket) => socket.write(Buffer.alloc(10_000, 0xff))],
  ['that ends at once', (socket) => socket.end()],
  ['that resets at once', (socket) => socket.resetAndDestroy()],
  ['that ends only its own side', (socket) => socket.end('x')],
])('a target %s has answered, costs nothing more, and leaves nothing behind', async (_, talk) => {
  const accepted: Socket[] = [];
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket.on('error', () => socket.destroy()));
    talk(socket);
  }).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const hosts = Array.from({ length: 50 }, () => ({ type: 'IP4' as const, host: '127.0.0.1', port, timeout: 2000 }));
  const before = process.memoryUsage().rss;
  const attempts = await measureTcp({ hosts }, { resolve: literal, starts: createStartQueue() }, never);
  // A reset may be here before anyone has looked: it is the target's answer too.
  for (const { code, problem } of attempts)
    expect([code, problem]).toEqual([expect.stringMatching(/^(open|reset)$/), null]);
  await eventually(
    'the end of all connections',
    20_000,
    () => accepted.length === 50 && accepted.every((one) => one.destroyed || endsSoon(one)),
  );
  for (const socket of accepted) expect(socket.bytesWritten).toBeLessThan(8 << 20);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
});

/** Who does not write hears of a reset only when it reads. */
function endsSoon(socket: Socket): boolean {
  socket.resume();
  return socket.destroyed;
}

function flood(socket: Socket): void {
  const chunk = Buffer.alloc(1 << 16, 0xff);
  const more = (): void => {
    while (!socket.destroyed && socket.bytesWritten < 2 ** 30 && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}
