import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Listens and never accepts, with the shortest queue there is; ends when its standard input does. */
const LISTENER =
  "import socket,sys;s=socket.socket();s.bind(('127.0.0.1',0));s.listen(0);" +
  'print(s.getsockname()[1],flush=True);sys.stdin.read()';

/** A port of loopback to which a connection neither opens nor fails: its accept queue is full. */
export async function startFullQueue(): Promise<{ port: number; close(): Promise<void> }> {
  const listener = spawn('python3', ['-c', LISTENER], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [line] = (await once(listener.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  const sockets: Socket[] = [];
  // Connections open until the queue is full; the first that does not within half a second shows that it is.
  for (let isOpen = true; isOpen;) {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
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
      const ended = once(listener, 'exit');
      listener.stdin.end();
      await ended;
    },
  };
}
