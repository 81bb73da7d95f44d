import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export interface CuttableProxy {
  /** The database's URL by way of the proxy. */
  url: string;
  /** Ends every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Lets nothing through any more, while every connection stays open: what a network that drops packets looks like. */
  freeze(): void;
  /** Ends the next connection that says this, in place of passing it on; resolves when that is done. */
  cutAt(said: string): Promise<void>;
  /** Lets new connections through again; those that were frozen stay so. */
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** A TCP proxy on loopback in front of the database at `url`, so that a test can take the database away. */
export async function startProxy(url: string): Promise<CuttableProxy> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const track = (socket: Socket): Socket => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)));
    return socket;
  };
  let frozen = false;
  let last: { said: string; cut: () => void } | null = null;
  const server = createServer((inbound) => {
    if (frozen) return void track(inbound);
    const outbound = track(connect(Number(target.port || 5432), target.hostname));
    track(inbound).on('data', (chunk: Buffer) => {
      if (last === null || !chunk.includes(last.said)) return;
      inbound.destroy();
      outbound.destroy();
      last.cut();
      last = null;
    });
    inbound.pipe(outbound).pipe(inbound);
  });
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => void server.once('error', reject).listen(port, '127.0.0.1', resolve));
  await listen(0);
  // A server that listens on TCP has an address of that form.
  const { port } = server.address() as AddressInfo;
  const cut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  const freeze = (): void => {
    frozen = true;
    for (const socket of sockets) socket.unpipe().pause();
  };
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(port);
  return {
    url: through.href,
    cut,
    freeze,
    cutAt: (said) => new Promise((cut) => (last = { said, cut })),
    mend: () => {
      frozen = false;
      return server.listening ? Promise.resolve() : listen(port);
    },
    close: () => (server.listening ? cut() : Promise.resolve()),
  };
}
