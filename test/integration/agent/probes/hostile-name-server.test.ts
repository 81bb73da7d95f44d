import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import type { Server, Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsTypeData, type RecordType } from '../../../../core/type-data.ts';
import { judgeDns } from '../../../../agent/evaluate.ts';
import { measureDns } from '../../../../agent/probes/dns.ts';
import { createOwnResolver } from '../../../../agent/probes/own-resolver.ts';
import { createResolve } from '../../../../agent/probes/resolve.ts';
import { data, readQuestion, writeReply, type DnsQuestion } from '../../../support/dns-packet.ts';
import { bindBoth } from '../../../support/dns-server.ts';

const never = new AbortController().signal;
const NAME = 'www.example.test';
const servers: { udp: UdpSocket; tcp: Server; open: Set<Socket> }[] = [];
afterEach(() => {
  for (const { udp, tcp, open } of servers.splice(0)) {
    udp.close();
    tcp.close();
    for (const socket of open) socket.destroy();
  }
});

/** What is sent for a question, packet by packet, over UDP; and what is done with a connection over TCP. */
interface Script {
  udp: (question: DnsQuestion) => Buffer[];
  tcp?: (socket: Socket, question: DnsQuestion) => void;
}

async function serve({ udp: packetsFor, tcp: talk = (socket) => socket.destroy() }: Script): Promise<string> {
  const { udp, tcp, port } = await bindBoth('127.0.0.1');
  const open = new Set<Socket>();
  servers.push({ udp, tcp, open });
  udp.on('message', (packet, from) => {
    for (const answer of packetsFor(readQuestion(packet))) udp.send(answer, from.port, from.address);
  });
  tcp.on('connection', (socket) => {
    open.add(socket);
    socket.on('error', () => socket.destroy());
    socket.once('data', (bytes: Buffer) => talk(socket, readQuestion(bytes.subarray(2))));
  });
  return `127.0.0.1:${port}`;
}

function ask(nameServer: string, type: RecordType = 'A', values = ['x']) {
  const config = dnsTypeData.parse({ host: NAME, lookupRecord: type, nameServer, values });
  const resolver = createOwnResolver({ servers: [] });
  const attempt = measureDns(
    config,
    { resolver, resolve: createResolve({ resolver, resolvConf: '/dev/null' }) },
    never,
  );
  return attempt.then((found) => ({ found, outcome: judgeDns(config, found) }));
}

const good = (question: DnsQuestion, address = '192.0.2.1'): Buffer =>
  writeReply(question, { records: [data.a(address)] }, false);

/** The good answer with some bytes changed. */
function changed(question: DnsQuestion, change: (answer: Buffer) => Buffer | void): Buffer {
  const answer = good(question);
  return change(answer) ?? answer;
}

/** Where the first record begins. */
const answerAt = ({ raw }: DnsQuestion): number => 12 + raw.length;

/** An answer with these bytes as its records, `count` of them. */
function records(question: DnsQuestion, count: number, bytes: Buffer): Buffer {
  const head = good(question).subarray(0, answerAt(question));
  head.writeUInt16BE(count, 6);
  return Buffer.concat([head, bytes]);
}

const u16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const rest = (type: number, length: number): Buffer =>
  Buffer.concat([u16(type), u16(1), Buffer.from([0, 0, 0, 60]), u16(length)]);
const prefixed = (bytes: Buffer): Buffer => Buffer.concat([u16(bytes.length), bytes]);

describe('an answer that is malformed', () => {
  it.each<[string, RecordType, (question: DnsQuestion) => Buffer]>([
    ['five bytes', 'A', () => Buffer.from([1, 2, 3, 4, 5])],
    ['nothing but a head', 'A', (question) => good(question).subarray(0, 12)],
    ['cut in its record', 'A', (question) => good(question).subarray(0, -2)],
    [
      'promising more records than there are',
      'A',
      (question) => changed(question, (answer) => void answer.writeUInt16BE(65_535, 6)),
    ],
    [
      'named by itself',
      'A',
      (question) =>
        records(question, 1, Buffer.concat([u16(0xc000 | answerAt(question)), rest(1, 4), data.a('192.0.2.1')])),
    ],
    [
      'named by two that name each other',
      'A',
      (question) =>
        records(
          question,
          1,
          Buffer.concat([
            u16(0xc000 | (answerAt(question) + 2)),
            u16(0xc000 | answerAt(question)),
            rest(1, 4),
            data.a('192.0.2.1'),
          ]),
        ),
    ],
    [
      'named by what is beyond its end',
      'A',
      (question) => records(question, 1, Buffer.concat([u16(0xffff), rest(1, 4), data.a('192.0.2.1')])),
    ],
    ['with a label longer than itself', 'A', (question) => records(question, 1, Buffer.from([63, 1, 2]))],
    [
      'with a label of no kind',
      'A',
      (question) => records(question, 1, Buffer.concat([Buffer.from([0x80, 1, 0]), rest(1, 4), data.a('192.0.2.1')])),
    ],
    [
      'with data longer than itself',
      'A',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(1, 60_000), data.a('192.0.2.1')])),
    ],
    [
      'with an address of three bytes',
      'A',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(1, 3), Buffer.from([1, 2, 3])])),
    ],
    [
      'with an address of five bytes',
      'AAAA',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(28, 5), Buffer.alloc(5)])),
    ],
    [
      'with a text longer than its record',
      'TXT',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(16, 2), Buffer.from([200, 65])])),
    ],
    [
      'with an alias to itself',
      'CNAME',
      (question) =>
        records(question, 1, Buffer.concat([u16(0xc00c), rest(5, 2), u16(0xc000 | (answerAt(question) + 12))])),
    ],
    [
      'with half a service',
      'SRV',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(33, 3), Buffer.from([0, 1, 0])])),
    ],
    [
      'with half an authority',
      'SOA',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(6, 2), Buffer.from([0, 0])])),
    ],
    ['with an empty policy', 'CAA', (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(257, 0)]))],
    [
      'with a pointer of no name',
      'NAPTR',
      (question) => records(question, 1, Buffer.concat([u16(0xc00c), rest(35, 5), Buffer.alloc(5, 255)])),
    ],
  ])('%s is DOWN at once, and said to be so', async (_, type, answerOf) => {
    const { found, outcome } = await ask(await serve({ udp: (question) => [answerOf(question)] }), type);
    expect(found).toMatchObject({
      code: expect.stringMatching(/^(badresp|nodata)$/) as string,
      values: [],
      problem: null,
    });
    expect(outcome.status).toBe('DOWN');
    expect(found.latency).toBeLessThan(2500);
  });

  it('in any way at all never breaks the probe', async () => {
    const random = fc.sample(
      fc.tuple(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat(5),
        fc.constantFrom<RecordType>('A', 'AAAA', 'MX', 'TXT', 'SRV', 'CAA', 'NAPTR', 'SOA', 'PTR'),
      ),
      { numRuns: 300, seed: 7 },
    );
    await Promise.all(
      random.map(async ([bytes, count, type]) => {
        const server = await serve({ udp: (question) => [records(question, count, Buffer.from(bytes))] });
        const { found } = await ask(server, type);
        expect(found.problem).toBeNull();
        expect(['badresp', 'nodata', 'answer']).toContain(found.code);
      }),
    );
  });
});

