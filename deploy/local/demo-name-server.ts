import { createSocket } from 'node:dgram';
import { createServer, type Socket } from 'node:net';

/** The one name the demo asks for. `.test` is reserved: it exists nowhere else (RFC 6761 6.2). */
export const DEMO_NAME = 'demo.farwatch.test';

const HEADER_BYTES = 12;
const NOERROR = 0;
const FORMERR = 1;
const NXDOMAIN = 3;
const REFUSED = 5;

/** Record type (RFC 1035 3.2.2, RFC 3596) to its data. */
const RECORDS = new Map<number, Buffer>([
  [1, Buffer.from([127, 0, 0, 1])],
  [16, Buffer.concat([Buffer.from([8]), Buffer.from('farwatch')])],
  [28, Buffer.from('00000000000000000000000000000001', 'hex')],
]);

export interface NameServer {
  port: number;
  close(): Promise<void>;
}

/**
 * An authoritative name server below farwatch.test, on loopback, over UDP and TCP. Port 0: one that is free. `has` says
 * which names exist; all have the same records.
 */
export async function startNameServer(
  port: number,
  has: (name: string) => boolean = (name) => name === DEMO_NAME,
): Promise<NameServer> {
  const sockets = new Set<Socket>();
  const tcp = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    answerStream(socket, has);
  });
  await new Promise<void>((resolve, reject) => {
    tcp.once('error', reject);
    tcp.listen(port, '127.0.0.1', resolve);
  });
  const address = tcp.address();
  const chosen = address !== null && typeof address === 'object' ? address.port : port;
  const udp = createSocket('udp4');
  udp.on('message', (query, from) => {
    const answer = answerQuery(query, has);
    if (answer) udp.send(answer, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    udp.once('error', reject);
    udp.bind(chosen, '127.0.0.1', resolve);
  });
  return {
    port: chosen,
    async close() {
      for (const socket of sockets) socket.destroy();
      udp.close();
      await new Promise((resolve) => tcp.close(resolve));
    },
  };
}

/** The answer to one query (RFC 1035 4.1); null for what is no query. */
function answerQuery(query: Buffer, has: (name: string) => boolean): Buffer | null {
  if (query.length < HEADER_BYTES || (query.readUInt16BE(2) & 0x8000) !== 0) return null;
  const question = readQuestion(query);
  if (question === null) return header(query, { code: FORMERR, questions: 0, answers: 0 });
  const code = responseCode(question.name, has);
  const data = code === NOERROR ? RECORDS.get(question.type) : undefined;
  const answers = data ? [record(question.type, data)] : [];
  return Buffer.concat([header(query, { code, questions: 1, answers: answers.length }), question.bytes, ...answers]);
}

/** Of an authoritative answer; the query's id, opcode and "recursion desired" come back as they were. */
function header(query: Buffer, { code, questions, answers }: Record<'code' | 'questions' | 'answers', number>): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES);
  bytes.writeUInt16BE(query.readUInt16BE(0), 0);
  bytes.writeUInt16BE(0x8400 | (query.readUInt16BE(2) & 0x7900) | code, 2);
  bytes.writeUInt16BE(questions, 4);
  bytes.writeUInt16BE(answers, 6);
  return bytes;
}

function responseCode(name: string, has: (name: string) => boolean): number {
  if (has(name)) return NOERROR;
  return name.endsWith('.farwatch.test') ? NXDOMAIN : REFUSED;
}

function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  // The name, as a pointer to the question's.
  head.writeUInt16BE(0xc000 | HEADER_BYTES, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(5, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

function readQuestion(query: Buffer): { name: string; type: number; bytes: Buffer } | null {
  if (query.readUInt16BE(4) !== 1) return null;
  const labels: string[] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const length = query[at];
    if (length === undefined || length > 63) return null;
    at += 1;
    if (length === 0) break;
    labels.push(query.toString('latin1', at, at + length).toLowerCase());
    at += length;
  }
  if (at + 4 > query.length) return null;
  return { name: labels.join('.'), type: query.readUInt16BE(at), bytes: query.subarray(HEADER_BYTES, at + 4) };
}

/** Over TCP every message is preceded by its length (RFC 1035 4.2.2). */
function answerStream(socket: Socket, has: (name: string) => boolean): void {
  let pending = Buffer.alloc(0);
  socket.setTimeout(5000, () => socket.destroy());
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 2 && pending.length >= 2 + pending.readUInt16BE(0)) {
      const end = 2 + pending.readUInt16BE(0);
      const answer = answerQuery(pending.subarray(2, end), has);
      pending = pending.subarray(end);
      if (answer === null) return void socket.destroy();
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    }
  });
}
