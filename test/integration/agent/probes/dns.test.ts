import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { dnsTypeData, type RecordType } from '../../../../core/type-data.ts';
import { measureDns, type DnsAttempt } from '../../../../agent/probes/dns.ts';
import { createOwnResolver } from '../../../../agent/probes/own-resolver.ts';
import { createResolve } from '../../../../agent/probes/resolve.ts';
import type { Resolve } from '../../../../agent/probes/target.ts';
import { data, type DnsReply, type TypeName } from '../../../support/dns-packet.ts';
import { startDnsServer, type DnsServer, type Script } from '../../../support/dns-server.ts';

const never = new AbortController().signal;
const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function serve(script: Script, host?: string): Promise<DnsServer> {
  const server = await startDnsServer(script, host);
  closers.push(() => server.close());
  return server;
}

interface Ask {
  host?: string;
  type?: RecordType;
  nameServer: string;
  own?: string[];
  signal?: AbortSignal;
}

function ask({
  host = 'www.example.test',
  type = 'A',
  nameServer,
  own = [],
  signal = never,
}: Ask): Promise<DnsAttempt> {
  const config = dnsTypeData.parse({ host, lookupRecord: type, nameServer, values: ['x'] });
  const resolver = createOwnResolver({ servers: own });
  return measureDns(config, { resolver, resolve: createResolve({ resolver, resolvConf: '/dev/null' }) }, signal);
}

/** An address of loopback on which nobody takes UDP. */
async function closedPort(): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((done) => socket.close(() => done()));
  return port;
}

const ZONE: Partial<Record<TypeName, DnsReply>> = {
  A: { records: [data.a('192.0.2.1'), data.a('192.0.2.2')] },
  AAAA: { records: [data.aaaa(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1)] },
  CAA: { records: [data.caa(0, 'issue', 'ca.example.test'), data.caa(128, 'iodef', 'mailto:a@example.test')] },
  CNAME: { records: [data.name('Other.example.test')] },
  MX: { records: [data.mx(10, 'mail.example.test')] },
  NAPTR: { records: [data.naptr(100, 50, 's', 'SIP+D2U', '', '_sip._udp.example.test')] },
  NS: { records: [data.name('ns1.example.test'), data.name('ns2.example.test')] },
  PTR: { records: [data.name('host.example.test')] },
  SOA: { records: [data.soa('ns1.example.test', 'admin.example.test', 7, 3600, 600, 86400, 60)] },
  SRV: { records: [data.srv(1, 2, 5060, 'sip.example.test')] },
  TXT: { records: [data.txt('v=spf1 -all'), data.txt('one', 'two')] },
};

describe('the records of each type, as the text that is compared', () => {
  it.each<[RecordType, string[]]>([
    ['A', ['192.0.2.1', '192.0.2.2']],
    ['AAAA', ['2001:db8::1']],
    ['CAA', ['0 issue ca.example.test', '128 iodef mailto:a@example.test']],
    ['CNAME', ['Other.example.test']],
    ['MX', ['mail.example.test']],
    ['NAPTR', ['100 50 s SIP+D2U  _sip._udp.example.test']],
    ['NS', ['ns1.example.test', 'ns2.example.test']],
    ['PTR', ['host.example.test']],
    ['SOA', ['ns1.example.test admin.example.test 7 3600 600 86400 60']],
    ['SRV', ['1 2 5060 sip.example.test']],
    ['TXT', ['v=spf1 -all', 'onetwo', 'one two']],
  ])('%s', async (type, expected) => {
    const server = await serve((_, asked) => (asked === 'OTHER' ? 'silent' : (ZONE[asked] ?? { rcode: 'NXDOMAIN' })));
    const attempt = await ask({ type, nameServer: server.address });
    expect(attempt).toMatchObject({ code: 'answer', problem: null, own: false, address: '127.0.0.1' });
    expect([...attempt.values].sort()).toEqual([...expected].sort());
    expect(attempt.latency).toBeGreaterThan(0);
  });

  it.each([
    ['192.0.2.10', '10.2.0.192.in-addr.arpa'],
    ['2001:db8::567:89ab', 'b.a.9.8.7.6.5.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa'],
    ['host.example.test', 'host.example.test'],
  ])('PTR of %s is asked as %s', async (host, name) => {
    const server = await serve(() => ({ records: [data.name('host.example.test')] }));
    await ask({ host, type: 'PTR', nameServer: server.address });
    expect(server.asked).toEqual([{ name, type: 'PTR', over: 'udp' }]);
  });
});