describe('an answer that is not to the question', () => {
  it.each<[string, (question: DnsQuestion) => Buffer]>([
    ['with another id', (question) => good({ ...question, id: question.id ^ 1 }, '192.0.2.66')],
    [
      'to another question',
      (question) =>
        good(
          { ...question, raw: Buffer.concat([data.name('other.example.test'), question.raw.subarray(-4)]) },
          '192.0.2.66',
        ),
    ],
    [
      'of another type',
      (question) =>
        good({ ...question, raw: Buffer.concat([question.raw.subarray(0, -4), u16(28), u16(1)]) }, '192.0.2.66'),
    ],
    ['of no bytes', () => Buffer.alloc(0)],
  ])('%s is passed over, and the true one counts', async (_, forged) => {
    const server = await serve({ udp: (question) => [forged(question), forged(question), good(question)] });
    expect((await ask(server)).found).toMatchObject({ code: 'answer', values: ['192.0.2.1'] });
  });

  it('from somebody else is passed over, and is silence where nothing else comes', async () => {
    const stranger = createSocket('udp4');
    stranger.bind(0, '127.0.0.1');
    await once(stranger, 'listening');
    const { udp, tcp, port } = await bindBoth('127.0.0.1');
    servers.push({ udp, tcp, open: new Set() });
    udp.on('message', (packet, from) =>
      stranger.send(good(readQuestion(packet), '192.0.2.66'), from.port, from.address),
    );
    const { found, outcome } = await ask(`127.0.0.1:${port}`);
    stranger.close();
    expect(found).toMatchObject({ code: 'timeout', values: [] });
    expect(outcome.status).toBe('DOWN');
  });
});

describe('a name server without measure', () => {
  const cut = (question: DnsQuestion): Buffer[] => [writeReply(question, { truncated: true }, false)];
  const many = (question: DnsQuestion, count: number): Buffer =>
    writeReply(
      question,
      { records: Array.from({ length: count }, (_, index) => data.a(`10.0.${index >> 8}.${index & 255}`)) },
      true,
    );

  it('may answer with thousands of records', async () => {
    const server = await serve({ udp: cut, tcp: (socket, question) => socket.write(prefixed(many(question, 4000))) });
    const { found, outcome } = await ask(server, 'A', ['10.0.15.159']);
    expect(found.values).toHaveLength(4000);
    expect(outcome.status).toBe('UP');
    const other = await ask(server, 'A', ['192.0.2.1']);
    expect(other.outcome.error?.length).toBeLessThanOrEqual(500);
  });

  it.each<[string, Script]>([
    ['says that its answer was cut, and then nothing', { udp: cut, tcp: () => undefined }],
    ['says that its answer was cut, and hangs up', { udp: cut }],
    [
      'says so of the answer over TCP too',
      { udp: cut, tcp: (socket, question) => socket.write(prefixed(writeReply(question, { truncated: true }, false))) },
    ],
    [
      'promises an answer and stops',
      { udp: cut, tcp: (socket, question) => socket.write(prefixed(many(question, 4000)).subarray(0, 50)) },
    ],
    ['sends an answer of nothing', { udp: cut, tcp: (socket) => socket.write(Buffer.alloc(2)) }],
    ['sends without end', { udp: cut, tcp: (socket) => flood(socket) }],
    [
      'answers a thousand times',
      {
        udp: (question) =>
          Array.from({ length: 1000 }, () =>
            Buffer.concat([good({ ...question, id: question.id ^ 1 }), Buffer.alloc(1000)]),
          ),
      },
    ],
  ])('that %s is judged by its deadline at the latest, and fills no memory', async (_, script) => {
    const before = process.memoryUsage().rss;
    const { found } = await ask(await serve(script));
    expect(found.problem).toBeNull();
    expect(found.values).toEqual([]);
    expect(found.latency).toBeLessThan(3500);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 << 20);
  });
});

/** As fast as it is taken, until the other side has enough. */
function flood(socket: Socket): void {
  const chunk = Buffer.alloc(1 << 20, 0xff);
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk));
  };
  socket.on('drain', more);
  more();
}
