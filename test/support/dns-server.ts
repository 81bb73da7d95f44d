import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { readQuestion, writeReply, type DnsReply, type TypeName } from './dns-packet.ts';

/** What a name server of the tests says to a question; `silent`: nothing. */
export type Script = (name: string, type: TypeName | 'OTHER') => DnsReply | 'silent';

export interface DnsServer {
  port: number;
  /** `127.0.0.1:port`, as a nameServer of a monitor. */
  address: string;
  /** What was asked, in order. */
  asked: { name: string; type: string; over: 'udp' | 'tcp' }[];
  close(): Promise<void>;
}

/** A name server on a free port of loopback, over UDP and TCP, that answers as its script says. */
export async function startDnsServer(script: Script, host = '127.0.0.1'): Promise<DnsServer> {
  const asked: DnsServer['asked'] = [];
  const reply = (packet: Buffer, over: 'udp' | 'tcp'): Buffer | null => {
    const question = readQuestion(packet);
    asked.push({ name: question.name, type: question.type, over });
    const said = script(question.name, question.type);
    return said === 'silent' ? null : writeReply(question, said, over === 'tcp');
  };
  const { udp, tcp, port } = await bindBoth(host);
  const open = new Set<Socket>();
  udp.on('message', (packet, from) => {
    const answer = reply(packet, 'udp');
    if (answer) udp.send(answer, from.port, from.address);
  });
  tcp.on('connection', (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('error', () => socket.destroy());
    // One read holds one question here: the questions of the tests are short.
    socket.on('data', (bytes: Buffer) => {
      const answer = reply(bytes.subarray(2), 'tcp');
      if (!answer) return;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(answer.length);
      socket.write(Buffer.concat([length, answer]));
    });
  });
  return {
    port,
    address: host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`,
    asked,
    async close() {
      for (const socket of open) socket.destroy();
      await Promise.all([
        new Promise<void>((done) => udp.close(() => done())),
        new Promise<void>((done) => tcp.close(() => done())),
      ]);
    },
  };
}

/** The same port for both: TCP chooses, and where UDP has that port taken, again. */
export async function bindBoth(host: string): Promise<{ udp: UdpSocket; tcp: Server; port: number }> {
  for (;;) {
    const tcp = createServer().listen(0, host);
    await once(tcp, 'listening');
    const address = tcp.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4');
    const isBound = await new Promise<boolean>((done) => {
      udp.once('error', () => done(false));
      udp.bind(port, host, () => done(true));
    });
    if (isBound) return { udp, tcp, port };
    tcp.close();
  }
}
