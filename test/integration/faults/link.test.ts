import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { openLink, type Link } from '../../faults/link.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A server that says its name, then everything it hears. */
async function echo(name: string): Promise<{ port: number; server: Server }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.write(name);
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => server.close());
  // A server that listens on TCP has an address of that form.
  return { port: (server.address() as AddressInfo).port, server };
}

async function link(...ports: number[]): Promise<Link> {
  const opened = await openLink(0, ports);
  closers.push(() => opened.close());
  return opened;
}

function visit({ address }: Link): { socket: Socket; heard: () => string; closed: Promise<void> } {
  let heard = '';
  const socket = connect(Number(address.split(':')[1]), '127.0.0.1').on('error', () => socket.destroy());
  socket.on('data', (bytes: Buffer) => (heard += bytes.toString()));
  closers.push(() => socket.destroy());
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  return { socket, heard: () => heard, closed };
}

test('an open link takes both directions to the first that accepts, and tells of ends', async () => {
  const [first, second] = [await echo('a'), await echo('b')];
  const way = await link(first.port, second.port);
  const one = visit(way);
  one.socket.end('!');
  await one.closed;
  expect(one.heard()).toBe('a!');
  first.server.close();
  const other = visit(way);
  await expect.poll(other.heard).toBe('b');
});

test('a cut link ends what is open and what comes', async () => {
  const way = await link((await echo('a')).port);
  const before = visit(way);
  await expect.poll(before.heard).toBe('a');
  way.set({ mode: 'cut' });
  await before.closed;
  const during = visit(way);
  await during.closed;
  expect(during.heard()).toBe('');
  way.set({ mode: 'open' });
  await expect.poll(visit(way).heard).toBe('a');
});

test('a black hole lets nothing through and tells nobody, and gives it all when it opens', async () => {
  const way = await link((await echo('a')).port);
  const before = visit(way);
  await expect.poll(before.heard).toBe('a');
  way.set({ mode: 'blackhole' });
  before.socket.write('!');
  const during = visit(way);
  await wait(200);
  expect([before.heard(), during.heard(), during.socket.destroyed]).toEqual(['a', '', false]);
  way.set({ mode: 'open' });
  await expect.poll(before.heard).toBe('a!');
  await expect.poll(during.heard).toBe('a');
});

test.for([
  { name: 'delay', state: { mode: 'delay', ms: 300 } },
  { name: 'throttle', state: { mode: 'throttle', bytesPerSecond: 10 } },
] as const)('a link with $name takes its time', async ({ state }) => {
  const way = await link((await echo('abc')).port);
  way.set(state);
  const beganMs = Date.now();
  const slow = visit(way);
  await expect.poll(slow.heard).toBe('abc');
  expect(Date.now() - beganMs).toBeGreaterThanOrEqual(290);
});
