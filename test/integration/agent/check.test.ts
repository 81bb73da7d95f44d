import { createServer } from 'node:net';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import {
  decided,
  dnsProbe,
  pingProbe,
  startCheckProgram,
  tcpProbe,
  type CheckProgram,
} from '../../support/check-program.ts';
import { data } from '../../support/dns-packet.ts';
import { startDnsServer } from '../../support/dns-server.ts';
import type { CheckProgramOptions } from '../../support/fixtures/check-program.ts';
import { startFullQueue } from '../../support/full-queue.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function program(
  options?: CheckProgramOptions,
  wrap?: (...command: string[]) => string[],
): Promise<CheckProgram> {
  const started = await startCheckProgram(options, wrap);
  closers.push(() => started.close());
  return started;
}

async function openPort(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => {})).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => new Promise((done) => server.close(done)));
  const address = server.address();
  return typeof address === 'object' && address ? address.port : 0;
}

async function fullPort(): Promise<number> {
  const queue = await startFullQueue();
  closers.push(() => queue.close());
  return queue.port;
}

describe('an agent that was stopped for three seconds in the middle of its checks', () => {
  it('calls no open port, no answering name server and no running function DOWN', async () => {
    const agent = await program();
    const port = await openPort();
    const dns = await startDnsServer(() => ({ records: [data.a('192.0.2.1')] }));
    closers.push(() => dns.close());
    const evaluated = 'r => { for (let i = 0; i < 3e4; i++); return { status: "UP", latency: 1 } }';
    await agent.check(tcpProbe([{ host: '127.0.0.1', port }], evaluated));
    const statuses: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const checks = Array.from({ length: 40 }, (_, index) => [
        agent.check(tcpProbe([{ host: '127.0.0.1', port, timeout: 300 }], index % 4 === 0 ? evaluated : undefined)),
        agent.check(dnsProbe({ host: 'www.example.test', nameServer: dns.address })),
      ]).flat();
      process.kill(agent.pid, 'SIGSTOP');
      await wait(3000);
      process.kill(agent.pid, 'SIGCONT');
      for (const outcome of await Promise.all(checks)) {
        statuses.push(outcome.status === 'UP' ? 'UP' : `${outcome.status} ${outcome.error}`);
      }
    }
    expect(statuses).toHaveLength(240);
    expect(statuses.filter((status) => status === 'UP').length).toBeGreaterThan(0);
    expect(statuses.filter((status) => !/^(UP$|UNKNOWN stalled: )/.test(status))).toEqual([]);
  });

  it('does not blame a function that was running for the time it was stopped', async () => {
    const agent = await program();
    const port = await openPort();
    const busy = 'r => { let n = 0; for (let i = 0; i < 1e5; i++) n += i % 7; return { status: "UP", latency: n } }';
    const probe = tcpProbe([{ host: '127.0.0.1', port, timeout: 5000 }], busy);
    expect(await agent.check(probe)).toMatchObject({ status: 'UP' });
    for (let round = 0; round < 2; round += 1) {
      // Enough of them to keep the sandbox at work while the process is stopped.
      const checks = Array.from({ length: 100 }, () => agent.check(probe));
      await wait(150);
      process.kill(agent.pid, 'SIGSTOP');
      await wait(3000);
      process.kill(agent.pid, 'SIGCONT');
      const faults = (await Promise.all(checks)).filter(({ status }) => status !== 'UP');
      expect(faults).toEqual([]);
    }
  });

  it('calls a silent one stalled, not DOWN', async () => {
    const agent = await program();
    const silent = await startDnsServer(() => 'silent');
    closers.push(() => silent.close());
    const port = await fullPort();
    const checks = [
      agent.check(tcpProbe([{ host: '127.0.0.1', port, timeout: 1000 }])),
      agent.check(dnsProbe({ host: 'www.example.test', nameServer: silent.address })),
    ];
    await wait(300);
    process.kill(agent.pid, 'SIGSTOP');
    await wait(3500);
    process.kill(agent.pid, 'SIGCONT');
    for (const outcome of await Promise.all(checks)) {
      expect(outcome).toMatchObject({
        status: 'UNKNOWN',
        cause: 'AGENT',
        error: expect.stringMatching(/^stalled: /) as unknown,
      });
    }
  });
});

describe('an agent without a free descriptor', () => {
  it('measures nothing and calls nothing DOWN', async () => {
    const agent = await program({}, (...command) => ['sh', '-c', 'ulimit -n 256; exec "$@"', 'sh', ...command]);
    const port = await openPort();
    const dns = await startDnsServer(() => ({ records: [data.a('192.0.2.1')] }));
    closers.push(() => dns.close());
    const tcp = tcpProbe([{ host: '127.0.0.1', port }]);
    expect(await agent.check(tcp)).toMatchObject({ status: 'UP' });
    expect(await agent.check(tcp, { exhaust: true })).toMatchObject({
      status: 'UNKNOWN',
      error: expect.stringMatching(/^descriptors: .*EMFILE/) as unknown,
    });
    const asked = dnsProbe({ host: 'www.example.test', nameServer: dns.address });
    expect(await agent.check(asked)).toMatchObject({
      status: 'UNKNOWN',
      error: expect.stringMatching(/^descriptors: /) as unknown,
    });
    const named = tcpProbe([{ host: 'www.example.test', port }]);
    expect(await agent.check(named)).toMatchObject({
      status: 'UNKNOWN',
      error: expect.stringMatching(/^descriptors: /) as unknown,
    });
  });
});

