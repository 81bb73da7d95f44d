import { randomUUID } from 'node:crypto';
import { jetstream, type ConsumerMessages } from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import {
  definitionAnswer,
  deliverSubjectOf,
  subjectOfRequest,
  WATCH_HEARTBEAT_MS,
  type DefinitionAnswer,
} from '../proto/definition-requests.ts';
import { bucketOf } from '../proto/kv.ts';

/** What stands under a key of a bucket, or that nothing stands there any more. */
export interface BucketEntry {
  key: string;
  revision: number;
  isRemoved: boolean;
  string(): string;
}

/** The newest entry of each key and then every change, in order. Ends where something was missed, and when it is stopped. */
export interface BucketWatch extends AsyncIterable<BucketEntry> {
  stop(): void;
}

const ANSWER_MS = 5000;
/** Set where a value was deleted or purged (NATS ADR-8). */
const OPERATION = 'KV-Operation';

/**
 * Has a region's bucket sent, by whichever collector hears of it: an agent's login may make no consumer itself. There is
 * one watch of an agent at a time. @throws where no collector answers, or the server refuses
 */
export async function watchBucket(connection: NatsConnection, region: string, agentId: number): Promise<BucketWatch> {
  const watch = randomUUID();
  const consumer = await jetstream(connection).consumers.getBoundPushConsumer({
    deliver_subject: deliverSubjectOf(agentId, watch),
    idle_heartbeat: nanos(WATCH_HEARTBEAT_MS),
  });
  const messages = await consumer.consume();
  try {
    await ask(connection, subjectOfRequest(region, agentId, 'watch'), watch);
  } catch (error) {
    messages.stop();
    throw error;
  }
  void endOnSilence(messages);
  const prefix = `$KV.${bucketOf(region)}.`;
  return { stop: () => messages.stop(), [Symbol.asyncIterator]: () => entriesOf(messages, prefix) };
}

/** The manifest past the watch, as it stands in the bucket; null: there is none, or no collector that would tell. */
export async function readManifest(
  connection: NatsConnection,
  region: string,
  agentId: number,
): Promise<string | null> {
  const { manifest } = await ask(connection, subjectOfRequest(region, agentId, 'manifest')).catch(() => ({
    manifest: null,
  }));
  return manifest ?? null;
}

async function ask(connection: NatsConnection, subject: string, body = ''): Promise<DefinitionAnswer> {
  const answer = await connection.request(subject, body, { timeout: ANSWER_MS });
  const said = definitionAnswer.parse(answer.json());
  if (said.problem !== undefined) throw new Error(said.problem);
  return said;
}

async function endOnSilence(messages: ConsumerMessages): Promise<void> {
  for await (const { type } of messages.status()) if (type === 'heartbeats_missed') messages.stop();
}

async function* entriesOf(messages: ConsumerMessages, prefix: string): AsyncGenerator<BucketEntry> {
  let delivered = 0;
  try {
    for await (const message of messages) {
      delivered += 1;
      if (message.info.deliverySequence !== delivered) return;
      yield {
        key: message.subject.slice(prefix.length),
        revision: message.seq,
        isRemoved: message.headers?.has(OPERATION) ?? false,
        string: () => message.string(),
      };
    }
  } finally {
    messages.stop();
  }
}
