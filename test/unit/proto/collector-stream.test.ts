import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MAX_MESSAGE_BYTES } from '../../../proto/messages.ts';
import { collectorService, enrolmentService } from '../../../proto/wire.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { openWitness, startEchoCollector, type EchoCollector, type Witness } from '../../support/echo-collector.ts';
import { eventually } from '../../support/eventually.ts';
import {
  call,
  END_HEADERS,
  END_STREAM,
  fields,
  frame,
  message,
  openRawHttp2,
  TYPE,
  type RawHttp2,
} from '../../support/raw-http2.ts';
import { testAgentTls, testAuthority } from '../../support/test-identity.ts';

const LIMIT_MS = 20_000;
const STREAM = '/farwatch.v1.Collector/Stream';
const ACKNOWLEDGED = 1;
const { requestSerialize } = collectorService().Stream;
const STATUS = requestSerialize({ body: 'status', status: agentStatus({ definitions: 4711 }) });

let collector: EchoCollector;
let witness: Witness;
const open: RawHttp2[] = [];

beforeEach(async () => {
  collector = await startEchoCollector();
  witness = await openWitness(collector.address);
});
afterEach(async () => {
  for (const { socket } of open.splice(0)) socket.destroy();
  await witness.close();
  await collector.close();
  expect(collector.faults).toEqual([]);
});

async function attack(tls = testAgentTls): Promise<RawHttp2> {
  const peer = await openRawHttp2(collector.address, tls);
  open.push(peer);
  return peer;
}

const times = (count: number, frameOf: (index: number) => Buffer): Buffer[] =>
  Array.from({ length: count }, (_, index) => frameOf(index));
const oddId = (index: number): number => 2 * index + 1;
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};

/** The trailers are in a table of their own after a while: the digits of the status are not, the text of it is found. */
const saysOf = ({ received }: RawHttp2): string =>
  received
    .filter(({ type }) => type === TYPE.headers)
    .map(({ payload }) => payload.toString('latin1'))
    .join();

describe('a peer that floods', () => {
  it.each<[string, () => Buffer[]]>([
    [
      'with calls that it takes back at once',
      () =>
        times(5000, (index) => Buffer.concat([call(oddId(index), STREAM), frame(TYPE.reset, 0, oddId(index), u32(8))])),
    ],
    ['with pings', () => times(20_000, () => frame(TYPE.ping, 0, 0, Buffer.alloc(8)))],
    ['with settings', () => times(20_000, () => frame(TYPE.settings, 0, 0))],
    [
      'with a head that has no end',
      () => [
        call(1, STREAM, 0),
        ...times(200, () => frame(TYPE.continuation, 0, 1, fields(['x', 'y'.repeat(16_000)]))),
      ],
    ],
    ['with empty frames', () => [call(1, STREAM), ...times(50_000, () => frame(TYPE.data, 0, 1))]],
    ['with priorities', () => times(50_000, (index) => frame(TYPE.priority, 0, oddId(index), Buffer.alloc(5)))],
    ['with frames of no known type', () => times(20_000, () => frame(200, 0, 0, Buffer.alloc(100)))],
  ])('%s harms nobody else', async (_, framesOf) => {
    const before = process.memoryUsage().rss;
    const peer = await attack();
    for (const bytes of framesOf()) if (!peer.socket.destroyed) peer.socket.write(bytes);
    let isSent = false;
    peer.socket.write('', () => (isSent = true));
    await eventually('the end of it', LIMIT_MS, () => isSent || isGone(peer));
    await witness.isServed();
    await (await openWitness(collector.address)).close();
    expect(process.memoryUsage().rss - before).toBeLessThan(256 << 20);
  });
});

