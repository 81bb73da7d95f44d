import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/** Below the ports that systems give to outgoing connections: one that is closed for a while is still there later. */
const LOWEST = 10_000;
const HIGHEST = 32_000;

/**
 * A TCP port of loopback that is this process's until it ends, also while nobody listens on it: its number is held by a
 * UDP socket, which every run asks for first.
 */
export async function reservePort(): Promise<number> {
  for (;;) {
    const port = LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST));
    if ((await holdNumber(port)) && (await isFree(port))) return port;
  }
}

function holdNumber(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
