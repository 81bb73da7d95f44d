import { execPath } from 'node:process';
import { afterEach, expect, test, vi } from 'vitest';
import { Ability } from '../../../agent/ability.ts';
import { icmpCommand, startIcmp, type IcmpClient } from '../../../agent/probes/icmp/client.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { needRawSockets, openLab } from '../../support/icmp-lab.ts';

const WITHOUT_PING = ['DNS', 'TCP'];
const end = new AbortController();
const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  vi.useRealTimers();
  for (const close of closers.splice(0)) await close();
});

function watch(icmp: IcmpClient): Ability {
  closers.push(() => icmp.close());
  const ability = new Ability(icmp, createLogger('agent', 'silent'));
  void ability.watch(end.signal);
  return ability;
}

test('an agent whose ICMP process ends as soon as it starts has no PING, and says why', async () => {
  const ability = watch(startIcmp({ command: [execPath, '-e', 'process.exit(3)'] }));
  await expect.poll(() => ability.kinds()?.toSorted(), { timeout: 20_000 }).toEqual(WITHOUT_PING);
  expect(ability.problems()).toEqual(['PING does not work: the ICMP process ended (exit code 3)']);
});

test('an agent whose ICMP process hangs ends it, and has no PING where the next one hangs too', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const icmp = startIcmp({ command: [execPath, '-e', 'process.on("message", () => undefined)'] });
  const first = icmp.pid;
  const ability = watch(icmp);
  while (ability.kinds() === null) await vi.advanceTimersByTimeAsync(100);
  expect(ability.kinds()?.toSorted()).toEqual(WITHOUT_PING);
  expect(ability.problems()).toEqual([expect.stringMatching(/^PING does not work: .*(does not answer|SIGKILL)/)]);
  vi.useRealTimers();
  await expect.poll(() => icmp.pid, { timeout: 10_000 }).not.toBe(first);
});

test('an agent that may open raw sockets has all kinds', async (context) => {
  needRawSockets(context);
  const lab = await openLab();
  closers.push(() => lab.close());
  const ability = watch(startIcmp({ command: lab.network.inside(...icmpCommand()) }));
  await expect.poll(() => ability.kinds()?.toSorted(), { timeout: 20_000 }).toEqual(['DNS', 'PING', 'TCP']);
  expect(ability.problems()).toEqual([]);
});
