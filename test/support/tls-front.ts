import { createSecureServer } from 'node:http2';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createSecureContext, TLSSocket, type SecureContextOptions, type SecureVersion } from 'node:tls';
import { NATS_NAME } from '../../proto/server-names.ts';
import { testAuthority, testServerTls } from './test-identity.ts';

/** A server with a certificate of the test's authority that speaks one version of TLS only. */
export interface TlsFront {
  /** host:port */
  address: string;
  /** Connections that began, and those whose handshake was done. */
  begun: number;
  secured: number;
  close(): Promise<void>;
}

/** In a collector's place: whatever is called is not implemented. */
export async function startCollectorFront(version: SecureVersion): Promise<TlsFront> {
  const server = createSecureServer({ ...only(version), cert: testServerTls.certificate, key: testServerTls.key });
  server.on('stream', (stream) => {
    stream.on('error', () => stream.destroy());
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': 12 }, { endStream: true });
  });
  return front(server, (count) => {
    server.on('connection', count.begun);
    server.on('secureConnection', count.secured);
  });
}

const INFO = { server_id: 'front', version: '2.11.0', proto: 1, headers: true, max_payload: 2 ** 20, nonce: 'nonce' };

/** In the place of NATS: takes whoever comes, and answers nothing but pings. */
export async function startNatsFront(version: SecureVersion): Promise<TlsFront> {
  const { certificate, key } = await testAuthority.issueServer(NATS_NAME, 3_600_000);
  const secureContext = createSecureContext({ ...only(version), cert: certificate, key });
  const server = createServer();
  return front(server, (count) =>
    server.on('connection', (socket: Socket) => {
      count.begun();
      socket.on('error', () => socket.destroy());
      socket.write(`INFO ${JSON.stringify({ ...INFO, tls_required: true })}\r\n`);
      const secure = new TLSSocket(socket, { isServer: true, secureContext });
      secure.on('error', () => socket.destroy());
      secure.once('secure', count.secured);
      secure.on('data', (bytes: Buffer) => {
        for (const line of bytes.toString().split('\r\n')) if (line === 'PING') secure.write('PONG\r\n');
      });
    }),
  );
}

function only(version: SecureVersion): SecureContextOptions {
  return { minVersion: version, maxVersion: version };
}

async function front(
  server: Server,
  attach: (count: { begun: () => void; secured: () => void }) => void,
): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  const opened: TlsFront = {
    address: `127.0.0.1:${port}`,
    begun: 0,
    secured: 0,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
  attach({ begun: () => (opened.begun += 1), secured: () => (opened.secured += 1) });
  return opened;
}
