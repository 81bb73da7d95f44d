import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { Metadata } from '@grpc/grpc-js';
import { openClient } from '../../../proto/agent-client.ts';
import { openAgentStream, type AgentStream } from '../../../proto/agent-stream.ts';
import { createCollectorServer, type CollectorServer, type CollectorStream } from '../../../proto/collector-stream.ts';
import { MAX_MESSAGE_BYTES, type AgentMessage } from '../../../proto/messages.ts';
import { StreamEnd } from '../../../proto/stream-end.ts';
import { collectorService } from '../../../proto/wire.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { testAgentKeyHash, testAgentTls, testServerTls } from '../../support/test-identity.ts';

const status = (counter: number, text = ''): AgentMessage => ({
  body: 'status',
  status: agentStatus({ definitions: counter, epoch: text }),
});

const closers: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

const LOOPBACK = { host: '127.0.0.1', port: 0 };
const unasked = (): Promise<never> => Promise.reject(new StreamEnd('UNIMPLEMENTED', 'not here'));
const faults: unknown[] = [];
const refusals: string[] = [];
async function serve(handle: (stream: CollectorStream) => Promise<void>): Promise<string> {
  faults.length = 0;
  refusals.length = 0;
  const server: CollectorServer = createCollectorServer({
    stream: handle,
    renew: unasked,
    enrol: unasked,
    onFault: (error) => faults.push(error),
    onRefused: (why) => refusals.push(why),
  });
  closers.push(() => server.close(0));
  return `127.0.0.1:${await server.listen(LOOPBACK, testServerTls)}`;
}

function open(address: string): AgentStream {
  const stream = openAgentStream({ address, tls: testAgentTls });
  closers.push(() => stream.close());
  return stream;
}

const drain = async (stream: AgentStream): Promise<unknown[]> => {
  const received: unknown[] = [];
  for await (const message of stream.messages) received.push(message);
  return received;
};

async function readOut(messages: AsyncIterable<unknown>): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  while (!(await iterator.next()).done);
}

