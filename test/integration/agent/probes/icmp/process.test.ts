import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { execPath } from 'node:process';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { icmpCommand, startIcmp } from '../../../../../agent/probes/icmp/client.ts';
import type { HostEcho } from '../../../../../agent/probes/icmp/host-echo.ts';
import { needRawSockets, never, openLab, type Lab } from '../../../../support/icmp-lab.ts';
import { writeSetting } from '../../../../support/network.ts';
import { startResponder, type Responder } from '../../../../support/icmp-responder.ts';
import { rawPermission } from '../../../../support/raw-permission.ts';

let lab: Lab;
let responder: Responder;

beforeEach(needRawSockets);
beforeAll(async () => {
  if (rawPermission.unshare === null) return;
  lab = await openLab();
  responder = await startResponder(lab.network);
  await lab.icmp.able();
});
afterAll(async () => {
  await responder?.close();
  await lab?.close();
});

const text = (part: string): string => expect.stringContaining(part) as string;
const pidOf = (): number => lab.icmp.pid ?? 0;

/** Answers echo requests from now on, or no longer. */
function answerEcho(answers: boolean): void {
  writeSetting(lab.network, 'ipv4/icmp_echo_ignore_all', answers ? 0 : 1);
}

/** True while a process is there and no zombie. */
function lives(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    // It has no directory any more.
    return false;
  }
}

test('a silent host is dead while the process runs, and unproved when it was stopped for three seconds', async () => {
  expect(await lab.icmp.ping('127.8.0.1', 4, 1, 500, never)).toMatchObject({ sent: 1, received: 0, problem: null });
  const echo = lab.icmp.ping('127.8.0.1', 4, 1, 3500, never);
  await sleep(100);
  process.kill(pidOf(), 'SIGSTOP');
  await sleep(3000);
  process.kill(pidOf(), 'SIGCONT');
  expect(await echo).toMatchObject({ received: 0, problem: { reason: 'stalled', detail: text('held up') } });
});

test('a packet that was in the air while the process was stopped is never lost, whenever its time ends', async () => {
  const echo = lab.icmp.ping('127.8.0.2', 4, 1, 2000, never);
  await sleep(100);
  process.kill(pidOf(), 'SIGSTOP');
  await sleep(1000);
  process.kill(pidOf(), 'SIGCONT');
  expect(await echo).toMatchObject({ sent: 0, received: 0, problem: { reason: 'stalled' } });
});

test('a reply that waited while the process was stopped proves no time', async () => {
  await responder.answer('127.8.0.3', [{ afterMs: 400 }]);
  const before = responder.asked.length;
  const echoes = [1, 3].map((count) => lab.icmp.ping('127.8.0.3', 4, count, 5000, never));
  await expect.poll(() => responder.asked.length).toBeGreaterThanOrEqual(before + 2);
  process.kill(pidOf(), 'SIGSTOP');
  await sleep(1500);
  process.kill(pidOf(), 'SIGCONT');
  const [single, several] = await Promise.all(echoes);
  expect(single).toMatchObject({ received: 1, roundTripsUs: [], problem: { reason: 'stalled' } });
  expect(several).toMatchObject({ received: 3, problem: null });
  expect(several?.minUs).toBeGreaterThan(390_000);
  expect(several?.maxUs).toBeLessThan(1_100_000);
});

test('what came while the process was busy is read before any deadline is judged', async () => {
  const entry = fileURLToPath(new URL('../../../../support/icmp-busy-process.ts', import.meta.url));
  const icmp = startIcmp({ command: lab.network.inside(execPath, '--import', 'tsx', entry) });
  await Promise.all([icmp.able(), responder.answer('127.8.0.11', [{ afterMs: 200 }])]);
  const before = responder.asked.length;
  const echo = icmp.ping('127.8.0.11', 4, 1, 400, never);
  await expect.poll(() => responder.asked.length, { interval: 5 }).toBe(before + 1);
  process.kill(icmp.pid ?? 0, 'SIGUSR2');
  expect(await echo).toMatchObject({ received: 1, problem: { reason: 'stalled' } });
  await icmp.close();
});

test('a process that stays stopped resolves as stalled soon after its time', async () => {
  const startedAt = performance.now();
  const echo = lab.icmp.ping('127.8.0.4', 4, 1, 300, never);
  process.kill(pidOf(), 'SIGSTOP');
  expect(await echo).toMatchObject({
    sent: 0,
    received: 0,
    problem: { reason: 'stalled', detail: text('does not answer') },
  });
  expect(performance.now() - startedAt).toBeLessThan(10_000);
  process.kill(pidOf(), 'SIGCONT');
});

test('what a killed process was asked is cut, and another one takes over', async () => {
  const before = pidOf();
  const echo = lab.icmp.ping('127.8.0.5', 4, 1, 5000, never);
  await sleep(100);
  process.kill(before, 'SIGKILL');
  expect(await echo).toMatchObject({ sent: 0, received: 0, problem: { reason: 'cut', detail: text('SIGKILL') } });
  expect(lab.exits.at(-1)).toMatchObject({ reason: 'SIGKILL' });
  expect(await lab.icmp.ping('127.8.0.5', 4, 1, 300, never)).toMatchObject({ problem: { reason: 'cut' } });
  await expect.poll(() => lab.icmp.pid, { timeout: 5000 }).not.toBeUndefined();
  expect(pidOf()).not.toBe(before);
  await lab.icmp.able();
  expect(await lab.icmp.ping('127.8.0.5', 4, 1, 300, never)).toMatchObject({ sent: 1, received: 0, problem: null });
});

