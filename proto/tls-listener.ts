import { createHash, type X509Certificate } from 'node:crypto';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { AddressInfo, Socket } from 'node:net';

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

/** Why a connection was ended before anything was said on it. */
export const CONNECTION_REFUSALS = ['handshake', 'certificate', 'crowded'] as const;
export type ConnectionRefusal = (typeof CONNECTION_REFUSALS)[number];

export interface TlsListener {
  listen(host: string, port: number): Promise<number>;
  /** The certificate to show from the next connection on. */
  renew(tls: ServerTls): void;
  /** Takes no new connections. */
  close(): void;
  /** Ends all connections. One whose other side is gone would otherwise wait for that side's end. */
  end(): void;
}

const HANDSHAKE_MS = 10_000;
/** Connections that have not said who they are. */
const MAX_HANDSHAKES = 256;
const MAX_STRANGERS = 64;
/** A stranger's whole visit. */
const VISIT_MS = 30_000;
/** Of one agent: its stream, renewals, and what it lost on the way and nobody has noticed yet. */
const MAX_OF_ONE_KEY = 8;

/**
 * Listens with TLS 1.3 (RFC 8446) and sorts connections by their certificate. One that the authority did not sign, that
 * is not for clients, or whose time is over, ends the connection. Where too many are there, the one that has been there
 * longest makes room: who comes in good faith is through in a moment, so that a crowd shuts out itself.
 */
export function createTlsListener(
  tls: ServerTls,
  doors: Doors,
  onRefused: (why: ConnectionRefusal) => void,
): TlsListener {
  const crowdOf = (capacity: number): Crowd => createCrowd(capacity, () => onRefused('crowded'));
  const handshakes = crowdOf(MAX_HANDSHAKES);
  const strangers = crowdOf(MAX_STRANGERS);
  const agents = new Map<string, Crowd>();
  const server = createServer({
    ...contextOf(tls),
    requestCert: true,
    // Strangers are let in to enrol; who shows a certificate is let in only with a good one.
    rejectUnauthorized: false,
    ALPNProtocols: ['h2'],
    handshakeTimeout: HANDSHAKE_MS,
  });
  const enterAs = (keyHash: string, socket: TLSSocket): void => {
    const crowd = agents.get(keyHash) ?? crowdOf(MAX_OF_ONE_KEY);
    agents.set(keyHash, crowd);
    crowd.enter(socket);
    socket.once('close', () => crowd.size === 0 && agents.delete(keyHash));
    doors.known(socket);
  };
  server.on('connection', (socket: Socket) => handshakes.enter(socket));
  const sockets = new Set<TLSSocket>();
  server.on('secureConnection', (socket) => {
    handshakes.leave(socket);
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) {
      strangers.enter(socket);
      const visit = setTimeout(() => socket.destroy(), VISIT_MS);
      socket.once('close', () => clearTimeout(visit));
      return doors.stranger(socket);
    }
    if (socket.authorized) return enterAs(keyHashOf(certificate), socket);
    onRefused('certificate');
    socket.destroy();
  });
  server.on('tlsClientError', (_error, socket) => {
    onRefused('handshake');
    socket.destroy();
  });
  return {
    listen: (host, port) => portOf(server, host, port),
    renew: (next) => server.setSecureContext(contextOf(next)),
    close: () => void server.close(),
    end() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function portOf(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      // A server that listens on TCP has such an address.
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** sha256 of a certificate's public key (SPKI), 64 hexadecimal digits. */
export function keyHashOf({ publicKey }: X509Certificate): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** Connections of which only so many are there at a time. */
interface Crowd {
  readonly size: number;
  /** Where there is no room, the one that came first is ended. */
  enter(socket: Socket): void;
  leave(socket: Socket): void;
}

function createCrowd(capacity: number, onEnded: () => void): Crowd {
  // By address and port: a handshake's socket and the one that comes of it are two objects.
  const members = new Map<string, Socket>();
  const nameOf = ({ remoteAddress, remotePort }: Socket): string => `${remoteAddress} ${remotePort}`;
  return {
    get size() {
      return members.size;
    },
    enter(socket) {
      const name = nameOf(socket);
      members.set(name, socket);
      socket.once('close', () => members.get(name) === socket && members.delete(name));
      const [first] = members;
      if (members.size <= capacity || first === undefined) return;
      onEnded();
      members.delete(first[0]);
      first[1].destroy();
    },
    leave: (socket) => void members.delete(nameOf(socket)),
  };
}

function contextOf({ certificate, key, authority }: ServerTls) {
  return { cert: certificate, key, ca: authority, minVersion: 'TLSv1.3' as const };
}
