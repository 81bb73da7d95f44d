import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { measurePing } from '../../../../agent/probes/ping.ts';
import type { Resolve } from '../../../../agent/probes/target.ts';
import { pingTypeData, type PingConfig } from '../../../../core/type-data.ts';
import { needRawSockets, never, openLab, type Lab } from '../../../support/icmp-lab.ts';
import { startResponder, type Responder } from '../../../support/icmp-responder.ts';
import { rawPermission } from '../../../support/raw-permission.ts';

let lab: Lab;
let responder: Responder;

beforeEach(needRawSockets);
beforeAll(async () => {
  if (rawPermission.unshare === null) return;
  lab = await openLab();
  responder = await startResponder(lab.network);
  await responder.answer('127.7.0.1', [{ afterMs: 20 }]);
  await responder.answer('127.7.0.2', [{ afterMs: 60 }]);
  await responder.answer('::1', [{}]);
  await responder.answer('127.7.0.4', [{ error: { type: 3, code: 1 } }]);
});
afterAll(async () => {
  await responder?.close();
  await lab?.close();
});

/** Names and addresses of this file. */
const resolve: Resolve = async ({ host }) => {
  switch (host) {
    case 'alive.test':
      return { kind: 'address', address: '127.7.0.1', family: 4 };
    case 'none.test':
      return { kind: 'definite', error: 'no such name' };
    case 'away.test':
      return { kind: 'problem', reason: 'resolver', detail: 'no answer', cause: 'RESOLVER' };
    default:
      return { kind: 'address', address: host, family: host.includes(':') ? 6 : 4 };
  }
};

function config(...hosts: { type?: string; host: string; count?: number; timeout?: number }[]): PingConfig {
  return pingTypeData.parse({ hosts: hosts.map((host) => ({ count: 2, timeout: 5000, ...host })) });
}

const measure = (checked: PingConfig, signal = never) => measurePing(checked, { icmp: lab.icmp, resolve }, signal);

test('each host has its own result, in the order of the configuration', async () => {
  const { attempts, packets } = await measure(
    config(
      { type: 'DOMAIN', host: 'alive.test' },
      { host: '127.7.0.2' },
      { type: 'IP6', host: '::1', count: 1 },
      { host: '127.7.0.3', timeout: 300 },
      { host: '127.7.0.4' },
    ),
  );
  expect(
    attempts.map(({ host, type, address, alive, sent, received }) => [host, type, address, alive, sent, received]),
  ).toEqual([
    ['alive.test', 'DOMAIN', '127.7.0.1', true, 2, 2],
    ['127.7.0.2', 'IP4', '127.7.0.2', true, 2, 2],
    ['::1', 'IP6', '::1', true, 1, 1],
    ['127.7.0.3', 'IP4', '127.7.0.3', false, 2, 0],
    ['127.7.0.4', 'IP4', '127.7.0.4', false, 2, 0],
  ]);
  expect(attempts.map(({ problem }) => problem)).toEqual([null, null, null, null, null]);
  expect(attempts[4]?.error).toContain('host unreachable');
  expect(packets).toMatchObject({ sent: 9, received: 5 });
  expect(packets.maxUs).toBeGreaterThanOrEqual(59_000);
  expect(packets.minUs).toBeLessThan(packets.maxUs ?? 0);
});

test('times are milliseconds: strings of three decimals, and numbers of whole microseconds', async () => {
  const { attempts, packets } = await measure(config({ host: '127.7.0.1' }));
  const [attempt] = attempts;
  const { min, max, avg, latency, latencies = [] } = attempt ?? {};
  for (const time of [min, max, avg]) expect(time).toMatch(/^\d+\.\d{3}$/);
  expect(latencies).toHaveLength(2);
  expect(Number(min)).toBe(Math.min(...latencies));
  expect(Number(max)).toBe(Math.max(...latencies));
  expect(latency).toBe(Number(avg));
  expect(latency).toBeGreaterThanOrEqual(19);
  expect(packets.avgUs).toBe(Math.round((latency ?? 0) * 1000));
});

test('a dead host has no times', async () => {
  const { attempts, packets } = await measure(config({ host: '127.7.0.3', timeout: 300 }));
  expect(attempts[0]).toMatchObject({ alive: false, min: null, max: null, avg: null, latency: null, latencies: [] });
  expect(packets).toEqual({ sent: 2, received: 0, minUs: null, avgUs: null, maxUs: null, deviationUs: null });
});

test('a name that does not exist is a dead host, and one that cannot be resolved an unknown one', async () => {
  const { attempts, packets } = await measure(
    config({ type: 'DOMAIN', host: 'none.test' }, { type: 'DOMAIN', host: 'away.test' }, { host: '127.7.0.1' }),
  );
  expect(attempts[0]).toMatchObject({ alive: false, address: null, error: 'no such name', problem: null, sent: 0 });
  expect(attempts[1]).toMatchObject({ alive: false, address: null, error: null });
  expect(attempts[1]?.problem).toEqual({ reason: 'resolver', detail: 'no answer', cause: 'RESOLVER' });
  expect(attempts[2]).toMatchObject({ alive: true });
  expect(packets).toMatchObject({ sent: 2, received: 2 });
});

test('hosts are asked side by side', async () => {
  const startedAt = performance.now();
  await measure(
    config(...Array.from({ length: 100 }, (_, index) => ({ host: `127.7.1.${index + 1}`, count: 3, timeout: 300 }))),
  );
  const took = performance.now() - startedAt;
  expect(took).toBeGreaterThan(690);
  expect(took).toBeLessThan(10_000);
});

test('an aborted check is cut', async () => {
  const controller = new AbortController();
  const measured = measure(config({ host: '127.7.0.3', timeout: 10_000 }), controller.signal);
  await expect.poll(() => responder.asked.at(-1)?.to).toBe('127.7.0.3');
  controller.abort();
  const { attempts } = await measured;
  expect(attempts[0]).toMatchObject({ alive: false, problem: { reason: 'cut', cause: 'AGENT' } });
});