test('a process that has answered nothing for ten seconds is ended, and another one takes over', async () => {
  const before = pidOf();
  process.kill(before, 'SIGSTOP');
  const long = lab.icmp.ping('127.8.0.12', 4, 1, 11_000, never);
  const longer = lab.icmp.ping('127.8.0.12', 4, 1, 20_000, never);
  expect(await long).toMatchObject({ problem: { reason: 'stalled' } });
  expect(await longer).toMatchObject({ problem: { reason: 'cut' } });
  await expect.poll(() => lab.icmp.pid, { timeout: 5000 }).not.toBeUndefined();
  expect(pidOf()).not.toBe(before);
  await lab.icmp.able();
});

test('an aborted ping is cut at once, and others of the same process are not', async () => {
  const controller = new AbortController();
  const hosts = Array.from({ length: 30 }, (_, index) => `127.8.1.${index + 1}`);
  const cut = hosts.map((host) => lab.icmp.ping(host, 4, 1, 10_000, controller.signal));
  const other = lab.icmp.ping('127.8.0.6', 4, 1, 500, never);
  await sleep(50);
  controller.abort();
  for (const echo of await Promise.all(cut)) expect(echo).toMatchObject({ sent: 0, problem: { reason: 'cut' } });
  expect(await other).toMatchObject({ sent: 1, received: 0, problem: null });
  const late = await lab.icmp.ping('127.8.0.6', 4, 1, 500, controller.signal);
  expect(late).toMatchObject({ problem: { reason: 'cut' } });
});

test('signals of a terminal do not end the process', async () => {
  const before = pidOf();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(before, signal);
  expect(await lab.icmp.ping('127.8.0.7', 4, 1, 300, never)).toMatchObject({ sent: 1, problem: null });
  expect(pidOf()).toBe(before);
});

test('close ends the process and cuts what is still asked', async () => {
  const icmp = startIcmp({ command: lab.network.inside(...icmpCommand()) });
  await icmp.able();
  const pid = icmp.pid ?? 0;
  const echo = icmp.ping('127.8.0.8', 4, 1, 10_000, never);
  await icmp.close();
  expect(await echo).toMatchObject({ problem: { reason: 'cut' } });
  expect(lives(pid)).toBe(false);
});

test('without CAP_NET_RAW a host is unmeasured, with the way to mend it', async () => {
  const drop = ['setpriv', '--bounding-set=-net_raw', '--inh-caps=-net_raw'];
  const icmp = startIcmp({ command: lab.network.inside(...drop, ...icmpCommand()) });
  const problem = { reason: 'permission', detail: text('CAP_NET_RAW') };
  expect(await icmp.able()).toMatchObject({ 4: problem, 6: problem });
  expect(await icmp.ping('127.0.0.1', 4, 3, 1000, never)).toMatchObject({ sent: 0, received: 0, problem });
  expect(await icmp.ping('::1', 6, 3, 1000, never)).toMatchObject({ sent: 0, received: 0, problem });
  await icmp.close();
});

test('a program that cannot be started leaves everything unmeasured', async () => {
  const exits: string[] = [];
  const icmp = startIcmp({ command: ['/nonexistent/node'], onExit: ({ reason }) => exits.push(reason) });
  expect(await icmp.ping('127.0.0.1', 4, 1, 300, never)).toMatchObject({ problem: { reason: 'cut' } });
  expect(exits[0]).toContain('ENOENT');
  await icmp.close();
});

/** An agent in a process of its own; its lines. */
async function startAgent(...parameters: string[]) {
  const entry = fileURLToPath(new URL('../../../../support/icmp-parent-process.ts', import.meta.url));
  const [file = '', ...rest] = lab.network.inside(execPath, '--import', 'tsx', entry, ...parameters);
  const child = spawn(file, rest, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => String((await lines.next()).value);
  return { child, next, icmpPid: Number(await next()) };
}

test('the process ends when its parent is killed', async () => {
  const { child, icmpPid } = await startAgent('127.8.0.9', '1', '20000');
  expect(lives(icmpPid)).toBe(true);
  child.kill('SIGKILL');
  await expect.poll(() => lives(icmpPid), { timeout: 5000 }).toBe(false);
});

test('a parent that was stopped itself gets what the process measured meanwhile', async () => {
  answerEcho(true);
  const { child, next } = await startAgent('127.8.0.10', '5', '300');
  await sleep(100);
  child.kill('SIGSTOP');
  await sleep(6000);
  child.kill('SIGCONT');
  // The line is what the process beside this test printed.
  const echo = JSON.parse(await next()) as HostEcho;
  child.kill('SIGKILL');
  answerEcho(false);
  expect(echo).toMatchObject({ sent: 5, received: 5, problem: null });
  expect(echo.maxUs).toBeLessThan(250_000);
});