describe('a peer that breaks the rules of HTTP/2', () => {
  it.each<[string, Buffer[]]>([
    [
      'a frame longer than was agreed',
      [Buffer.concat([Buffer.from('ffffff000000000001', 'hex'), Buffer.alloc(20_000)])],
    ],
    ['data of a stream that was never opened', [frame(TYPE.data, 0, 5, Buffer.alloc(10))]],
    ['a head on the connection itself', [frame(TYPE.headers, END_HEADERS, 0, fields(['a', 'b']))]],
    ['a head on a stream of the server', [call(2, STREAM)]],
    ['a head that nobody can unpack', [frame(TYPE.headers, END_HEADERS, 1, Buffer.alloc(50, 0xff))]],
    ['a promise', [call(1, STREAM), frame(TYPE.push, END_HEADERS, 1, Buffer.concat([u32(2), fields(['a', 'b'])]))]],
    ['a window without bounds', times(3, () => frame(TYPE.window, 0, 0, u32(0x7fffffff)))],
    ['a window of nothing', [frame(TYPE.window, 0, 0, u32(0))]],
    ['settings of a stream', [frame(TYPE.settings, 0, 1)]],
    ['a ping of three bytes', [frame(TYPE.ping, 0, 0, Buffer.alloc(3))]],
    ['the end of a head that never began', [frame(TYPE.continuation, END_HEADERS, 1, fields(['a', 'b']))]],
  ])('by %s is told to go, and nobody else is', async (_, frames) => {
    const peer = await attack();
    peer.write(...frames);
    await eventually('the end', LIMIT_MS, () => isGone(peer));
    await witness.isServed();
  });

  it.each<[string, [string, string][]]>([
    ['for something that is not there', [[':path', '/farwatch.v1.Nothing/Stream']]],
    [
      'that is not gRPC',
      [
        [':path', STREAM],
        ['content-type', 'text/html'],
      ],
    ],
    [
      'with a deadline that is none',
      [
        [':path', STREAM],
        ['grpc-timeout', 'tomorrow'],
      ],
    ],
    [
      'with two paths',
      [
        [':path', STREAM],
        [':path', '/'],
      ],
    ],
    [
      'with binary metadata that is none',
      [
        [':path', STREAM],
        ['x-bin', '%%%'],
      ],
    ],
  ])('with a call %s is refused, also where the call is taken back behind it', async (_, pairs) => {
    const head = (stream: number): Buffer => {
      const rest: [string, string][] = pairs.some(([name]) => name === 'content-type')
        ? []
        : [['content-type', 'application/grpc']];
      return frame(
        TYPE.headers,
        END_HEADERS,
        stream,
        fields([':method', 'POST'], [':scheme', 'http'], ...pairs, ...rest),
      );
    };
    for (const tls of [testAgentTls, { authority: testAuthority.certificate, own: null }]) {
      const peer = await attack(tls);
      peer.write(head(1));
      await eventually(
        'an answer',
        LIMIT_MS,
        () => peer.socket.destroyed || peer.received.some(({ stream }) => stream === 1),
      );
      const second = await attack(tls);
      second.write(
        ...times(20, (index) => Buffer.concat([head(oddId(index)), frame(TYPE.reset, 0, oddId(index), u32(8))])),
      );
      second.write(frame(TYPE.ping, 0, 0, Buffer.alloc(8)));
      await eventually(
        'an answer to the ping',
        LIMIT_MS,
        () => second.socket.destroyed || second.received.some(({ type }) => type === TYPE.ping),
      );
    }
    await witness.isServed();
  });

  it('by more streams than were agreed is told to go', async () => {
    const peer = await attack();
    await eventually('the settings', LIMIT_MS, () => peer.received.some(({ type }) => type === TYPE.settings));
    peer.write(frame(TYPE.settings, ACKNOWLEDGED, 0));
    peer.write(...times(10, (index) => call(oddId(index), STREAM)));
    await eventually('the end', LIMIT_MS, () => isGone(peer));
    await witness.isServed();
  });

  it('and does not go is cut off with the next pings', async () => {
    const peers = await Promise.all([attack(), attack()]);
    peers[0]?.write(frame(TYPE.ping, 0, 0, Buffer.alloc(3)));
    // The other one has done nothing wrong but answer no pings.
    for (const peer of peers) await peer.closed;
    await witness.isServed();
  }, 60_000);
});

/** It was told to go, or is gone. */
const isGone = ({ socket, received }: RawHttp2): boolean =>
  socket.destroyed || received.some(({ type }) => type === TYPE.goaway);

