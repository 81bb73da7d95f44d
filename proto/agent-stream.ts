import type { Client, ClientDuplexStream } from '@grpc/grpc-js';
import { openClient, type AgentTls } from './agent-client.ts';
import type { AgentMessage, CollectorMessage, UnknownMessage } from './messages.ts';
import { sendWithBackPressure, streamEndOf, type StreamEnd } from './stream-end.ts';
import { collectorService } from './wire.ts';

/** How long a closing stream waits for the collector to end its side. */
const CLOSE_GRACE_MS = 2000;

export interface AgentStreamOptions {
  /** host:port of a collector. */
  address: string;
  /** Names the agent, and the authority of the collectors. */
  tls: AgentTls;
}

/** The agent's end of its stream. */
export interface AgentStream {
  /**
   * What the collector sends, once and in order, until it ends the stream. Reading slowly slows the collector down.
   * @throws StreamEnd: UNAVAILABLE where there is no collector, UNAUTHENTICATED, FAILED_PRECONDITION and so on.
   */
  messages: AsyncIterable<CollectorMessage | UnknownMessage>;
  /** Resolves when the next message may be sent. @throws StreamEnd CANCELLED once the stream is over. */
  send: (message: AgentMessage) => Promise<void>;
  /** Ends this side, gives the collector two seconds to end its own, and closes the connection. Idempotent. */
  close: () => Promise<void>;
}

/** Opens a stream to a collector on a connection of its own. Returns at once; failure shows in `messages`. */
export function openAgentStream(options: AgentStreamOptions): AgentStream {
  const client = openClient(options.address, options.tls);
  const { path, requestSerialize, responseDeserialize } = collectorService().Stream;
  const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
  const over = new AbortController();
  const ended = new Promise<void>((resolve) => call.once('status', () => resolve()));
  void ended.then(() => over.abort());
  let closed: Promise<void> | undefined;
  return {
    messages: readMessages(call),
    send: (message) => sendWithBackPressure(call, message, over.signal),
    close: () => (closed ??= closeStream(client, call, ended)),
  };
}

type AgentCall = ClientDuplexStream<AgentMessage | UnknownMessage, CollectorMessage | UnknownMessage>;

function readMessages(call: AgentCall): AsyncIterable<CollectorMessage | UnknownMessage> {
  let failure: StreamEnd | undefined;
  // Attached before anyone reads: an error that nobody listens to would end the process.
  call.on('error', (error: unknown) => {
    failure = streamEndOf(error);
  });
  return (async function* () {
    try {
      // Objects that proto-loader made of this method's response type.
      for await (const message of call) yield message as CollectorMessage | UnknownMessage;
    } catch (error) {
      throw failure ?? streamEndOf(error);
    } finally {
      call.cancel();
    }
    if (failure !== undefined) throw failure;
  })();
}

async function closeStream(client: Client, call: AgentCall, ended: Promise<void>): Promise<void> {
  call.end();
  const timer = setTimeout(() => call.cancel(), CLOSE_GRACE_MS);
  // A stream that nobody reads any more never delivers its status: flow on.
  call.resume();
  await ended;
  clearTimeout(timer);
  client.close();
}
