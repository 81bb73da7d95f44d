import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import type { AgentTls } from '../../proto/agent-client.ts';
import { COLLECTOR_NAME } from '../../proto/server-names.ts';

/** HTTP/2 (RFC 9113) as no library would speak it: frames by hand, in any order, over TLS. */

export const TYPE = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
} as const;
export const END_STREAM = 1;
export const END_HEADERS = 4;

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Fields as literals that enter no table (RFC 7541 6.2.2). */
export function fields(...pairs: [name: string, value: string][]): Buffer {
  return Buffer.concat(pairs.flatMap(([name, value]) => [Buffer.from([0]), literal(name), literal(value)]));
}

function literal(text: string): Buffer {
  const bytes = Buffer.from(text);
  if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const rest: number[] = [];
  let left = bytes.length - 127;
  for (; left >= 128; left = Math.floor(left / 128)) rest.push((left % 128) | 128);
  return Buffer.concat([Buffer.from([127, ...rest, left]), bytes]);
}

/** The head of a gRPC call. */
export function call(stream: number, path: string, flags = END_HEADERS, ...more: [string, string][]): Buffer {
  const head = fields(
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', COLLECTOR_NAME],
    ['content-type', 'application/grpc'],
    ['te', 'trailers'],
    ...more,
  );
  return frame(TYPE.headers, flags, stream, head);
}

/** A message with gRPC's prefix, whatever length that claims. */
export function message(bytes: Buffer, { compressed = 0, claims = bytes.length } = {}): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt8(compressed, 0);
  prefix.writeUInt32BE(claims, 1);
  return Buffer.concat([prefix, bytes]);
}

export interface RawHttp2 {
  socket: TLSSocket;
  write(...frames: Buffer[]): void;
  /** What the server has sent so far. */
  received: { type: number; flags: number; stream: number; payload: Buffer }[];
  /** Resolves when the connection has ended. */
  closed: Promise<void>;
}

/** Opens a connection and says nothing on it. */
export async function openTls(address: string, { authority, own }: AgentTls, more: object = {}): Promise<TLSSocket> {
  const [host = '', port] = address.split(':');
  const socket = connect({
    ...{ host, port: Number(port), servername: COLLECTOR_NAME, ca: authority, ALPNProtocols: ['h2'] },
    ...(own !== null && { cert: own.certificate, key: own.key }),
    ...more,
  });
  socket.on('error', () => socket.destroy());
  await once(socket, 'secureConnect');
  return socket;
}

/** Opens a connection and says what every client of HTTP/2 says first. */
export async function openRawHttp2(address: string, tls: AgentTls): Promise<RawHttp2> {
  const socket = await openTls(address, tls);
  const received: RawHttp2['received'] = [];
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes: Buffer) => {
    rest = Buffer.concat([rest, bytes]);
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const end = 9 + rest.readUIntBE(0, 3);
      const [type, flags, stream] = [rest.readUInt8(3), rest.readUInt8(4), rest.readUInt32BE(5)];
      received.push({ type, flags, stream, payload: rest.subarray(9, end) });
      rest = rest.subarray(end);
    }
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(frame(TYPE.settings, 0, 0));
  return { socket, write: (...frames) => void socket.write(Buffer.concat(frames)), received, closed };
}