describe('a message', () => {
  const gzip = (bytes: number): Buffer => gzipSync(Buffer.alloc(bytes));
  const BOMB = 64 << 20;

  it.each<[string, string, Buffer, string]>([
    ['that claims four gigabytes', 'identity', message(STATUS, { claims: 0xffff_ffff }), 'RESOURCE_EXHAUSTED'],
    ['that is longer than may be', 'identity', message(Buffer.alloc(MAX_MESSAGE_BYTES + 1)), 'RESOURCE_EXHAUSTED'],
    ['that unpacks to too much', 'gzip', message(gzip(BOMB), { compressed: 1 }), 'RESOURCE_EXHAUSTED'],
    [
      'that inflates to too much',
      'deflate',
      message(deflateSync(Buffer.alloc(BOMB)), { compressed: 1 }),
      'RESOURCE_EXHAUSTED',
    ],
    ['that is packed without saying how', 'identity', message(gzip(10), { compressed: 1 }), 'INTERNAL'],
    ['that is packed in no known way', 'br', message(gzip(10), { compressed: 1 }), 'UNIMPLEMENTED'],
    ['that cannot be unpacked', 'gzip', message(Buffer.alloc(50, 7), { compressed: 1 }), 'INTERNAL'],
    ['that is packed and cut short', 'gzip', message(gzip(1 << 20).subarray(0, 100), { compressed: 1 }), 'INTERNAL'],
    ['whose last number has no end', 'identity', message(Buffer.from([0x08, 0xff])), 'INTERNAL'],
    ['of groups in groups without end', 'identity', message(Buffer.alloc(1 << 20, 0x0b)), 'INTERNAL'],
    ['of random bytes', 'identity', message(Buffer.from('ffffff0102feedbeef', 'hex')), 'INTERNAL'],
    ['that is longer than itself within', 'identity', message(Buffer.from('0affffffff0f', 'hex')), 'INTERNAL'],
  ])('%s ends its stream with a reason that is counted, and no other', async (_, encoding, bytes, code) => {
    const peer = await attack();
    peer.write(call(1, STREAM, END_HEADERS, ['grpc-encoding', encoding]));
    await send(peer, bytes);
    await eventually(
      `the refusal, there was ${collector.refusals.join()}`,
      LIMIT_MS,
      () => collector.refusals.length > 0,
    );
    expect(collector.refusals).toEqual([code]);
    await eventually('the trailers', LIMIT_MS, () =>
      peer.received.some(({ type, flags }) => type === TYPE.headers && (flags & END_STREAM) !== 0),
    );
    expect(saysOf(peer)).not.toMatch(/node_modules|\.js:\d|Error:/);
    await witness.isServed();
  });

  it('that unpacks to too much leaves memory as it was, however many come', async () => {
    const bomb = message(gzip(BOMB), { compressed: 1 });
    const before = process.memoryUsage().rss;
    const peers = await Promise.all(Array.from({ length: 8 }, () => attack()));
    for (const peer of peers) {
      peer.write(call(1, STREAM, END_HEADERS, ['grpc-encoding', 'gzip']));
      await send(peer, Buffer.concat([bomb, bomb]));
    }
    await eventually('the refusals', LIMIT_MS, () => collector.refusals.length >= 8);
    expect(process.memoryUsage().rss - before).toBeLessThan((8 * BOMB) / 2);
  });

  it('of a stranger is read only as long as an enrolment can be', async () => {
    const { requestSerialize: write } = enrolmentService().Enrol;
    const peer = await attack({ authority: testAuthority.certificate, own: null });
    peer.write(call(1, '/farwatch.v1.Enrolment/Enrol'));
    await send(peer, message(write({ secret: 'x'.repeat(20_000), certificateRequest: '', natsUser: '' })));
    await eventually('the refusal', LIMIT_MS, () => collector.refusals.includes('RESOURCE_EXHAUSTED'));
  });

  it('that comes byte by byte is read when it is whole', async () => {
    const peer = await attack();
    peer.write(call(1, STREAM));
    const bytes = message(STATUS);
    for (const byte of bytes) peer.write(frame(TYPE.data, 0, 1, Buffer.from([byte])));
    await eventually('the echo', LIMIT_MS, () =>
      peer.received.some(({ type, payload }) => type === TYPE.data && payload.includes('4711')),
    );
  });
});

/** In frames as long as was agreed, no more than the other side takes. */
async function send(peer: RawHttp2, bytes: Buffer): Promise<void> {
  let granted = 65_535;
  let seen = 0;
  const grant = (): void => {
    for (const { type, stream, payload } of peer.received.slice(seen))
      if (type === TYPE.window && stream === 1) granted += payload.readUInt32BE(0);
    seen = peer.received.length;
  };
  for (let at = 0; at < bytes.length;) {
    grant();
    const part = bytes.subarray(at, at + Math.min(16_384, granted));
    if (part.length === 0) {
      if (peer.socket.destroyed || peer.received.some(({ type, stream }) => type === TYPE.headers && stream === 1))
        return;
      await new Promise((resolve) => setTimeout(resolve, 1));
      continue;
    }
    peer.write(frame(TYPE.data, 0, 1, part));
    granted -= part.length;
    at += part.length;
  }
}
