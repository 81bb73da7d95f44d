import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { enrol } from '../../../proto/enrolment.ts';
import { createAuthority, openAuthority } from '../../../identity/certificates.ts';
import { openWitness, startEchoCollector, type EchoCollector, type Witness } from '../../support/echo-collector.ts';
import { eventually } from '../../support/eventually.ts';
import { openTls } from '../../support/raw-http2.ts';
import { issueAgentTls, testAgentTls, testAuthority } from '../../support/test-identity.ts';

const LIMIT_MS = 20_000;
let collector: EchoCollector;
let witness: Witness;
let sockets: Socket[];

beforeEach(async () => {
  collector = await startEchoCollector();
  witness = await openWitness(collector.address);
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await witness.close();
  await collector.close();
  expect(collector.faults).toEqual([]);
});

const port = (): number => Number(collector.address.split(':')[1]);

async function openTcp(): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const count = (why: string): number => collector.refusals.filter((one) => one === why).length;
const open = (): number => sockets.filter(({ destroyed }) => !destroyed).length;

describe('what does not begin with TLS 1.3', () => {
  it.each<[string, Buffer]>([
    ['plain HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['plain HTTP/2', Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')],
    ['zeros', Buffer.alloc(1000)],
    ['a record longer than there can be', Buffer.from('160301ffff01', 'hex')],
    ['an alert', Buffer.from('15030100020228', 'hex')],
    ['data before any handshake', Buffer.from('170303000401020304', 'hex')],
    ['much of nothing', Buffer.alloc(1 << 20, 0xff)],
  ])('is ended where it is %s, and counted', async (_, bytes) => {
    const socket = await openTcp();
    const ended = new Promise((resolve) => socket.once('close', resolve));
    socket.resume().write(bytes);
    await ended;
    await eventually('the count', LIMIT_MS, () => count('handshake') === 1);
    await witness.isServed();
  });

  it('is ended where it is TLS 1.2, and counted', async () => {
    const socket = connectTls({ port: port(), maxVersion: 'TLSv1.2', rejectUnauthorized: false });
    expect(await once(socket, 'error')).toMatchObject([{ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' }]);
    await eventually('the count', LIMIT_MS, () => count('handshake') === 1);
  });
});

it('a certificate of another authority ends the connection, and is counted', async () => {
  const other = await openAuthority(await createAuthority());
  const { tls } = await issueAgentTls(1, 60_000, other);
  const socket = await openTls(collector.address, tls);
  socket.resume();
  await once(socket, 'close');
  expect(count('certificate')).toBe(1);
  await witness.isServed();
});

describe('a crowd', () => {
  it('of connections that say nothing is bounded, and shuts out nobody', async () => {
    for (let number = 0; number < 400; number += 1) (await openTcp()).resume();
    await eventually('the oldest to be ended', LIMIT_MS, () => open() <= 256);
    expect(open()).toBeGreaterThan(200);
    expect(count('crowded')).toBeGreaterThanOrEqual(144);
    await (await openWitness(collector.address)).close();
    await witness.isServed();
  });

  it('of strangers is bounded, and the invited get through', async () => {
    const stranger = { authority: testAuthority.certificate, own: null };
    for (let number = 0; number < 80; number += 1) {
      const socket = await openTls(collector.address, stranger);
      sockets.push(socket.resume());
    }
    await eventually('the oldest to be ended', LIMIT_MS, () => open() <= 64);
    const request = { secret: '', certificateRequest: '', natsUser: '' };
    await expect(enrol(collector.address, testAuthority.certificate, request)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    await witness.isServed();
  });

  it('of connections of one agent is bounded, and costs only its own', async () => {
    for (let number = 0; number < 30; number += 1) {
      const socket = await openTls(collector.address, testAgentTls);
      sockets.push(socket.resume());
    }
    await eventually('the oldest to be ended', LIMIT_MS, () => open() <= 8);
    expect(sockets.slice(-8).every(({ destroyed }) => !destroyed)).toBe(true);
    expect(count('crowded')).toBe(22);
    await witness.isServed();
  });
});
