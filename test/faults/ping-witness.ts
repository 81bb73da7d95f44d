import raw from 'raw-socket';

const ICMP = 1;
const IPV4 = 1;
const ECHO_REQUEST = 8;
const DESTINATION_AT = 16;

/** Tells of every echo request that reaches this host, by its destination (RFC 792). Needs raw sockets. */
export function witnessPings(onRequest: (address: string, ms: number) => void): () => Promise<void> {
  const { wrap } = raw.createSocket({ protocol: ICMP, addressFamily: IPV4 });
  const buffer = Buffer.alloc(2048);
  const received = (packet: Buffer, bytes: number): void => {
    const headerBytes = ((packet[0] ?? 0) & 0x0f) * 4;
    if (bytes <= headerBytes || packet[headerBytes] !== ECHO_REQUEST) return;
    onRequest([...packet.subarray(DESTINATION_AT, DESTINATION_AT + 4)].join('.'), Date.now());
  };
  let isClosed = false;
  // The library's own listener would take packets first.
  wrap.removeAllListeners();
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
