import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { icmpCommand, startIcmp, type IcmpClient } from '../../../../../agent/probes/icmp/client.ts';
import { never } from '../../../../support/icmp-lab.ts';
import { join, makeNetwork, writeSetting, type Network } from '../../../../support/network.ts';
import { NO_RAW_SOCKETS, NO_VETH, rawPermission } from '../../../../support/raw-permission.ts';

/** agent 10.1.0.1 — 10.1.0.2 router 10.2.0.2 — 10.2.0.1 target; the same in IPv6 under fd00:1:: and fd00:2::. */
let agent: Network;
let router: Network;
let target: Network;
let icmp: IcmpClient;

beforeEach((context) => {
  context.skip(rawPermission.unshare === null, NO_RAW_SOCKETS);
  context.skip(!rawPermission.veth, NO_VETH);
});

beforeAll(async () => {
  if (!rawPermission.veth) return;
  agent = await makeNetwork();
  router = await makeNetwork(agent);
  target = await makeNetwork(agent);
  join(agent, 'uplink', ['10.1.0.1/24', 'fd00:1::1/64'], router, 'left', ['10.1.0.2/24', 'fd00:1::2/64']);
  join(router, 'right', ['10.2.0.2/24', 'fd00:2::2/64'], target, 'access', ['10.2.0.1/24', 'fd00:2::1/64']);
  writeSetting(router, 'ipv4/ip_forward', 1);
  writeSetting(router, 'ipv6/conf/all/forwarding', 1);
  // An answer a test waits for must not be the one that the kernel's rate limit swallows.
  for (const network of [agent, router]) {
    writeSetting(network, 'ipv4/icmp_ratelimit', 0);
    writeSetting(network, 'ipv6/icmp/ratelimit', 0);
  }
  route(agent, 'default', '10.1.0.2', 'fd00:1::2');
  route(target, 'default', '10.2.0.2', 'fd00:2::2');
  for (const kind of ['unreachable', 'prohibit']) {
    const [v4, v6] = kind === 'prohibit' ? ['10.4.0.0/24', 'fd00:4::/64'] : ['10.3.0.0/24', 'fd00:3::/64'];
    router.run('ip', 'route', 'add', kind, v4);
    router.run('ip', '-6', 'route', 'add', kind, v6);
  }
  // A next hop that does not exist.
  agent.run('ip', 'route', 'add', '10.5.0.0/24', 'via', '10.1.0.9');
  agent.run('ip', '-6', 'route', 'add', 'fd00:5::/64', 'via', 'fd00:1::9');
  icmp = startIcmp({ command: agent.inside(...icmpCommand()) });
  await icmp.able();
});
afterAll(async () => {
  await icmp?.close();
  for (const network of [target, router, agent]) await network?.close();
});

function route(network: Network, to: string, via4: string, via6: string): void {
  network.run('ip', 'route', 'add', to, 'via', via4);
  network.run('ip', '-6', 'route', 'add', to, 'via', via6);
}

const text = (part: string): string => expect.stringContaining(part) as string;

describe.each([
  {
    family: 4 as const,
    prefix: '10.',
    tail: '.0.',
    from: '10.1.0.2',
    refused: ['host unreachable (ICMP 3/1', 'administratively prohibited (ICMP 3/13'],
  },
  {
    family: 6 as const,
    prefix: 'fd00:',
    tail: '::',
    from: 'fd00:1::2',
    refused: ['no route to destination (ICMPv6 1/0', 'administratively prohibited (ICMPv6 1/1'],
  },
])('IPv$family through a router', ({ family, prefix, tail, from, refused }) => {
  const address = (network: number, host: number): string => `${prefix}${network}${tail}${host}`;

  test('a host behind it answers', async () => {
    expect(await icmp.ping(address(2, 1), family, 2, 2000, never)).toMatchObject({
      sent: 2,
      received: 2,
      problem: null,
    });
  });

  test('its unreachable message is a definite answer', async () => {
    const echo = await icmp.ping(address(3, 1), family, 1, 5000, never);
    expect(echo).toMatchObject({ sent: 1, received: 0, problem: null, error: text(`${refused[0]} from ${from})`) });
  });

  test('its prohibition is a definite answer', async () => {
    const echo = await icmp.ping(address(4, 1), family, 1, 5000, never);
    expect(echo).toMatchObject({ sent: 1, received: 0, problem: null, error: text(`${refused[1]} from ${from})`) });
  });

  test('a hop limit that ends there is a definite answer', async () => {
    const name = family === 4 ? 'ipv4/ip_default_ttl' : 'ipv6/conf/uplink/hop_limit';
    writeSetting(agent, name, 1);
    const echo = await icmp.ping(address(2, 1), family, 1, 5000, never);
    writeSetting(agent, name, 64);
    expect(echo).toMatchObject({ received: 0, problem: null, error: text(`exceeded in transit`) });
    expect(echo.error).toContain(`from ${from})`);
  });

  test('a host beside it that is absent is a definite answer of our own kernel', async () => {
    const echo = await icmp.ping(address(1, 77), family, 1, 10_000, never);
    expect(echo).toMatchObject({ sent: 1, received: 0, problem: null, error: text('unreachable') });
    expect(echo.error).toContain(`from ${address(1, 1)})`);
  });

  test('a next hop that is absent says nothing about what is behind it', async () => {
    const echo = await icmp.ping(address(5, 1), family, 1, 10_000, never);
    expect(echo).toMatchObject({
      sent: 0,
      received: 0,
      error: null,
      problem: { reason: 'route', detail: text('unreachable') },
    });
  });
});
