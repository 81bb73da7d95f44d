import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { HostEcho } from '../../../../../agent/probes/icmp/host-echo.ts';
import { needRawSockets, never, openLab, type Lab } from '../../../../support/icmp-lab.ts';
import { rawPermission } from '../../../../support/raw-permission.ts';

let lab: Lab;

beforeEach(needRawSockets);
beforeAll(async () => {
  if (rawPermission.unshare !== null) lab = await openLab();
});
afterAll(() => lab?.close());

test.each([
  ['IPv4', '127.0.0.1', 4],
  ['IPv6', '::1', 6],
  ['IPv6 in another spelling', '0:0:0:0:0:0:0:1', 6],
] as const)('loopback answers every packet over %s', async (_, address, family) => {
  const echo = await lab.icmp.ping(address, family, 3, 5000, never);
  expect(echo).toMatchObject({ sent: 3, received: 3, error: null, problem: null });
  expect(echo.roundTripsUs).toHaveLength(3);
  for (const time of echo.roundTripsUs) expect(Number.isInteger(time) && time > 0).toBe(true);
  expect(echo.minUs).toBe(Math.min(...echo.roundTripsUs));
  expect(echo.maxUs).toBe(Math.max(...echo.roundTripsUs));
});

test('times of loopback are well below a millisecond once the process is warm', async () => {
  const echoes = await Promise.all(Array.from({ length: 20 }, () => lab.icmp.ping('127.0.0.1', 4, 5, 5000, never)));
  const times = echoes.flatMap(({ roundTripsUs }) => roundTripsUs).toSorted((a, b) => a - b);
  expect(times[Math.floor(times.length / 2)]).toBeLessThan(1000);
});

test('packets of one host leave 200 ms apart', async () => {
  const startedAt = performance.now();
  await lab.icmp.ping('127.0.0.1', 4, 4, 5000, never);
  const took = performance.now() - startedAt;
  expect(took).toBeGreaterThan(590);
  expect(took).toBeLessThan(3000);
});

test('two thousand hosts at once lose no reply', async () => {
  const addresses = Array.from({ length: 2000 }, (_, index) => `127.1.${Math.floor(index / 250)}.${1 + (index % 250)}`);
  const echoes = await Promise.all(addresses.map((address) => lab.icmp.ping(address, 4, 3, 10_000, never)));
  const total = (count: (echo: HostEcho) => number): number => echoes.reduce((sum, echo) => sum + count(echo), 0);
  expect([total(({ sent }) => sent), total(({ received }) => received)]).toEqual([6000, 6000]);
});

test.each<[string, 4 | 6]>([
  ['::1', 4],
  ['127.0.0.1', 6],
  ['localhost', 4],
] as const)(
  '%s is refused where an address of IPv%s is due, instead of looking dead or alive',
  async (address, family) => {
    await expect(lab.icmp.ping(address, family, 1, 300, never)).rejects.toThrow('is no IPv');
  },
);

test('an agent with permission is able to ping over both families', async () => {
  expect(await lab.icmp.able()).toEqual({ 4: null, 6: null });
});

test('a target without a route is our own fault', async () => {
  const v4 = await lab.icmp.ping('192.0.2.1', 4, 1, 300, never);
  expect(v4).toMatchObject({
    sent: 0,
    problem: { reason: 'route', detail: expect.stringContaining('ENETUNREACH') as string },
  });
  const v6 = await lab.icmp.ping('2001:db8::1', 6, 1, 300, never);
  expect(v6).toMatchObject({ sent: 0, problem: { reason: 'route' } });
});
