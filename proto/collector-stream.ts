import { X509Certificate } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import {
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  status as CODES,
  type handleUnaryCall,
  type ServerDuplexStream,
  type ServerInterceptor,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import {
  MAX_MESSAGE_BYTES,
  type AgentMessage,
  type CollectorMessage,
  type Credentials,
  type EnrolRequest,
  type RenewRequest,
  type UnknownMessage,
} from './messages.ts';
import { isPlausible } from './plausible-message.ts';
import { KEEPALIVE, sendWithBackPressure, streamEndOf, StreamEnd, type StreamEndCode } from './stream-end.ts';
import {
  createTlsListener,
  keyHashOf,
  type ConnectionRefusal,
  type ServerTls,
  type TlsListener,
} from './tls-listener.ts';
import { collectorService, enrolmentService } from './wire.ts';

/** Who is at the other side of a connection, by the certificate it was let in with. */
export interface Peer {
  /** sha256 of the certificate's public key (SPKI), 64 hexadecimal digits. */
  keyHash: string;
  /** When the certificate ends, unix milliseconds. */
  expiresMs: number;
}

/** The collector's end of one agent's stream. */
export interface CollectorStream {
  peer: Peer;
  /** Address and port of the other side, for the log. */
  address: string;
  /**
   * What the agent sends, once and in order; ends when the agent ends its side or is gone. Nothing is read from the
   * connection before the first message is asked for, and reading slowly slows the agent down.
   */
  messages: AsyncIterable<AgentMessage | UnknownMessage>;
  /** Resolves when the next message may be sent. @throws StreamEnd CANCELLED once the stream is over. */
  send: (message: CollectorMessage) => Promise<void>;
  /** Aborts when the stream is over, whoever ended it. */
  over: AbortSignal;
}

/** How a collector answers. What any of these throws is a StreamEnd, or a fault that the caller hears nothing of. */
export interface CollectorHandlers {
  /** Runs once for every stream, which ends with OK when it resolves. */
  stream: (stream: CollectorStream) => Promise<void>;
  renew: (request: RenewRequest, peer: Peer) => Promise<Credentials>;
  /** The only one that answers those without a certificate. */
  enrol: (request: EnrolRequest, address: string) => Promise<Credentials>;
  onFault: (error: unknown) => void;
  /** Told of every connection that is not let in, and of every stream or call that does not end with OK. */
  onRefused?: (why: ConnectionRefusal | StreamEndCode) => void;
}

export interface CollectorServer {
  /** Listens (port 0: any free port) and returns the port. */
  listen(address: { host: string; port: number }, tls: ServerTls): Promise<number>;
  /** The certificate to show from the next connection on. */
  renewCertificate(tls: ServerTls): void;
  /** Takes no new connections, waits up to `graceMs` for the open streams to end, and then ends them. */
  close(graceMs: number): Promise<void>;
}

const OPTIONS = {
  ...KEEPALIVE,
  'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
  'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  // An agent has one stream on a connection, or one call.
  'grpc.max_concurrent_streams': 4,
  'grpc.max_connection_idle_ms': 30_000,
  // Megabytes of what HTTP/2 itself keeps for a connection: headers, answers to pings, what the other side does not take.
  'grpc-node.max_session_memory': 16,
  // A registry of every socket and call, for a service that is not offered.
  'grpc.enable_channelz': 0,
};
/** What strangers may send: an invitation and a request for a certificate. */
const STRANGERS_MESSAGE_BYTES = 16 * 1024;

/**
 * A server for agents and, on the same port, for those who are to become agents. Streams end with the status of the
 * StreamEnd that is thrown, and with INTERNAL and no details for anything else, which goes to `onFault`. Messages that
 * are garbage or too long end only their stream.
 */
export function createCollectorServer(handlers: CollectorHandlers): CollectorServer {
  const { onRefused = () => undefined } = handlers;
  const interceptors = [statusWatcher(onRefused)];
  const agents = new Server({ ...OPTIONS, interceptors });
  const { Stream } = collectorService();
  agents.addService(
    { ...collectorService(), Stream: { ...Stream, requestDeserialize: guarded(Stream.requestDeserialize) } },
    {
      Stream: (call: Call) => void runStream(call, handlers),
      Renew: unary(handlers, (call: ServerUnaryCall<RenewRequest, Credentials>) =>
        handlers.renew(call.request, peerOf(call)),
      ),
    },
  );
  const strangers = new Server({
    ...OPTIONS,
    'grpc.max_receive_message_length': STRANGERS_MESSAGE_BYTES,
    interceptors,
  });
  strangers.addService(
    { ...enrolmentService() },
    {
      Enrol: unary(handlers, (call: ServerUnaryCall<EnrolRequest, Credentials>) =>
        handlers.enrol(call.request, call.getPeer()),
      ),
    },
  );
  // The sockets that come here are decrypted already.
  const doors = [agents, strangers].map((server) =>
    server.createConnectionInjector(ServerCredentials.createInsecure()),
  );
  let listener: TlsListener | undefined;
  return {
    listen({ host, port }, tls) {
      const [known, stranger] = doors;
      const into = {
        known: (socket: TLSSocket) => known?.injectConnection(socket),
        stranger: (socket: TLSSocket) => stranger?.injectConnection(socket),
      };
      listener = createTlsListener(tls, into, onRefused);
      return listener.listen(host, port);
    },
    renewCertificate: (tls) => listener?.renew(tls),
    async close(graceMs) {
      listener?.close();
      strangers.forceShutdown();
      await closeServer(agents, graceMs, () => listener?.end());
    },
  };
}

/** Reads only what can be a message: the library ends the stream where this throws. */
function guarded<T>(deserialize: (bytes: Buffer) => T): (bytes: Buffer) => T {
  return (bytes) => {
    if (!isPlausible(bytes)) throw new Error('no message of an agent');
    return deserialize(bytes);
  };
}

/** A call with one answer. */
function unary<Request>(
  { onFault }: CollectorHandlers,
  answer: (call: ServerUnaryCall<Request, Credentials>) => Promise<Credentials>,
): handleUnaryCall<Request, Credentials> {
  return (call, callback) => {
    answer(call).then(
      (credentials) => callback(null, credentials),
      (error: unknown) => {
        if (!(error instanceof StreamEnd)) onFault(error);
        const { code, message } = error instanceof StreamEnd ? error : new StreamEnd('INTERNAL', 'internal error');
        callback({ code: CODES[code], details: message });
      },
    );
  };
}

/** Only sockets with a good certificate come to the server whose calls these are. */
function peerOf(call: Pick<Call, 'getAuthContext'>): Peer {
  const raw = shownBy(call);
  if (raw === null) throw new StreamEnd('UNAUTHENTICATED', 'no certificate');
  const certificate = new X509Certificate(raw);
  return { keyHash: keyHashOf(certificate), expiresMs: Date.parse(certificate.validTo) };
}

function shownBy(call: Pick<Call, 'getAuthContext'>): Buffer | null {
  try {
    return call.getAuthContext().sslPeerCertificate?.raw ?? null;
  } catch {
    // The library fails on a connection that has just gone: there is nobody left to answer.
    return null;
  }
}

/**
 * Sees every status that is sent: those of the handlers, and those that the library gives to messages it cannot read.
 * The library offers no hook for the latter, but sends them by the method that it hands to interceptors.
 */
function statusWatcher(onRefused: (why: StreamEndCode) => void): ServerInterceptor {
  return (_method, call) => {
    const send = call.sendStatus.bind(call);
    call.sendStatus = (status) => {
      // A status that is none of the list is not sent by this library.
      if (status.code !== undefined && status.code !== null && status.code !== CODES.OK)
        onRefused(CODES[status.code] as StreamEndCode);
      send(status);
    };
    return new ServerInterceptingCall(call);
  };
}

type Call = ServerDuplexStream<AgentMessage | UnknownMessage, CollectorMessage | UnknownMessage>;

async function runStream(call: Call, handlers: CollectorHandlers): Promise<void> {
  const over = new AbortController();
  call.once('close', () => over.abort());
  call.once('cancelled', () => over.abort());
  // What is reset right behind its head costs no look at a certificate, and nobody hears of it.
  await setImmediate();
  if (over.signal.aborted) return;
  try {
    await handlers.stream({
      peer: peerOf(call),
      address: call.getPeer(),
      messages: readMessages(call),
      send: (message) => sendWithBackPressure(call, message, over.signal),
      over: over.signal,
    });
    call.end();
  } catch (error) {
    if (over.signal.aborted) return;
    if (!(error instanceof StreamEnd)) handlers.onFault(error);
    const end = error instanceof StreamEnd ? error : new StreamEnd('INTERNAL', 'internal error');
    endWith(call, end);
  }
}

/** grpc-js takes a status as an emitted error and ends the stream with it. */
function endWith(call: Call, { code, message }: StreamEnd): void {
  call.emit('error', Object.assign(new Error(message), { code: CODES[code], details: message }));
}

async function* readMessages(call: Call): AsyncGenerator<AgentMessage | UnknownMessage> {
  try {
    // Objects that proto-loader made of this method's request type.
    for await (const message of call.iterator({ destroyOnReturn: false }))
      yield message as AgentMessage | UnknownMessage;
  } catch (error) {
    // The agent went away, or sent what is no message: either way there is nothing more to read.
    if (!call.destroyed) throw streamEndOf(error);
  }
}

function closeServer(server: Server, graceMs: number, endConnections: () => void): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      server.forceShutdown();
      endConnections();
      // A session that was destroyed and has not said so yet is one that grpc-js would wait for in vain.
      resolve();
    }, graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
