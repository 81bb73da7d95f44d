import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createReferences } from '../../../agent/references.ts';
import { eventually } from '../../support/eventually.ts';
import { startFullQueue } from '../../support/full-queue.ts';

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function acceptor(): Promise<{ port: number; server: Server; accepted: () => number }> {
  let accepted = 0;
  const server = createServer((socket) => {
    accepted += 1;
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => server.close());
  // A server that listens on TCP has such an address.
  return { port: (server.address() as AddressInfo).port, server, accepted: () => accepted };
}

const at = (port: number): { host: string; port: number } => ({ host: '127.0.0.1', port });

describe('a reference', () => {
  it('that accepts a connection is an answer, with when it was asked', async () => {
    const { port } = await acceptor();
    let nowMs = 1000;
    const answers: [string, number, number][] = [];
    const onAnswer = (...answer: [string, number, number]): unknown => answers.push(answer);
    const references = createReferences({ addresses: [at(port)], monotonicMs: () => nowMs, onAnswer });
    references.ask();
    nowMs = 1500;
    await eventually('an answer', 10_000, () => answers.length > 0);
    expect(answers).toEqual([['127.0.0.1', 1000, 1500]]);
  });

  it('that refuses or is silent is none, is tried once at a time, and is told of after two minutes', async () => {
    const full = await startFullQueue();
    closers.push(() => full.close());
    const { port: refused, server } = await acceptor();
    server.close();
    const { port: open, accepted } = await acceptor();
    let nowMs = 0;
    let answers = 0;
    const monotonicMs = (): number => nowMs;
    const onAnswer = (): unknown => (answers += 1);
    const silent = createReferences({ addresses: [at(full.port), at(refused)], monotonicMs, onAnswer });
    const heard = createReferences({ addresses: [at(open)], monotonicMs, onAnswer });
    silent.ask();
    for (let times = 0; times < 3; times += 1) heard.ask();
    await eventually('the answer of the open one', 10_000, () => answers > 0);
    expect([answers, accepted()]).toEqual([1, 1]);
    expect(silent.problem()).toBeNull();
    nowMs = 120_001;
    expect(silent.problem()).toContain('FARWATCH_REFERENCES');
    heard.ask();
    await eventually('the next answer', 10_000, () => answers === 2);
    expect(heard.problem()).toBeNull();
    expect(createReferences({ addresses: [], monotonicMs, onAnswer }).problem()).toBeNull();
  });
});