describe('an agent whose resolver died', () => {
  it('knows nothing of what it must resolve, and all of what it need not', async () => {
    const silent = await startDnsServer(() => 'silent');
    closers.push(() => silent.close());
    const agent = await program({ servers: [silent.address] });
    const port = await openPort();
    const resolver = { status: 'UNKNOWN', cause: 'RESOLVER', error: expect.stringMatching(/^resolver: /) as unknown };
    const [tcp, ping, dns, literal] = await Promise.all([
      agent.check(tcpProbe([{ host: 'www.example.test', port }])),
      agent.check(pingProbe([{ host: 'www.example.test' }])),
      agent.check(dnsProbe({ host: 'www.example.test' })),
      agent.check(tcpProbe([{ host: '127.0.0.1', port }])),
    ]);
    expect(tcp).toMatchObject(resolver);
    expect(ping).toMatchObject(resolver);
    expect(dns).toMatchObject(resolver);
    expect(literal).toMatchObject({ status: 'UP' });
  });

  it('believes it when it says that a name does not exist', async () => {
    const server = await startDnsServer(() => ({ rcode: 'NXDOMAIN' }));
    closers.push(() => server.close());
    const agent = await program({ servers: [server.address] });
    const down = { status: 'DOWN', cause: 'TARGET', origin: 'REALTIME' };
    expect(await agent.check(tcpProbe([{ host: 'gone.example.test', port: 80 }]))).toMatchObject(down);
    expect(await agent.check(pingProbe([{ host: 'gone.example.test' }]))).toMatchObject(down);
    expect(await agent.check(dnsProbe({ host: 'gone.example.test' }))).toMatchObject(down);
  });
});

describe('an agent whose own resolver answers SERVFAIL, as a stub does when the network behind it is gone', () => {
  it("is offline without other proof, and believes it with the collector's", async () => {
    const server = await startDnsServer(() => ({ rcode: 'SERVFAIL' }));
    closers.push(() => server.close());
    const probe = dnsProbe({ host: 'www.example.test' });
    const alone = await program({ servers: [server.address] });
    expect(await decided(alone, probe)).toMatchObject({
      status: 'UNKNOWN',
      error: expect.stringMatching(/^offline: /) as unknown,
    });
    const connected = await program({
      servers: [server.address],
      collector: { host: '127.0.0.1', port: await openPort() },
    });
    expect(await decided(connected, probe)).toMatchObject({ status: 'DOWN', cause: 'RESOLVER' });
  });
});

describe('an agent whose owner allows no loopback', () => {
  it('touches nothing there, by address, by name or as a name server', async () => {
    const dns = await startDnsServer(() => ({ records: [data.a('127.0.0.1')] }));
    closers.push(() => dns.close());
    const agent = await program({ servers: [dns.address], allow: ['private'] });
    let visits = 0;
    const server = createServer(() => (visits += 1)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    closers.push(() => new Promise((done) => server.close(done)));
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const source = 'r => ({ status: "UP", latency: 1 })';
    const probes = [
      tcpProbe([{ host: '127.0.0.1', port }], source),
      tcpProbe([{ host: '::ffff:127.0.0.1', port }]),
      tcpProbe([{ host: 'localhost', port }]),
      tcpProbe([{ host: 'inside.example.test', port }]),
      pingProbe([{ host: '127.0.0.1' }], source),
      dnsProbe({ host: 'www.example.test', nameServer: dns.address }),
    ];
    for (const outcome of await Promise.all(probes.map((probe) => agent.check(probe)))) {
      expect(outcome).toMatchObject({
        status: 'UNKNOWN',
        cause: 'AGENT',
        error: expect.stringMatching(/^policy: .*loopback/) as unknown,
      });
    }
    expect(visits).toBe(0);
    expect(dns.asked.map(({ name }) => name)).toEqual(['inside.example.test']);
  });
});

describe('a check', () => {
  it("is DOWN for a refused or silent port of the agent's own host, which needs no network", async () => {
    const agent = await program();
    const port = await openPort();
    const silentPort = await fullPort();
    const hosts = [
      { host: '127.0.0.1', port },
      { host: '127.0.0.1', port: silentPort, timeout: 200 },
    ];
    expect(await decided(agent, tcpProbe(hosts))).toMatchObject({
      status: 'DOWN',
      cause: 'TARGET',
      error: `Host 127.0.0.1:${silentPort} is timeout`,
    });
  });

  it("asks the user's function, which sees the fields of the reference", async () => {
    const agent = await program();
    const port = await openPort();
    const source = 'r => { throw new Error(JSON.stringify(Object.keys(r[0])) + r[0].status + r[0].code) }';
    expect(await agent.check(tcpProbe([{ host: '127.0.0.1', port }], source))).toMatchObject({
      status: 'DOWN',
      origin: 'ERROR',
      latencyUs: 0,
      error: 'Error in tcpEval: ["status","latency","host","port","type","code"]openopen',
    });
    const degraded = 'async function (r) { return { status: r.length > 0 ? "DEGRADED" : "UP", latency: 12.5 } }';
    expect(await agent.check(tcpProbe([{ host: '127.0.0.1', port }], degraded))).toMatchObject({
      status: 'DEGRADED',
      latencyUs: 12_500,
      error: 'tcpEval returned DEGRADED.',
    });
  });
});