describe('a name server that answers', () => {
  it.each([
    ['NXDOMAIN', 'nxdomain'],
    ['SERVFAIL', 'servfail'],
    ['REFUSED', 'refused'],
    ['FORMERR', 'formerr'],
    ['NOTIMP', 'notimp'],
    ['NOERROR', 'nodata'],
  ] as const)('%s is told apart as %s, given or the own one', async (rcode, code) => {
    const server = await serve(() => ({ rcode }));
    expect(await ask({ nameServer: server.address })).toMatchObject({ code, problem: null, values: [] });
    expect(await ask({ nameServer: '', own: [server.address] })).toMatchObject({ code, problem: null, own: true });
  });

  it('is asked again over TCP when its answer was cut', async () => {
    const records = Array.from({ length: 60 }, (_, index) => data.txt(`${index} ${'x'.repeat(200)}`));
    const server = await serve(() => ({ records, truncated: true }));
    const attempt = await ask({ type: 'TXT', nameServer: server.address });
    expect(attempt.values).toHaveLength(60);
    expect(server.asked.map(({ over }) => over)).toEqual(['udp', 'tcp']);
  });

  it('is asked once a check, so that nothing comes from a cache', async () => {
    const server = await serve(() => ({ records: [data.a('192.0.2.1')] }));
    for (let round = 0; round < 3; round += 1) await ask({ nameServer: server.address });
    expect(server.asked).toHaveLength(3);
  });

  it('is found over IPv6', async () => {
    const server = await serve(() => ({ records: [data.a('192.0.2.1')] }), '::1');
    expect(await ask({ nameServer: server.address })).toMatchObject({ code: 'answer', address: '::1' });
  });

  it('is found by its name, which the own resolver knows', async () => {
    const server = await serve((name, type) => {
      return name === 'ns.example.test' && type === 'A'
        ? { records: [data.a('127.0.0.1')] }
        : { records: [data.a('192.0.2.7')] };
    });
    const nameServer = `ns.example.test:${server.port}`;
    const attempt = await ask({ nameServer, own: [server.address] });
    expect(attempt).toMatchObject({ code: 'answer', values: ['192.0.2.7'], address: '127.0.0.1' });
  });
});

describe('a name server that does not answer', () => {
  it("is the target's fault when it was given, at the deadline of three seconds", async () => {
    const server = await serve(() => 'silent');
    const attempt = await ask({ nameServer: server.address });
    expect(attempt).toMatchObject({ code: 'timeout', problem: null });
    expect(attempt.latency).toBeGreaterThan(2990);
    expect(attempt.latency).toBeLessThan(3250);
  });

  it('has its three seconds, however long it took to come to the question', async () => {
    const server = await serve(() => 'silent');
    const config = dnsTypeData.parse({ host: 'www.example.test', nameServer: server.address, values: ['x'] });
    const resolve: Resolve = async () => {
      await wait(700);
      return { kind: 'address', address: '127.0.0.1', family: 4 };
    };
    const attempt = await measureDns(config, { resolver: createOwnResolver({ servers: [] }), resolve }, never);
    expect(attempt.code).toBe('timeout');
    expect(attempt.latency).toBeGreaterThan(2990);
  });

  it("is the agent's problem when it is its own", async () => {
    const server = await serve(() => 'silent');
    const attempt = await ask({ nameServer: '', own: [server.address] });
    expect(attempt).toMatchObject({ code: 'unmeasured', problem: { reason: 'resolver', cause: 'RESOLVER' } });
  });

  it("with a closed port is told from silence when given, and is the agent's problem when its own", async () => {
    const address = `127.0.0.1:${await closedPort()}`;
    expect(await ask({ nameServer: address })).toMatchObject({ code: 'unreachable', problem: null });
    expect(await ask({ nameServer: '', own: [address] })).toMatchObject({ problem: { reason: 'resolver' } });
  });

  it('whose own name does not exist is not found', async () => {
    const server = await serve(() => ({ rcode: 'NXDOMAIN' }));
    const attempt = await ask({ nameServer: 'gone.example.test', own: [server.address] });
    expect(attempt).toMatchObject({ code: 'unresolved', problem: null, detail: 'gone.example.test does not exist' });
  });

  it('is passed over for the next one of the own resolvers', async () => {
    const silent = await serve(() => 'silent');
    const failing = await serve(() => ({ rcode: 'SERVFAIL' }));
    const good = await serve(() => ({ records: [data.a('192.0.2.1')] }));
    const attempt = await ask({ nameServer: '', own: [silent.address, failing.address, good.address] });
    expect(attempt).toMatchObject({ code: 'answer', values: ['192.0.2.1'] });
    expect(attempt.latency).toBeLessThan(2000);
  });

  it('is passed over at once when it says that it failed', async () => {
    const failing = await serve(() => ({ rcode: 'SERVFAIL' }));
    const good = await serve(() => ({ records: [data.a('192.0.2.1')] }));
    const attempt = await ask({ nameServer: '', own: [failing.address, good.address] });
    expect(attempt.code).toBe('answer');
    expect(attempt.latency).toBeLessThan(700);
  });

  it('leaves the check unmeasured when that is ended early', async () => {
    const server = await serve(() => 'silent');
    const controller = new AbortController();
    const attempt = ask({ nameServer: server.address, signal: controller.signal });
    controller.abort();
    expect(await attempt).toMatchObject({ problem: { reason: 'cut', cause: 'AGENT' } });
  });
});
