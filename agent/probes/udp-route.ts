import { createSocket } from 'node:dgram';
import type { Problem } from './target.ts';
import { judgeConnectError } from './tcp-error.ts';

/**
 * Whether this host could send a datagram to an address at all: null, or what it lacks (a descriptor, a route). Sends
 * nothing. c-ares says ECONNREFUSED for all three of no descriptor, no route and a closed port.
 */
export function findUdpProblem(address: string, family: 4 | 6, port: number): Promise<Problem | null> {
  return new Promise((resolve) => {
    const socket = createSocket(family === 4 ? 'udp4' : 'udp6');
    const finish = (error: NodeJS.ErrnoException | null): void => {
      socket.close();
      resolve(error && judgeConnectError(error.code ?? error.message, true).problem);
    };
    // An error before the socket is bound comes as an event, one of connect(2) through the callback.
    socket.once('error', finish);
    socket.connect(port, address, (error?: NodeJS.ErrnoException) => {
      socket.removeListener('error', finish);
      finish(error ?? null);
    });
  });
}
