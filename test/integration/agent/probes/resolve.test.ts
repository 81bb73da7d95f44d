import type { Resolver } from 'node:dns/promises';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createOwnResolver } from '../../../../agent/probes/own-resolver.ts';
import { createResolve } from '../../../../agent/probes/resolve.ts';
import type { ResolvedTarget } from '../../../../agent/probes/target.ts';
import { data } from '../../../support/dns-packet.ts';
import { startDnsServer, type DnsServer, type Script } from '../../../support/dns-server.ts';

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(script: Script): Promise<DnsServer> {
  const server = await startDnsServer(script);
  closers.push(() => server.close());
  return server;
}

async function file(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'farwatch-resolve-'));
  closers.push(() => rm(folder, { recursive: true }));
  const path = join(folder, 'file');
  await writeFile(path, text);
  return path;
}

interface Setting {
  servers?: string[];
  hosts?: string;
  conf?: string;
  deadlineMs?: number;
}

async function resolveName(host: string, setting: Setting = {}): Promise<ResolvedTarget> {
  const resolve = createResolve({
    resolver: createOwnResolver({ servers: setting.servers ?? [] }),
    hostsFile: await file(setting.hosts ?? ''),
    resolvConf: await file(setting.conf ?? ''),
    ...(setting.deadlineMs === undefined ? {} : { deadlineMs: setting.deadlineMs }),
  });
  return resolve({ type: 'DOMAIN', host }, never);
}

describe('a host name', () => {
  it('is one IPv4 address where it has both', async () => {
    const server = await serve((_, type) =>
      type === 'A'
        ? { records: [data.a('192.0.2.1'), data.a('192.0.2.2')] }
        : { records: [data.aaaa(1, 2, 3, 4, 5, 6, 7, 8)] },
    );
    const target = await resolveName('both.example.test', { servers: [server.address] });
    expect(target).toMatchObject({ kind: 'address', family: 4 });
    expect(server.asked.map(({ type }) => type)).toEqual(['A']);
  });

  it('is an IPv6 address where it has no other', async () => {
    const server = await serve((_, type) =>
      type === 'AAAA' ? { records: [data.aaaa(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)] } : {},
    );
    const target = await resolveName('six.example.test', { servers: [server.address] });
    expect(target).toEqual({ kind: 'address', address: '2001:db8::1', family: 6 });
  });

  it('is looked for in the hosts file first, in any case', async () => {
    const hosts = '# a comment\n192.0.2.9 Printer printer.example.test # another\n::1 six\nnonsense line\n';
    expect(await resolveName('printer', { hosts })).toMatchObject({ address: '192.0.2.9', family: 4 });
    expect(await resolveName('PRINTER.example.test.', { hosts })).toMatchObject({ address: '192.0.2.9' });
    expect(await resolveName('six', { hosts })).toMatchObject({ address: '::1', family: 6 });
  });

  it('that is localhost never leaves the host', async () => {
    const server = await serve(() => ({ rcode: 'NXDOMAIN' }));
    for (const name of ['localhost', 'LOCALHOST', 'db.localhost', 'localhost.']) {
      expect(await resolveName(name, { servers: [server.address] })).toMatchObject({ address: '127.0.0.1', family: 4 });
    }
    expect(server.asked).toEqual([]);
  });

  it('that is short is completed by the search list first, one with dots last', async () => {
    const server = await serve((name) =>
      name === 'db.inner.test' ? { records: [data.a('192.0.2.3')] } : { rcode: 'NXDOMAIN' },
    );
    const conf = 'search outer.test inner.test\noptions ndots:1\n';
    const target = await resolveName('db', { servers: [server.address], conf });
    expect(target).toMatchObject({ address: '192.0.2.3' });
    expect(server.asked.map(({ name }) => name)).toEqual(['db.outer.test', 'db.inner.test']);
    server.asked.length = 0;
    await resolveName('a.b', { servers: [server.address], conf });
    expect(server.asked.map(({ name }) => name)).toEqual(['a.b', 'a.b.outer.test', 'a.b.inner.test']);
    server.asked.length = 0;
    await resolveName('a.b.', { servers: [server.address], conf });
    expect(server.asked.map(({ name }) => name)).toEqual(['a.b']);
  });
});

describe('a name that gives no address', () => {
  it('because it does not exist is a definite answer', async () => {
    const server = await serve(() => ({ rcode: 'NXDOMAIN' }));
    const target = await resolveName('gone.example.test', { servers: [server.address] });
    expect(target).toEqual({ kind: 'definite', error: 'gone.example.test does not exist' });
  });

  it('though it exists is a definite answer', async () => {
    const server = await serve(() => ({}));
    const target = await resolveName('bare.example.test', { servers: [server.address] });
    expect(target).toEqual({ kind: 'definite', error: 'bare.example.test has no address' });
  });

  it.each(['SERVFAIL', 'REFUSED', 'NOTIMP'] as const)('because the resolver says %s is its problem', async (rcode) => {
    const server = await serve(() => ({ rcode }));
    const target = await resolveName('www.example.test', { servers: [server.address] });
    expect(target).toMatchObject({ kind: 'problem', reason: 'resolver', cause: 'RESOLVER' });
  });

  it('because every resolver is silent is its problem, at the deadline', async () => {
    const servers = [await serve(() => 'silent'), await serve(() => 'silent')].map(({ address }) => address);
    const startedMs = performance.now();
    const target = await resolveName('www.example.test', { servers, deadlineMs: 400 });
    expect(target).toMatchObject({ kind: 'problem', reason: 'resolver', cause: 'RESOLVER' });
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  it.each([
    ['the first of three servers is asked', 50],
    ['two of three are asked', 1000],
  ])('because it was cut off while %s ends at once', async (_, afterMs) => {
    const servers = await Promise.all([1, 2, 3].map(() => serve(() => 'silent')));
    const resolver = createOwnResolver({ servers: servers.map(({ address }) => address) });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), afterMs);
    const question = (each: Resolver): Promise<string[]> => each.resolve4('www.example.test');
    expect(await resolver.ask(question, 10_000, controller.signal)).toEqual({ kind: 'silence', end: 'cut' });
  });

  it('does not hold up hosts that are addresses, however many names wait for a dead resolver', async () => {
    const server = await serve(() => 'silent');
    const resolve = createResolve({
      resolver: createOwnResolver({ servers: [server.address] }),
      hostsFile: '/dev/null',
      resolvConf: '/dev/null',
      deadlineMs: 1500,
    });
    const names = Array.from({ length: 500 }, (_, index) =>
      resolve({ type: 'DOMAIN', host: `host-${index}.example.test` }, never),
    );
    const startedMs = performance.now();
    const target = await resolve({ type: 'IP4', host: '127.0.0.1' }, never);
    expect(performance.now() - startedMs).toBeLessThan(500);
    expect(target).toMatchObject({ kind: 'address' });
    const answers = await Promise.all(names);
    expect(new Set(answers.map((one) => (one.kind === 'problem' ? one.reason : one.kind)))).toEqual(
      new Set(['resolver']),
    );
  });
});
