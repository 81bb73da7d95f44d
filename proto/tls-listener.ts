import { createServer, type TLSSocket } from 'node:tls';
import type { AddressInfo } from 'node:net';

/** A server's certificate with its chain and key, and the authority that signs agents' certificates; all PEM. */
export interface ServerTls {
  certificate: string;
  key: string;
  authority: string;
}

/** Where connections go once it is known who is there. */
export interface Doors {
  /** With a certificate of the authority. */
  known: (socket: TLSSocket) => void;
  /** Without any certificate. */
  stranger: (socket: TLSSocket) => void;
}

export interface TlsListener {
  listen(host: string, port: number): Promise<number>;
  /** The certificate to show from the next connection on. */
  renew(tls: ServerTls): void;
  /** Takes no new connections. */
  close(): void;
}

const HANDSHAKE_MS = 10_000;
/** Connections that have not said who they are, all together: more wait in the kernel's queue or are refused. */
const MAX_STRANGERS = 256;
/** A stranger's whole visit. */
const VISIT_MS = 30_000;

/**
 * Listens with TLS 1.3 (RFC 8446) and sorts connections by their certificate. One that the authority did not sign, that
 * is not for clients, or whose time is over, ends the connection.
 */
export function createTlsListener(tls: ServerTls, doors: Doors): TlsListener {
  let strangers = 0;
  const server = createServer({
    ...contextOf(tls),
    requestCert: true,
    // Strangers are let in to enrol; who shows a certificate is let in only with a good one.
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE_MS,
  });
  server.on('secureConnection', (socket) => {
    socket.on('error', () => socket.destroy());
    if (socket.authorized) return doors.known(socket);
    if (socket.getPeerX509Certificate() !== undefined || strangers >= MAX_STRANGERS) return void socket.destroy();
    strangers += 1;
    const visit = setTimeout(() => socket.destroy(), VISIT_MS);
    socket.once('close', () => {
      clearTimeout(visit);
      strangers -= 1;
    });
    doors.stranger(socket);
  });
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          // A server that listens on TCP has such an address.
          resolve((server.address() as AddressInfo).port);
        });
      }),
    renew: (next) => server.setSecureContext(contextOf(next)),
    close: () => void server.close(),
  };
}

function contextOf({ certificate, key, authority }: ServerTls) {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.3' as const };
}
