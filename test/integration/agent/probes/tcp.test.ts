import { once } from 'node:events';
import { createServer, isIP, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createStartQueue } from '../../../../agent/probes/start-queue.ts';
import type { Resolve } from '../../../../agent/probes/target.ts';
import { measureTcp, type TcpAttempt } from '../../../../agent/probes/tcp.ts';
import { startFullQueue } from '../../../support/full-queue.ts';

const never = new AbortController().signal;
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const literal: Resolve = async ({ host }) => ({ kind: 'address', address: host, family: isIP(host) === 6 ? 6 : 4 });

interface Setting {
  resolve?: Resolve;
  signal?: AbortSignal;
  clock?: () => number;
}

async function measure(
  hosts: { host: string; port: number; timeout?: number }[],
  { resolve = literal, signal = never, clock }: Setting = {},
): Promise<TcpAttempt[]> {
  const typed = hosts.map((host) => ({ type: 'IP4' as const, timeout: 1000, ...host }));
  return measureTcp({ hosts: typed }, { resolve, starts: createStartQueue(), ...(clock ? { clock } : {}) }, signal);
}

async function measureOne(
  host: { host: string; port: number; timeout?: number },
  setting?: Setting,
): Promise<TcpAttempt> {
  const [attempt] = await measure([host], setting);
  if (!attempt) throw new Error('one host gives one attempt');
  return attempt;
}

async function listen(host = '127.0.0.1'): Promise<{ server: Server; port: number }> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, host);
  await once(server, 'listening');
  closers.push(() => new Promise((done) => server.close(done)));
  const address = server.address();
  return { server, port: typeof address === 'object' && address ? address.port : 0 };
}

async function closedPort(): Promise<number> {
  const { server, port } = await listen();
  await new Promise((done) => server.close(done));
  closers.pop();
  return port;
}

describe('a TCP attempt', () => {
  it.each(['127.0.0.1', '::1'])(
    "on an open port of %s is open, with a latency below a millisecond's grain",
    async (host) => {
      const { port } = await listen(host);
      const attempt = await measureOne({ host, port });
      expect(attempt).toMatchObject({
        status: 'open',
        code: 'open',
        host,
        port,
        type: 'IP4',
        address: host,
        problem: null,
      });
      expect(attempt.latency).toBeGreaterThan(0);
      expect(attempt.latency).toBeLessThan(500);
      expect(Number.isInteger(attempt.latency)).toBe(false);
    },
  );

  it('on a closed port is refused', async () => {
    const attempt = await measureOne({ host: '127.0.0.1', port: await closedPort() });
    expect(attempt).toMatchObject({ status: 'error', code: 'refused', detail: 'ECONNREFUSED', problem: null });
    expect(attempt.latency).toBeGreaterThan(0);
  });

  it('on a port that does not accept ends at its timeout', async () => {
    const queue = await startFullQueue();
    closers.push(() => queue.close());
    const attempt = await measureOne({ host: '127.0.0.1', port: queue.port, timeout: 300 });
    expect(attempt).toMatchObject({ status: 'timeout', code: 'timeout', problem: null });
    expect(attempt.latency).toBeGreaterThan(298);
    expect(attempt.latency).toBeLessThan(550);
  });

  it('on a name that does not exist is an error of the target', async () => {
    const resolve: Resolve = async () => ({ kind: 'definite', error: 'gone does not exist' });
    const attempt = await measureOne({ host: 'gone', port: 80 }, { resolve });
    expect(attempt).toMatchObject({
      status: 'error',
      code: 'unresolved',
      detail: 'gone does not exist',
      problem: null,
    });
  });

  it('on a host that the agent could not resolve is not measured', async () => {
    const resolve: Resolve = async () => ({ kind: 'problem', reason: 'resolver', detail: 'silent', cause: 'RESOLVER' });
    const attempt = await measureOne({ host: 'www', port: 80 }, { resolve });
    expect(attempt).toMatchObject({
      code: 'unmeasured',
      problem: { reason: 'resolver', detail: 'silent', cause: 'RESOLVER' },
    });
  });

  it('that ended at its timeout holds no descriptor any longer', async () => {
    const queue = await startFullQueue();
    closers.push(() => queue.close());
    const sockets = (): number => process.getActiveResourcesInfo().filter((name) => name.startsWith('TCPS')).length;
    const before = sockets();
    await measure(Array.from({ length: 5 }, () => ({ host: '127.0.0.1', port: queue.port, timeout: 50 })));
    await new Promise((done) => setTimeout(done, 50));
    expect(sockets()).toBe(before);
  });

  it('that is ended early is not measured', async () => {
    const queue = await startFullQueue();
    closers.push(() => queue.close());
    const controller = new AbortController();
    const attempt = measureOne({ host: '127.0.0.1', port: queue.port, timeout: 60_000 }, { signal: controller.signal });
    setImmediate(() => controller.abort());
    expect(await attempt).toMatchObject({ problem: { reason: 'cut', cause: 'AGENT' } });
    const late = await measureOne({ host: '127.0.0.1', port: queue.port }, { signal: controller.signal });
    expect(late).toMatchObject({ problem: { reason: 'cut' } });
  });

  it('whose silence fell into a sleep of the whole machine is stalled', async () => {
    const queue = await startFullQueue();
    closers.push(() => queue.close());
    let bootMs = 0;
    const attempt = measureOne({ host: '127.0.0.1', port: queue.port, timeout: 100 }, { clock: () => bootMs });
    // The monotonic clock, and with it the timer, stands still while a machine sleeps; the clock since boot does not.
    setTimeout(() => (bootMs = 60_000), 10);
    expect(await attempt).toMatchObject({ problem: { reason: 'stalled', cause: 'AGENT' } });
  });

  it('leaves nothing open: the peer sees a reset', async () => {
    const { server, port } = await listen();
    const closed = once(server, 'connection').then(async ([socket]: unknown[]) => {
      const [error] = (await once(socket as Server, 'error').catch((reason: unknown) => [reason])) as [
        NodeJS.ErrnoException,
      ];
      return error.code;
    });
    await measureOne({ host: '127.0.0.1', port });
    expect(await closed).toBe('ECONNRESET');
  });
});

describe('several hosts', () => {
  it('are measured side by side and answered in their order', async () => {
    const queue = await startFullQueue();
    closers.push(() => queue.close());
    const { port } = await listen();
    const slow = { host: '127.0.0.1', port: queue.port, timeout: 1000 };
    const startedMs = performance.now();
    const attempts = await measure([
      slow,
      { host: '127.0.0.1', port },
      slow,
      { host: '127.0.0.1', port: await closedPort() },
    ]);
    expect(attempts.map(({ code }) => code)).toEqual(['timeout', 'open', 'timeout', 'refused']);
    expect(performance.now() - startedMs).toBeLessThan(1900);
  });
});
