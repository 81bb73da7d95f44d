import { networkInterfaces } from 'node:os';
import { BlockList } from 'node:net';
import raw from 'raw-socket';
import type { Family } from './address.ts';
import { errnoOf } from './errno.ts';
import { WANTED_TYPES } from './packet.ts';

/** The only impure part: one raw ICMP socket (Linux), with all of its traps inside. */
export interface IcmpSocket {
  /** Sends the first `length` bytes now; throws what the kernel says. */
  send(packet: Buffer, length: number, address: string): void;
  /** Hands waiting packets to the listener, while there are any and `more` says so. */
  drain(more: () => boolean): void;
  close(): void;
}

export interface SocketListener {
  /** One packet. `buffer` is used again for the next one: take what is needed before returning. */
  packet(buffer: Buffer, length: number, source: string): void;
  /** Something is waiting, and this is said again until `drain` has taken all of it. */
  readable(): void;
}

/** Opens a socket for a family; throws what the kernel says (EPERM without CAP_NET_RAW). */
export type OpenSocket = (family: Family, listener: SocketListener) => IcmpSocket;

const PROTOCOL = { 4: 1, 6: 58 } as const;
const ADDRESS_FAMILY = { 4: 1, 6: 2 } as const;
/** Room for an error with everything it quotes (RFC 1812: 576 bytes, RFC 4443: 1,280). */
const RECEIVE_BYTES = 2048;

const SOL_SOCKET = 1;
const SO_SNDBUF = 7;
const SO_RCVBUF = 8;
const SO_SNDBUFFORCE = 32;
const SO_RCVBUFFORCE = 33;
const SOL_RAW = 255;
const ICMP_FILTER = 1;
const SOL_ICMPV6 = 58;
const ICMPV6_FILTER = 1;
/** One reply takes 832 bytes of buffer: room for those of 10,000 hosts while something else holds the process up. */
const RECEIVE_BUFFER = 16_000_000;
const SEND_BUFFER = 4_000_000;

/** Errors of one packet that a socket reports at the next call; the socket itself is sound. */
const PASSING_ERRORS = ['EINTR', 'ENETDOWN', 'ENOBUFS', 'ENOMEM', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH'];

export const openIcmpSocket: OpenSocket = (family, listener) => {
  const options = { protocol: PROTOCOL[family], addressFamily: ADDRESS_FAMILY[family] };
  const { wrap } = raw.createSocket(options);
  wrap.removeAllListeners();
  filterTypes(wrap, family);
  growBuffer(wrap, SO_RCVBUFFORCE, SO_RCVBUF, RECEIVE_BUFFER);
  growBuffer(wrap, SO_SNDBUFFORCE, SO_SNDBUF, SEND_BUFFER);

  const buffer = Buffer.alloc(RECEIVE_BYTES);
  const received = (_: Buffer, bytes: number, source: string): void => listener.packet(buffer, bytes, source);
  // recv() and send() after close() would quietly open a new socket, and the process would never end.
  let closed = false;
  wrap.on('recvReady', () => listener.readable());
  wrap.on('error', (error) => {
    throw error;
  });
  return {
    send(packet, length, address) {
      if (!closed) wrap.send(packet, 0, length, address, ignoreBytes);
    },
    drain(more) {
      // The end of the queue is an exception: 2.1 us without its stack trace, 6.5 with it.
      const limit = Error.stackTraceLimit;
      Error.stackTraceLimit = 0;
      try {
        while (!closed && more()) wrap.recv(buffer, received);
      } catch (error) {
        const errno = errnoOf(error);
        if (errno !== 'EAGAIN' && !PASSING_ERRORS.includes(errno ?? '')) throw error;
      } finally {
        Error.stackTraceLimit = limit;
      }
    },
    close() {
      if (closed) return;
      closed = true;
      wrap.close();
    },
  };
};

function ignoreBytes(): void {
  // raw-socket wants a callback; a datagram is sent whole or not at all.
}

/** Without a filter every raw socket gets every ICMP packet of the host, its own requests included. */
function filterTypes(wrap: ReturnType<typeof raw.createSocket>['wrap'], family: Family): void {
  const words = new Uint32Array(family === 4 ? 1 : 8).fill(0xffff_ffff);
  for (const type of WANTED_TYPES[family]) {
    const word = type >>> 5;
    words[word] = (words[word] ?? 0) & ~(1 << (type & 31));
  }
  const mask = Buffer.from(words.buffer);
  if (family === 4) wrap.setOption(SOL_RAW, ICMP_FILTER, mask, mask.length);
  else wrap.setOption(SOL_ICMPV6, ICMPV6_FILTER, mask, mask.length);
}

function growBuffer(
  wrap: ReturnType<typeof raw.createSocket>['wrap'],
  force: number,
  plain: number,
  bytes: number,
): void {
  try {
    wrap.setOption(SOL_SOCKET, force, bytes);
  } catch {
    // Beyond the system's limit only with CAP_NET_ADMIN, which an agent need not have: take what the limit allows.
    wrap.setOption(SOL_SOCKET, plain, bytes);
  }
}

/** True where one of this machine's own networks holds the address, so that no router stands between. */
export function isOnLink(address: string, family: Family): boolean {
  const networks = new BlockList();
  const name = family === 4 ? 'ipv4' : 'ipv6';
  for (const addresses of Object.values(networkInterfaces())) {
    for (const { cidr } of addresses ?? []) {
      const [network, bits] = cidr?.split('/') ?? [];
      const sameFamily = network?.includes(':') === (family === 6);
      if (network !== undefined && sameFamily) networks.addSubnet(network, Number(bits), name);
    }
  }
  return networks.check(address, name);
}
