import { connect, type ConnectionOptions, type NatsConnection } from '@nats-io/transport-node';
import { serversOf } from '../proto/nats-address.ts';
import type { Logger } from '../runtime/logger.ts';
import { createBackoff, createDialPace, sleep } from '../runtime/time.ts';

/** The agent's one connection to NATS: definitions and neighbours share it, so that one lives exactly while the other does. */
export interface BusOptions {
  /** One address or several, as `natsAddress` reads them. */
  natsUrl: string;
  region: string;
  /** Credentials, TLS: what the addresses do not say. */
  credentials?: Partial<ConnectionOptions>;
  logger: Logger;
}

/** Who uses the connection. `follow` ends when the signal aborts or the connection is closed for good. */
export interface BusUser {
  follow(connection: NatsConnection, signal: AbortSignal): Promise<void>;
  /** There is no connection, and why. */
  away(reason: string): void;
}

const RETRY_MIN_MS = 250;
const RETRY_MAX_MS = 5000;
/** Silence of the server for two of these is a lost connection. */
const PING_MS = 5000;
const TIMEOUT_MS = 3000;
/** How long what was published last may take to leave. */
const FLUSH_MS = 500;

/** Keeps the connection until the signal aborts; it comes back by itself, on the same object as long as it is not closed. */
export async function runBus(options: BusOptions, users: readonly BusUser[], signal: AbortSignal): Promise<void> {
  const backoff = createBackoff(RETRY_MIN_MS, RETRY_MAX_MS);
  while (!signal.aborted) {
    try {
      const connection = await open(options);
      backoff.reset();
      await useUntilClosed(connection, users, signal);
    } catch (error) {
      // NATS is only the way definitions and neighbours' words come: the agent goes on with those it has.
      const reason = error instanceof Error ? error.message : String(error);
      for (const user of users) user.away(reason);
      options.logger.warn({ err: error }, 'nats is away');
    }
    await sleep(backoff.next(), signal);
  }
}

function open({ natsUrl, region, credentials }: BusOptions): Promise<NatsConnection> {
  return connect({
    servers: serversOf(natsUrl),
    name: `farwatch-agent ${region}`,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: createDialPace(RETRY_MIN_MS),
    pingInterval: PING_MS,
    maxPingOut: 2,
    timeout: TIMEOUT_MS,
    ...credentials,
  });
}

async function useUntilClosed(
  connection: NatsConnection,
  users: readonly BusUser[],
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => void closeAfterFlush(connection);
  signal.addEventListener('abort', stop, { once: true });
  try {
    if (signal.aborted) return;
    await Promise.all(users.map((user) => user.follow(connection, signal)));
  } finally {
    signal.removeEventListener('abort', stop);
    await closeAfterFlush(connection);
  }
}

async function closeAfterFlush(connection: NatsConnection): Promise<void> {
  const late = new Promise((resolve) => setTimeout(resolve, FLUSH_MS).unref());
  // A server that is away takes nothing: then what was published last is lost, as it would be anyway.
  const flushed = connection.isClosed() ? null : connection.flush().catch(() => undefined);
  await Promise.race([flushed, late]);
  await connection.close();
}
