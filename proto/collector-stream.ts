import { Server, ServerCredentials, status as CODES, type ServerDuplexStream } from '@grpc/grpc-js';
import { MAX_MESSAGE_BYTES, type AgentMessage, type CollectorMessage, type UnknownMessage } from './messages.ts';
import { KEEPALIVE, sendWithBackPressure, streamEndOf, StreamEnd } from './stream-end.ts';
import { collectorService } from './wire.ts';

/** The collector's end of one agent's stream. */
export interface CollectorStream {
  /** From `authorization: Bearer <token>`; null where there is none. */
  token: string | null;
  /** Address and port of the other side, for the log. */
  peer: string;
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

export interface CollectorServer {
  /** Listens on host:port (0: any free port) and returns the port. */
  listen(address: string, credentials?: ServerCredentials): Promise<number>;
  /** Takes no new connections, waits up to `graceMs` for the open streams to end, and then ends them. */
  close(graceMs: number): Promise<void>;
}

/**
 * A server that runs `handle` once for every stream. The stream ends with OK when it resolves, with the status of a
 * StreamEnd it throws, and with INTERNAL and no details for anything else, which goes to `onFault`. Messages that are
 * garbage or too long end only their stream.
 */
export function createCollectorServer(
  handle: (stream: CollectorStream) => Promise<void>,
  onFault: (error: unknown) => void,
): CollectorServer {
  const server = new Server({
    ...KEEPALIVE,
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc.max_send_message_length': MAX_MESSAGE_BYTES,
  });
  server.addService(collectorService(), { Stream: (call: Call) => void runStream(call, handle, onFault) });
  return {
    listen: (address, credentials = ServerCredentials.createInsecure()) =>
      new Promise((resolve, reject) => {
        server.bindAsync(address, credentials, (error, port) => (error ? reject(error) : resolve(port)));
      }),
    close: (graceMs) => closeServer(server, graceMs),
  };
}

type Call = ServerDuplexStream<AgentMessage | UnknownMessage, CollectorMessage | UnknownMessage>;

async function runStream(
  call: Call,
  handle: (stream: CollectorStream) => Promise<void>,
  onFault: (error: unknown) => void,
): Promise<void> {
  const over = new AbortController();
  call.once('close', () => over.abort());
  call.once('cancelled', () => over.abort());
  try {
    await handle({
      token: bearerToken(call),
      peer: call.getPeer(),
      messages: readMessages(call),
      send: (message) => sendWithBackPressure(call, message, over.signal),
      over: over.signal,
    });
    call.end();
  } catch (error) {
    if (over.signal.aborted) return;
    if (!(error instanceof StreamEnd)) onFault(error);
    const end = error instanceof StreamEnd ? error : new StreamEnd('INTERNAL', 'internal error');
    endWith(call, end);
  }
}

/** grpc-js takes a status as an emitted error and ends the stream with it. */
function endWith(call: Call, { code, message }: StreamEnd): void {
  call.emit('error', Object.assign(new Error(message), { code: CODES[code], details: message }));
}

function bearerToken(call: Call): string | null {
  const [value] = call.metadata.get('authorization');
  return /^Bearer (\S+)$/.exec(String(value ?? ''))?.[1] ?? null;
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

function closeServer(server: Server, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.forceShutdown(), graceMs);
    server.tryShutdown(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
