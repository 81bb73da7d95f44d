import type { NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, test, vi } from 'vitest';
import { runBus } from '../../../agent/bus.ts';
import { freePort } from '../../../deploy/local/free-port.ts';
import { connectNats } from '../../../collector/nats.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats } from '../../support/nats.ts';

const HOUR_MS = 3_600_000;
const logger = createLogger('agent', 'silent');

afterEach(() => {
  vi.restoreAllMocks();
});

/** The agent's connection and a collector's, each as its program opens it. */
async function connectBoth(natsUrl: string, signal: AbortSignal): Promise<NatsConnection[]> {
  let opened: (connection: NatsConnection) => void = () => undefined;
  const first = new Promise<NatsConnection>((resolve) => (opened = resolve));
  const user = {
    follow: (connection: NatsConnection) => (opened(connection), connection.closed().then(() => undefined)),
    away: () => undefined,
  };
  void runBus({ natsUrl, region: 'eu', logger }, [user], signal);
  return Promise.all([first, connectNats({ url: natsUrl, access: {} }, logger, signal)]);
}

/** Waits until the server answers on each of them. */
async function found(connections: readonly NatsConnection[]): Promise<void> {
  const answers = (connection: NatsConnection): Promise<boolean> =>
    connection.flush().then(
      () => true,
      () => false,
    );
  for (const connection of connections) await eventually('NATS is found', 15_000, () => answers(connection));
}

// nats.js counts its pauses by the wall clock. `Date.now` alone is faked: waiting goes by the true clock.
test.for([
  { step: 'back', stepMs: -HOUR_MS },
  { step: 'ahead', stepMs: HOUR_MS },
])('agent and collector find a restarted NATS within seconds, the wall clock an hour $step', async ({ stepMs }) => {
  const nats = await startNats();
  const end = new AbortController();
  const connections = await connectBoth(nats.url, end.signal);
  try {
    await nats.restart();
    await found(connections);
    const realNow = Date.now;
    vi.spyOn(Date, 'now').mockImplementation(() => realNow() + stepMs);
    await nats.restart();
    await found(connections);
    expect(connections.map((connection) => connection.isClosed())).toEqual([false, false]);
  } finally {
    end.abort();
    await Promise.all(connections.map((connection) => connection.close()));
    await nats.stop();
  }
});

test.for([
  { place: 'first', addresses: (here: string, nowhere: string) => `${here}, ${nowhere}` },
  { place: 'last', addresses: (here: string, nowhere: string) => `${nowhere},${here}` },
])('agent and collector find NATS where the $place of their addresses answers', async ({ addresses }) => {
  const nats = await startNats();
  const end = new AbortController();
  try {
    const natsUrl = addresses(nats.url, `nats://127.0.0.1:${await freePort()}`);
    const connections = await connectBoth(natsUrl, end.signal);
    await found(connections);
    await Promise.all(connections.map((connection) => connection.close()));
  } finally {
    end.abort();
    await nats.stop();
  }
});
