import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Listens and never accepts, with the shortest queue there is; ends when its standard input does. */
const LISTENER =
  'import socket,sys;s=socket.socket();s.setsockopt(socket.SOL_SOCKET,socket.SO_REUSEADDR,1);' +
  's.bind((sys.argv[1],int(sys.argv[2])));s.listen(0);print(s.getsockname()[1],flush=True);sys.stdin.read()';

export interface FullQueue {
  port: number;
  close(): Promise<void>;
}

/** A port to which a connection neither opens nor fails: its accept queue is full. Port 0: any that is free. */
export async function startFullQueue(host = '127.0.0.1', wanted = 0): Promise<FullQueue> {
  const listener = spawn('python3', ['-c', LISTENER, host, `${wanted}`], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(listener, 'exit').then(() => null);
  const line = await Promise.race([once(listener.stdout, 'data') as Promise<[Buffer]>, ended]);
  if (line === null) throw new Error(`nobody can listen on ${host}:${wanted}`);
  const port = Number(line.toString());
  const sockets: Socket[] = [];
  // Connections open until the queue is full; the first that does not within half a second shows that it is.
  for (let isOpen = true; isOpen;) {
    const socket = connect(port, host).on('error', () => {});
    sockets.push(socket);
    isOpen = await Promise.race([
      once(socket, 'connect').then(() => true),
      new Promise<boolean>((done) => setTimeout(() => done(false), 500)),
    ]);
  }
  return {
    port,
    async close() {
      for (const socket of sockets) socket.destroy();
      listener.stdin.end();
      await ended;
    },
  };
}
