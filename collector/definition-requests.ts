import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager, ReplayPolicy } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { nanos, type Msg, type NatsConnection } from '@nats-io/transport-node';
import {
  bucketConsumerOf,
  DEFINITION_REQUESTS,
  deliverSubjectOf,
  isInboxOf,
  requestOf,
  WATCH_HEARTBEAT_MS,
  type DefinitionAnswer,
} from '../proto/definition-requests.ts';
import { bucketOf, MANIFEST_KEY } from '../proto/kv.ts';
import type { Logger } from '../runtime/logger.ts';
import { monotonicMs } from '../runtime/time.ts';

/** Of all collectors one hears each request. */
const QUEUE = 'farwatch-collectors';
/** A consumer whose agent is gone goes, too. */
const INACTIVE_MS = 60_000;
/** An agent may ask so often: a watch makes the server send the whole bucket. */
const PACE_MS = 200;

/**
 * Does at NATS what agents' logins may not: makes the consumer through which an agent follows its region's bucket, and
 * reads the manifest. What comes of it goes into the agent's own inboxes only. Ends with the connection.
 */
export function answerDefinitionRequests(nats: NatsConnection, logger: Logger): void {
  /** When each agent asked last. */
  const asked = new Map<string, number>();
  nats.subscribe(DEFINITION_REQUESTS, {
    queue: QUEUE,
    callback: (error, message) => {
      const request = error === null ? requestOf(message.subject) : null;
      if (request === null || !isInboxOf(request.agentId, message.reply ?? '')) return;
      // Only what may be asked is remembered: the last word of a subject is the agent's own.
      const isEarly = !mayAsk(message.subject, asked);
      answer(nats, message, { ...request, isEarly }).catch((cause: unknown) =>
        logger.warn({ err: cause }, 'definitions not sent'),
      );
    },
  });
}

function mayAsk(subject: string, asked: Map<string, number>): boolean {
  const nowMs = monotonicMs();
  if (nowMs - (asked.get(subject) ?? -Infinity) < PACE_MS) return false;
  asked.set(subject, nowMs);
  return true;
}

type Asked = NonNullable<ReturnType<typeof requestOf>> & { isEarly: boolean };

async function answer(nats: NatsConnection, message: Msg, request: Asked): Promise<void> {
  const { region, agentId, what, isEarly } = request;
  const respond = (said: DefinitionAnswer): void => void message.respond(JSON.stringify(said));
  if (isEarly) return respond({ problem: 'this is asked too often' });
  try {
    if (what === 'manifest') return respond({ manifest: await readManifest(nats, region) });
    const deliverSubject = deliverSubjectOf(agentId, message.string());
    if (!isInboxOf(agentId, deliverSubject)) return respond({ problem: 'no such watch can be' });
    await makeConsumer(nats, region, agentId, deliverSubject);
    respond({});
  } catch (error) {
    respond({ problem: error instanceof Error ? error.message : String(error) });
  }
}

async function readManifest(nats: NatsConnection, region: string): Promise<string | null> {
  const kv = await new Kvm(jetstream(nats)).open(bucketOf(region), { allow_direct: true });
  const entry = await kv.get(MANIFEST_KEY);
  return entry?.operation === 'PUT' ? entry.string() : null;
}

async function makeConsumer(
  nats: NatsConnection,
  region: string,
  agentId: number,
  deliverSubject: string,
): Promise<void> {
  const { stream, name } = bucketConsumerOf(region, agentId);
  const { consumers } = await jetstreamManager(nats, { checkAPI: false });
  // One that there is would go on where it stands. That there is none is no reason not to make one.
  await consumers.delete(stream, name).catch(() => undefined);
  await consumers.add(stream, {
    name,
    deliver_subject: deliverSubject,
    deliver_policy: DeliverPolicy.LastPerSubject,
    filter_subject: `$KV.${bucketOf(region)}.>`,
    ack_policy: AckPolicy.None,
    replay_policy: ReplayPolicy.Instant,
    mem_storage: true,
    flow_control: true,
    idle_heartbeat: nanos(WATCH_HEARTBEAT_MS),
    inactive_threshold: nanos(INACTIVE_MS),
  });
}
