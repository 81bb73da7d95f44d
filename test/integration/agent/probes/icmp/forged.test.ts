import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { HostEcho } from '../../../../../agent/probes/icmp/host-echo.ts';
import { readCpuUs } from '../../../../bench/icmp-figures.ts';
import { needRawSockets, never, openLab, type Lab } from '../../../../support/icmp-lab.ts';
import { startResponder, type Answer, type Responder } from '../../../../support/icmp-responder.ts';
import { rawPermission } from '../../../../support/raw-permission.ts';

let lab: Lab;
let responder: Responder;
let host = 0;

beforeEach(needRawSockets);
beforeAll(async () => {
  if (rawPermission.unshare === null) return;
  lab = await openLab();
  responder = await startResponder(lab.network);
});
afterAll(async () => {
  await responder?.close();
  await lab?.close();
});

/** Long enough that a busy machine's answers are in time; short where a test waits for it to pass. */
const PATIENT_MS = 5000;
const SHORT_MS = 300;

/** Pings a host of 127.0.0.0/8 that no other test asks, whose requests are answered so. */
async function pingV4(answers: Answer[], timeoutMs: number, count = 1): Promise<HostEcho> {
  host += 1;
  const address = `127.9.0.${host}`;
  await responder.answer(address, answers);
  return lab.icmp.ping(address, 4, count, timeoutMs, never);
}

async function pingV6(answers: Answer[], timeoutMs: number, count = 1): Promise<HostEcho> {
  await responder.answer('::1', answers);
  return lab.icmp.ping('::1', 6, count, timeoutMs, never);
}

const families = [
  {
    name: 'IPv4',
    ping: pingV4,
    stranger: '127.66.66.66',
    unreachable: { type: 3, code: 1 },
    expired: { type: 11, code: 0 },
  },
  {
    name: 'IPv6',
    ping: pingV6,
    stranger: '2001:db8::66',
    unreachable: { type: 1, code: 3 },
    expired: { type: 3, code: 0 },
  },
];
const dead = { sent: 1, received: 0, minUs: null, avgUs: null, roundTripsUs: [], error: null, problem: null };

