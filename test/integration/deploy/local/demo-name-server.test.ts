import { Resolver } from 'node:dns/promises';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_NAME, startNameServer, type NameServer } from '../../../../deploy/local/demo-name-server.ts';

let server: NameServer;
const resolver = new Resolver({ timeout: 2000, tries: 1 });

beforeAll(async () => {
  server = await startNameServer(0);
  resolver.setServers([`127.0.0.1:${server.port}`]);
});
afterAll(() => server.close());

test('the demo name has an address of each family and a text, however it is spelt', async () => {
  expect(await resolver.resolve4(DEMO_NAME)).toEqual(['127.0.0.1']);
  expect(await resolver.resolve6(DEMO_NAME.toUpperCase())).toEqual(['::1']);
  expect(await resolver.resolveTxt(DEMO_NAME)).toEqual([['farwatch']]);
});

test.each([
  ['a name of the zone that is not there', 'other.farwatch.test', 'ENOTFOUND'],
  ['a name of another zone', 'farwatch.example', 'EREFUSED'],
])('%s is told apart', async (_what, name, code) => {
  await expect(resolver.resolve4(name)).rejects.toMatchObject({ code });
});

test('a type that the name does not have is no data', async () => {
  await expect(resolver.resolveMx(DEMO_NAME)).rejects.toMatchObject({ code: 'ENODATA' });
});

test('a query over TCP is answered, also when it comes byte by byte', async () => {
  const query = Buffer.from(`1234010000010000000000000464656d6f086661727761746368047465737400${'00010001'}`, 'hex');
  const answer = await new Promise<Buffer>((resolve, reject) => {
    const socket = connect(server.port, '127.0.0.1');
    socket.setNoDelay(true);
    socket.once('error', reject);
    socket.once('data', (chunk) => {
      socket.destroy();
      resolve(chunk);
    });
    for (const byte of Buffer.concat([Buffer.from([0, query.length]), query])) socket.write(Buffer.from([byte]));
  });
  expect(answer.readUInt16BE(0)).toBe(answer.length - 2);
  expect(answer.subarray(2, 4).toString('hex')).toBe('1234');
  expect([...answer.subarray(-4)]).toEqual([127, 0, 0, 1]);
});

test.each(['', '00', 'ff'.repeat(12), `00000100000100000000${'0000'}3f41`, '000081000001000000000000'])(
  'the bytes %s do no harm',
  async (bytes) => {
    const socket = connect(server.port, '127.0.0.1');
    const body = Buffer.from(bytes, 'hex');
    socket.on('error', () => socket.destroy());
    socket.end(Buffer.concat([Buffer.from([0, body.length]), body]));
    await new Promise((resolve) => socket.resume().once('close', resolve));
    expect(await resolver.resolve4(DEMO_NAME)).toEqual(['127.0.0.1']);
  },
);
