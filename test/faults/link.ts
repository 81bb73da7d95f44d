import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** How a link treats what it is given. */
export type LinkState =
  | { mode: 'open' }
  /** Every connection is reset, new ones at once. */
  | { mode: 'cut' }
  /** Nothing comes through and nobody is told, until it opens again: a network that drops packets. */
  | { mode: 'blackhole' }
  /** Each piece comes so much later, one after the other. */
  | { mode: 'delay'; ms: number }
  /** So many bytes a second, in each direction of each connection. */
  | { mode: 'throttle'; bytesPerSecond: number };

/** A TCP way between two programs, through which everything they say to each other goes. */
export interface Link {
  /** host:port */
  readonly address: string;
  set(state: LinkState): void;
  close(): Promise<void>;
}

/**
 * Opens a way, at that address of this host, to the first of these ports of loopback that accepts, as a balancer in front
 * of them would.
 */
export async function openLink(listenPort: number, targets: readonly number[], host = '127.0.0.1'): Promise<Link> {
  const sockets = new Set<Socket>();
  let state: LinkState = { mode: 'open' };
  let changed = new AbortController();
  const track = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)));
    return socket;
  };
  /** Resolves when so many bytes may go on. */
  const passage = async (bytes: number): Promise<void> => {
    while (state.mode === 'blackhole') await once(changed.signal, 'abort');
    if (state.mode === 'delay') await interruptible(state.ms, changed.signal);
    if (state.mode === 'throttle') await interruptible((bytes / state.bytesPerSecond) * 1000, changed.signal);
  };
  const pump = async (from: Socket, to: Socket): Promise<void> => {
    try {
      // A socket hands over buffers.
      for await (const chunk of from.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
        await passage(chunk.length);
        if (!to.write(chunk)) await once(to, 'drain');
      }
      await passage(0);
      to.end();
    } catch {
      // One side broke: so does the other.
      to.destroy();
      from.destroy();
    }
  };
  const server = createServer({ allowHalfOpen: true }, (inbound) => {
    if (state.mode === 'cut') return void inbound.resetAndDestroy();
    track(inbound).pause();
    void passage(0)
      .then(() => dial(targets))
      .then((outbound) => {
        if (outbound === null || inbound.destroyed) return void (inbound.destroy(), outbound?.destroy());
        track(outbound);
        void pump(inbound, outbound);
        void pump(outbound, inbound);
      });
  });
  server.listen(listenPort, host);
  await once(server, 'listening');
  // A server that listens on TCP has an address of that form.
  const { port } = server.address() as AddressInfo;
  const endAll = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const set = (next: LinkState): void => {
    state = next;
    changed.abort();
    changed = new AbortController();
    if (next.mode === 'cut') endAll();
  };
  return {
    address: `${host}:${port}`,
    set,
    async close() {
      set({ mode: 'open' });
      const closed = new Promise((resolve) => server.close(resolve));
      endAll();
      await closed;
    },
  };
}

async function dial(ports: readonly number[]): Promise<Socket | null> {
  for (const port of ports) {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    try {
      await once(socket, 'connect');
      return socket;
    } catch {
      // Nobody is there: the next one is asked.
      socket.destroy();
    }
  }
  return null;
}

async function interruptible(ms: number, signal: AbortSignal): Promise<void> {
  await wait(ms, undefined, { signal }).catch(() => undefined);
}
