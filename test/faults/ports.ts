import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: one that is closed for a while is still there later. */
const LOWEST = 10_000;
const HIGHEST = 32_000;
const given = new Set<number>();

/** A port of loopback that nobody has, and that no outgoing connection takes while its owner is dead. */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
