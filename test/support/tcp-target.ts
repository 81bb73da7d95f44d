import { createServer, type Server } from 'node:net';

/** A TCP port of loopback that writes down who came when: the target's own word on what was measured. */
export interface TcpTarget {
  readonly port: number;
  /** Unix seconds of every connection, ascending. */
  readonly visits: number[];
  /** How many came in the minute that begins at `minute`. */
  readonly visitsIn: (minute: number) => number;
  /** Refuses from now on. */
  close(): Promise<void>;
  /** Listens again, on the same port. */
  reopen(): Promise<void>;
}

export async function startTcpTarget(): Promise<TcpTarget> {
  const visits: number[] = [];
  let server = await listen(0, visits);
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return {
    port,
    visits,
    visitsIn: (minute) => visits.filter((time) => time >= minute && time < minute + 60).length,
    close: () => new Promise((resolve) => server.close(() => resolve())),
    async reopen() {
      server = await listen(port, visits);
    },
  };
}

function listen(port: number, visits: number[]): Promise<Server> {
  const server = createServer((socket) => {
    visits.push(Date.now() / 1000);
    socket.on('error', () => socket.destroy());
    socket.on('end', () => socket.destroy());
    socket.resume();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host: '127.0.0.1', backlog: 511 }, () => resolve(server));
  });
}
