import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import type { Outcome } from '../../../core/outcome.ts';
import {
  decided,
  dnsProbe,
  pingProbe,
  startCheckProgram,
  tcpProbe,
  type CheckProgram,
} from '../../support/check-program.ts';
import type { CheckProgramOptions } from '../../support/fixtures/check-program.ts';
import { join, makeNetwork, type Network } from '../../support/network.ts';
import { NO_VETH, rawPermission } from '../../support/raw-permission.ts';

/** Accepts connections for ever. */
const ACCEPTOR =
  "import socket;s=socket.socket();s.setsockopt(1,2,1);s.bind(('0.0.0.0',8080));s.listen(1000);print('up',flush=True)\n" +
  'while True: s.accept()[0].close()';

const PORT = 8080;
const collector = { host: '10.77.0.2', port: PORT };
/** In the network of the agent, on a machine that is there. */
const there = { host: '10.77.0.2', port: PORT, timeout: 500 };
/** No machine has these addresses; the second is one of the public network. */
const gone = { host: '10.77.0.9', port: PORT, timeout: 500 };
const goneBeyond = { host: '203.0.113.9', port: PORT, timeout: 500 };

const OFFLINE = { status: 'UNKNOWN', error: expect.stringMatching(/^offline: /) as unknown };

let near: Network;
let far: Network;
const closers: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  if (!rawPermission.veth) return;
  near = await makeNetwork();
  far = await makeNetwork(near);
  join(near, 'near', ['10.77.0.1/24', '203.0.113.1/24'], far, 'far', ['10.77.0.2/24', '203.0.113.2/24']);
  const [file = '', ...rest] = far.inside('python3', '-c', ACCEPTOR);
  const target = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(target.stdout, 'data');
  closers.push(async () => {
    const ended = once(target, 'exit');
    target.kill();
    await ended;
    await far.close();
    await near.close();
  });
});

afterAll(async () => {
  for (const close of closers.reverse()) await close();
});

async function agentInside(options: CheckProgramOptions): Promise<CheckProgram> {
  const agent = await startCheckProgram(options, (...command) => near.inside(...command));
  closers.push(() => agent.close());
  return agent;
}

function needVeth(context: TestContext): void {
  context.skip(!rawPermission.veth, NO_VETH);
}

function cut(): void {
  far.run('ip', 'link', 'set', 'far', 'down');
}

function mend(): void {
  far.run('ip', 'link', 'set', 'far', 'up');
}

describe('silence', () => {
  it("is the target's fault where the collector answered meanwhile", async (context) => {
    needVeth(context);
    const agent = await agentInside({ collector });
    const down = { status: 'DOWN', cause: 'TARGET' };
    expect(await decided(agent, tcpProbe([gone]))).toMatchObject({ ...down, error: 'Host 10.77.0.9:8080 is timeout' });
    expect(await decided(agent, pingProbe([{ host: gone.host, count: 1, timeout: 500 }]))).toMatchObject(down);
    const dns = dnsProbe({ host: 'www.example.test', nameServer: gone.host });
    expect(await decided(agent, dns)).toMatchObject({ status: 'DOWN', cause: 'RESOLVER' });
    expect(await decided(agent, tcpProbe([goneBeyond]))).toMatchObject(down);
  });

  it("is the target's fault where another target answered before it and after it, though no collector does", async (context) => {
    needVeth(context);
    const agent = await agentInside({});
    expect(await decided(agent, tcpProbe([gone]))).toMatchObject({ status: 'UNKNOWN' });
    await agent.check(tcpProbe([there]));
    const over = new AbortController();
    const others = (async () => {
      for (; !over.signal.aborted; await wait(200)) await agent.check(tcpProbe([there]));
    })();
    const outcome = await decided(agent, tcpProbe([gone]));
    over.abort();
    await others;
    expect(outcome).toMatchObject({ status: 'DOWN', cause: 'TARGET' });
  });

  it("is the target's fault where a reference of the owner's answered meanwhile, and offline where none did", async (context) => {
    needVeth(context);
    const agent = await agentInside({ references: [{ host: '203.0.113.2', port: PORT }] });
    for (const target of [gone, goneBeyond])
      expect(await decided(agent, tcpProbe([target]))).toMatchObject({ status: 'DOWN', cause: 'TARGET' });
    cut();
    // Longer than two proofs may lie apart.
    await wait(6000);
    const outcome = await decided(agent, tcpProbe([gone]));
    mend();
    expect(outcome).toMatchObject(OFFLINE);
  });

  it("of the public network is nobody's fault where the owner's references are silent, though the collector answers", async (context) => {
    needVeth(context);
    const agent = await agentInside({ collector, references: [{ host: gone.host, port: PORT }] });
    expect(await decided(agent, tcpProbe([goneBeyond]))).toMatchObject(OFFLINE);
    // As far as the collector may stand, it is proof all the same.
    expect(await decided(agent, tcpProbe([gone]))).toMatchObject({ status: 'DOWN', cause: 'TARGET' });
  });

  it('is offline where nothing at all answered', async (context) => {
    needVeth(context);
    const agent = await agentInside({ collector });
    cut();
    const probes = [tcpProbe([there]), tcpProbe([gone]), pingProbe([{ host: there.host, count: 1, timeout: 500 }])];
    const dns = dnsProbe({ host: 'www.example.test', nameServer: there.host });
    const outcomes = await Promise.all([...probes, dns].map((probe) => agent.check(probe)));
    mend();
    for (const { status, error, cause } of outcomes) {
      expect({ status, cause, error }).toMatchObject({
        status: 'UNKNOWN',
        cause: 'AGENT',
        // On a machine that is too busy a silence can be a stall of this process as well.
        error: expect.stringMatching(/^(offline|stalled): /) as unknown,
      });
    }
  });

  it('is no route where the agent has none', async (context) => {
    needVeth(context);
    const agent = await agentInside({ collector });
    const noRoute = { status: 'UNKNOWN', error: expect.stringMatching(/^route: /) as unknown };
    expect(await agent.check(tcpProbe([{ host: '10.99.0.1', port: 80 }]))).toMatchObject(noRoute);
    expect(await agent.check(tcpProbe([{ host: 'fd77::1', port: 80 }]))).toMatchObject(noRoute);
    const dns = dnsProbe({ host: 'www.example.test', nameServer: '10.99.0.1' });
    expect(await agent.check(dns)).toMatchObject(noRoute);
  });
});

describe('an agent whose network is cut and comes back while it checks', () => {
  it('calls no target DOWN that is there all the time', async (context) => {
    needVeth(context);
    const agent = await agentInside({ collector });
    const outcomes: Promise<Outcome>[] = [];
    const startedMs = performance.now();
    const phases = [
      { atMs: 1500, act: cut },
      { atMs: 9500, act: mend },
    ];
    while (performance.now() - startedMs < 13_000) {
      const [next] = phases;
      if (next && performance.now() - startedMs > next.atMs) phases.shift()?.act();
      outcomes.push(agent.check(tcpProbe([there])));
      outcomes.push(agent.check(pingProbe([{ host: there.host, count: 1, timeout: 500 }])));
      await wait(25);
    }
    const found = await Promise.all(outcomes);
    const count = (status: string): number => found.filter((one) => one.status === status).length;
    expect(found.filter(({ status }) => status === 'DOWN')).toEqual([]);
    expect(count('UP')).toBeGreaterThan(100);
    expect(count('UNKNOWN')).toBeGreaterThan(100);
  });
});
