import { Metadata, type Client, type ClientDuplexStream } from '@grpc/grpc-js';
import { openClient, type AgentTls } from '../../proto/agent-client.ts';
import type { AgentMessage, CollectorMessage, UnknownMessage } from '../../proto/messages.ts';
import { collectorService } from '../../proto/wire.ts';

/** An agent that sends bytes, whatever they say. */
export interface RawAgent {
  write(bytes: Buffer): void;
  received: (CollectorMessage | UnknownMessage)[];
  /** How the stream ended: its status and what came with it. */
  ended: Promise<{ code: number; details: string }>;
  close(): void;
}

/** The bytes of a message. */
export function bytesOf(message: AgentMessage): Buffer {
  return collectorService().Stream.requestSerialize(message);
}

export function openRawAgent(address: string, tls: AgentTls): RawAgent {
  const client: Client = openClient(address, tls, { 'grpc.max_send_message_length': -1 });
  const { path, responseDeserialize } = collectorService().Stream;
  const stream: ClientDuplexStream<Buffer, CollectorMessage | UnknownMessage> = client.makeBidiStreamRequest(
    path,
    (bytes: Buffer) => bytes,
    responseDeserialize,
    new Metadata(),
  );
  const received: RawAgent['received'] = [];
  stream.on('data', (message: CollectorMessage | UnknownMessage) => received.push(message));
  stream.on('error', () => undefined);
  const ended = new Promise<{ code: number; details: string }>((resolve) => stream.once('status', resolve));
  return {
    write: (bytes) => void stream.write(bytes),
    received,
    ended,
    close() {
      stream.cancel();
      client.close();
    },
  };
}
