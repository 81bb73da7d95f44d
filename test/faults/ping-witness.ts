import raw from 'raw-socket';
import { icmpV4, ipV4 } from '../support/icmp-forge.ts';

const ICMP = 1;
const IPV4 = 1;
const ECHO_REQUEST = 8;
const ECHO_REPLY = 0;
const SOURCE_AT = 12;
const DESTINATION_AT = 16;
/** ip(7): packets are sent with the header that they bring, from any of this host's addresses. */
const IP_HDRINCL = 3;

/**
 * Tells of every echo request that reaches this host, by its destination (RFC 792), and replies where it is told to: on a
 * host whose kernel does not. Needs raw sockets.
 */
export function witnessPings(onRequest: (address: string, ms: number) => 'reply' | 'leave'): () => Promise<void> {
  const { wrap } = raw.createSocket({ protocol: ICMP, addressFamily: IPV4 });
  const buffer = Buffer.alloc(2048);
  const received = (packet: Buffer, bytes: number): void => {
    const headerBytes = ((packet[0] ?? 0) & 0x0f) * 4;
    if (bytes <= headerBytes || packet[headerBytes] !== ECHO_REQUEST) return;
    const [from, to] = [SOURCE_AT, DESTINATION_AT].map((at) => [...packet.subarray(at, at + 4)].join('.'));
    if (from === undefined || to === undefined || onRequest(to, Date.now()) === 'leave') return;
    // What follows type, code and checksum is repeated.
    const reply = ipV4(to, from, icmpV4(ECHO_REPLY, 0, packet.subarray(headerBytes + 4, bytes)));
    wrap.send(reply, 0, reply.length, from, () => undefined);
  };
  let isClosed = false;
  // The library's own listener would take packets first.
  wrap.removeAllListeners();
  wrap.setOption(0, IP_HDRINCL, 1);
  wrap.on('error', () => undefined);
  wrap.on('recvReady', () => {
    try {
      while (!isClosed) wrap.recv(buffer, received);
    } catch {
      // The queue is empty: that is told by an exception.
    }
  });
  return async () => {
    isClosed = true;
    wrap.close();
  };
}