/** Reads one message and gives up the rest. */
async function readFirst(messages: AsyncIterable<unknown>): Promise<void> {
  const iterator = messages[Symbol.asyncIterator]();
  await iterator.next();
  await iterator.return?.();
}

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + 15_000;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('not in time');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe('a stream', () => {
  it('carries messages both ways, in order, and ends when both sides have', async () => {
    const address = await serve(async ({ peer, messages, send }) => {
      await send({ body: 'drain', drain: { reason: peer.keyHash } });
      for await (const message of messages)
        if (message.body === 'status')
          await send({ body: 'drain', drain: { reason: String(message.status.definitions) } });
    });
    const stream = open(address);
    const received: unknown[] = [];
    const reading = (async () => {
      for await (const message of stream.messages) received.push(message);
    })();
    for (let counter = 0; counter < 100; counter++) await stream.send(status(counter));
    await until(() => received.length > 100);
    await stream.close();
    await reading;
    const reasons = [testAgentKeyHash, ...Array.from({ length: 100 }, (_, counter) => String(counter))];
    expect(received).toEqual(reasons.map((reason) => ({ body: 'drain', drain: { reason } })));
  });

  it('ends with the status that the handler gave', async () => {
    const address = await serve(async () => {
      throw new StreamEnd('UNAUTHENTICATED', 'unknown token');
    });
    await expect(drain(open(address))).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message: 'unknown token' });
  });

  it('ends with INTERNAL and without details where the handler broke', async () => {
    const address = await serve(async () => {
      throw new Error('password=secret');
    });
    await expect(drain(open(address))).rejects.toMatchObject({ code: 'INTERNAL', message: 'internal error' });
    expect(faults).toHaveLength(1);
  });

  it('is UNAVAILABLE where no collector listens, also when nobody reads at first', async () => {
    const stream = open('127.0.0.1:1');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect(drain(stream)).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await expect(stream.send(status(1))).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('tells the collector when the agent is gone', async () => {
    let over: AbortSignal | undefined;
    let reading = 'running';
    const address = await serve(async (call) => {
      over = call.over;
      await call.send({ body: 'drain', drain: { reason: 'hello' } });
      await readOut(call.messages);
      reading = 'ended';
    });
    const stream = open(address);
    await readFirst(stream.messages);
    await until(() => over?.aborted === true && reading === 'ended');
  });

  it('makes an agent wait while the collector does not read', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let read = 0;
    const address = await serve(async ({ messages }) => {
      await released;
      for await (const message of messages) read += message.body === 'status' ? 1 : 0;
    });
    const stream = open(address);
    const received = drain(stream);
    let sent = 0;
    const sending = (async () => {
      for (; sent < 1000; sent++) await stream.send(status(sent, 'x'.repeat(100_000)));
    })();
    await until(() => sent > 10);
    let before = -1;
    // Nothing moves for a while: the connection is full.
    while (sent !== before) {
      before = sent;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(200);
    expect(read).toBe(0);
    release();
    await sending;
    await stream.close();
    await received;
    expect(read).toBe(1000);
  });

  it('ends alone where a message is garbage, and the others go on', async () => {
    const address = await serve(async ({ messages, send }) => {
      for await (const message of messages) await send({ body: 'drain', drain: { reason: message.body ?? '?' } });
    });
    const other = open(address);
    const received = drain(other);
    const client = openClient(address, testAgentTls);
    closers.push(() => client.close());
    const { path, responseDeserialize } = collectorService().Stream;
    const garbage = client.makeBidiStreamRequest(path, (bytes: Buffer) => bytes, responseDeserialize, new Metadata());
    const ended = new Promise((resolve) => garbage.on('error', resolve));
    garbage.resume();
    garbage.write(Buffer.from([0xff, 0xff, 0xff, 0x01, 0x02]));
    expect(await ended).toMatchObject({ code: 13 });
    expect(refusals).toEqual(['INTERNAL']);
    await other.send(status(1));
    await other.close();
    expect(await received).toEqual([{ body: 'drain', drain: { reason: 'status' } }]);
  });

  it('ends alone where a message is too long', async () => {
    const address = await serve(async ({ messages }) => {
      await readOut(messages);
    });
    const client = openClient(address, testAgentTls, { 'grpc.max_send_message_length': -1 });
    closers.push(() => client.close());
    const { path, responseDeserialize } = collectorService().Stream;
    const flood = client.makeBidiStreamRequest(path, (bytes: Buffer) => bytes, responseDeserialize, new Metadata());
    const ended = new Promise((resolve) => flood.on('error', resolve));
    flood.resume();
    flood.write(Buffer.alloc(MAX_MESSAGE_BYTES + 1));
    expect(await ended).toMatchObject({ code: 8 });
    expect(refusals).toEqual(['RESOURCE_EXHAUSTED']);
    const next = open(address);
    const received = drain(next);
    await next.close();
    expect(await received).toEqual([]);
  });

  it('does not hold up the end of a server whose agents stay', async () => {
    const server = createCollectorServer({
      stream: async ({ over }) => new Promise((resolve) => over.addEventListener('abort', () => resolve())),
      renew: unasked,
      enrol: unasked,
      onFault: () => undefined,
    });
    const stream = open(`127.0.0.1:${await server.listen(LOOPBACK, testServerTls)}`);
    const received = drain(stream).catch((error: unknown) => error);
    await stream.send(status(1));
    const begun = Date.now();
    await server.close(100);
    expect(Date.now() - begun).toBeLessThan(2000);
    expect(await received).toBeInstanceOf(StreamEnd);
  });

  it('survives a peer that speaks another protocol', async () => {
    const address = await serve(async ({ messages }) => {
      await readOut(messages);
    });
    const [host, port] = address.split(':');
    const socket = connect(Number(port), host).resume();
    await new Promise((resolve) =>
      socket
        .on('close', resolve)
        .on('error', () => undefined)
        .end('GET / HTTP/1.1\r\n\r\n'),
    );
    const stream = open(address);
    const received = drain(stream);
    await stream.close();
    expect(await received).toEqual([]);
  });
});
