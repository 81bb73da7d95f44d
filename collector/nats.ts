import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { serversOf } from '../proto/nats-address.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, createDialPace, sleep } from '../runtime/time.ts';

/** A server that is silent for two of these is gone. */
const PING_MS = 5000;

/** Where NATS is, and how to log in there. */
export interface NatsAddress {
  url: string;
  /** Credentials and TLS. */
  access: Partial<ConnectionOptions>;
}

/** Connects to NATS, trying for ever; the connection then comes back by itself. Rejects when the signal aborts. */
export async function connectNats(
  { url, access }: NatsAddress,
  logger: Logger,
  signal: AbortSignal,
): Promise<NatsConnection> {
  const backoff = createBackoff(200, 5000);
  for (;;) {
    signal.throwIfAborted();
    try {
      return await connect({
        servers: serversOf(url),
        name: 'farwatch-collector',
        maxReconnectAttempts: -1,
        reconnectDelayHandler: createDialPace(250 + 250 * Math.random()),
        pingInterval: PING_MS,
        maxPingOut: 2,
        // A server that lost its accounts is told them again; until then it knows nobody.
        ignoreAuthErrorAbort: true,
        ...access,
      });
    } catch (error) {
      logger.warn({ err: error }, 'nats is away, waiting for it');
      await sleep(backoff.next(), signal);
    }
  }
}