describe.each(families)('$name answers', ({ name, ping, stranger, unreachable, expired }) => {
  const version = name === 'IPv4' ? 4 : 6;
  const quotedHeader = version === 4 ? 20 : 40;

  test('the true reply is one reply', async () => {
    expect(await ping([{}], PATIENT_MS)).toMatchObject({ sent: 1, received: 1, error: null, problem: null });
  });

  test('duplicates count once', async () => {
    const echo = await ping([{}, {}, { afterMs: 5 }, { afterMs: 30 }], PATIENT_MS, 2);
    expect(echo).toMatchObject({ sent: 2, received: 2, error: null, problem: null });
    expect(echo.roundTripsUs).toHaveLength(2);
  });

  test('silence is a lost packet, and nobody else but the target is at fault', async () => {
    expect(await ping([], SHORT_MS, 2)).toMatchObject({ ...dead, sent: 2 });
  });

  test('a delayed reply has its delay as its time', async () => {
    const { avgUs } = await ping([{ afterMs: 150 }], PATIENT_MS);
    expect(avgUs).toBeGreaterThanOrEqual(149_000);
    expect(avgUs).toBeLessThan(PATIENT_MS * 1000);
  });

  test('a late reply counts neither for its own packet nor for a later one', async () => {
    const echo = await ping([{ afterMs: SHORT_MS + 50 }], SHORT_MS, 3);
    expect(echo).toMatchObject({ ...dead, sent: 3 });
  });

  test.each<[string, Answer]>([
    ['from another host', { from: stranger }],
    ['with another identifier', { flip: [1] }],
    ['with another sequence', { flip: [2] }],
    ['with another cookie', { flip: [4] }],
    ['with another second half of the cookie', { flip: [11] }],
    ['with a wrong checksum', { breakChecksum: true }],
    ['without its payload', { restBytes: 4 }],
    ['with half of its cookie', { restBytes: 8 }],
    ['without its sequence', { restBytes: 2 }],
  ])('a reply %s is none', async (_, answer) => {
    expect(await ping([answer], SHORT_MS)).toMatchObject(dead);
    expect(await ping([answer, { afterMs: 20 }], PATIENT_MS)).toMatchObject({ sent: 1, received: 1 });
  });

  test('an unreachable message is a definite answer long before the timeout', async () => {
    const startedAt = performance.now();
    const echo = await ping([{ from: stranger, error: unreachable }], PATIENT_MS);
    expect(performance.now() - startedAt).toBeLessThan(PATIENT_MS);
    expect(echo).toMatchObject({ ...dead, error: expect.stringContaining(`from ${stranger}`) as string });
    expect(echo.error).toContain(`${unreachable.type}/${unreachable.code}`);
  });

  test('an expired hop limit is a definite answer', async () => {
    const echo = await ping([{ from: stranger, error: expired }], PATIENT_MS);
    expect(echo).toMatchObject({ ...dead, error: expect.stringContaining('exceeded in transit') as string });
  });

  test('an error that quotes no more than 64 bits of the request is matched by them', async () => {
    const echo = await ping([{ from: stranger, error: { ...unreachable, quoteBytes: quotedHeader + 8 } }], PATIENT_MS);
    expect(echo).toMatchObject({ ...dead, error: expect.stringContaining('unreachable') as string });
  });

  test.each<[string, Answer]>([
    ['about another destination', { error: { ...unreachable, quoteTo: stranger } }],
    ['about another identifier', { error: unreachable, flip: [4 + quotedHeader + 5] }],
    ['about another cookie', { error: unreachable, flip: [4 + quotedHeader + 8] }],
    ['about a reply instead of a request', { error: unreachable, flip: [4 + quotedHeader] }],
    ['that quotes less than 64 bits', { error: { ...unreachable, quoteBytes: quotedHeader + 7 } }],
    ['that quotes half a header', { error: { ...unreachable, quoteBytes: 12 } }],
    ['with a wrong checksum', { error: unreachable, breakChecksum: true }],
  ])('an error %s is ignored', async (_, answer) => {
    expect(await ping([answer, { afterMs: 20 }], PATIENT_MS)).toMatchObject({ sent: 1, received: 1, error: null });
  });

  test('a host of which one packet was refused and the next one answered is alive, and the error is told', async () => {
    const before = responder.asked.length;
    const echo = ping([{ from: stranger, error: unreachable }], PATIENT_MS, 2);
    await expect.poll(() => responder.asked.length).toBe(before + 1);
    await responder.answer(version === 4 ? `127.9.0.${host}` : '::1', [{}]);
    const text = expect.stringContaining('unreachable') as string;
    expect(await echo).toMatchObject({ sent: 2, received: 1, error: text, problem: null });
  });
});

test.each([
  ['redirect', 5],
  ['source quench', 4],
  ['timestamp reply', 14],
])('an ICMPv4 %s is no answer', async (_, type) => {
  expect(await pingV4([{ error: { type, code: 1 } }, { afterMs: 20 }], PATIENT_MS)).toMatchObject({
    received: 1,
    error: null,
  });
});

test('a reply that comes after everything was judged does not keep the process busy', async () => {
  await pingV4([{ afterMs: SHORT_MS + 50 }], SHORT_MS);
  const pid = lab.icmp.pid ?? 0;
  const before = readCpuUs(pid);
  // A socket that is not read says again and again that it could be: half a second of it would all be spent.
  await sleep(600);
  expect(readCpuUs(pid) - before).toBeLessThan(60_000);
});

test('two hosts at once keep their own replies', async () => {
  const [alive, silent] = await Promise.all([pingV4([{ afterMs: 50 }], PATIENT_MS, 3), pingV4([], SHORT_MS, 3)]);
  expect(alive).toMatchObject({ sent: 3, received: 3 });
  expect(silent).toMatchObject({ ...dead, sent: 3 });
});
