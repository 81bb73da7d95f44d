import { describe, expect, it, vi, afterEach, beforeEach } from 'vitest';
import { createConnectionEvidence, type ConnectionEvidence } from '../../../agent/connection-evidence.ts';

const never = new AbortController().signal;
const PUBLIC = '192.0.2.1';
const PRIVATE = '10.0.0.1';

/** Seconds read better than thousands here. */
const s = (seconds: number): number => seconds * 1000;

let nowMs = 0;
let asked: number[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  nowMs = 0;
  asked = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function evidenceWith(ask: (() => void) | undefined): ConnectionEvidence {
  return createConnectionEvidence({ monotonicMs: () => nowMs, ownAddresses: () => ['10.9.9.9'], ...(ask && { ask }) });
}

const asking = (): ConnectionEvidence => evidenceWith(() => asked.push(nowMs));

async function pass(ms: number): Promise<void> {
  nowMs += ms;
  await vi.advanceTimersByTimeAsync(ms);
}

/** An answer that took a millisecond. */
function answer(evidence: ConnectionEvidence, atMs: number, address = PUBLIC): void {
  evidence.noteAnswer(address, atMs - 1, atMs);
}

describe('silence from 10 s to 11 s', () => {
  async function confirmed(evidence: ConnectionEvidence, reach: 'public' | 'private' = 'public'): Promise<boolean> {
    nowMs = Math.max(nowMs, s(11));
    const found = evidence.confirm(s(10), s(11), reach, never);
    await pass(s(5));
    return found;
  }

  it.each<[string, number[], boolean]>([
    ['proof on both sides', [s(9), s(10.5), s(12)], true],
    ['proof right before and right after', [s(9.9), s(11.1)], true],
    ['none at all', [], false],
    ['none before: the network may have been away when it began', [s(10.2), s(11.1)], false],
    ['none after: the network may have gone while it lasted', [s(9), s(10.2)], false],
    ['too old a proof before: an outage may lie between', [s(4), s(11.1)], false],
    ['a chain of proofs through it', [s(2), s(6.5), s(11.2)], true],
    ['proofs that came in another order', [s(11.1), s(6.5)], true],
  ])('with %s', async (_, proofs, expected) => {
    const evidence = asking();
    for (const atMs of proofs) answer(evidence, atMs);
    expect(await confirmed(evidence)).toBe(expected);
  });

  it("is not shown to be the target's by what was sent before it began", async () => {
    const evidence = asking();
    answer(evidence, s(9));
    evidence.noteAnswer(PUBLIC, s(9.5), s(11.2));
    expect(await confirmed(evidence)).toBe(false);
  });

  it('asks the collector at once, and believes its acknowledgement', async () => {
    const evidence = asking();
    answer(evidence, s(9));
    nowMs = s(11);
    const found = evidence.confirm(s(10), s(11), 'public', never);
    expect(asked).toEqual([s(11)]);
    await pass(300);
    evidence.noteAck(s(11));
    expect(await found).toBe(true);
  });

  it('waits four seconds for proof and no longer', async () => {
    const evidence = asking();
    nowMs = s(11);
    let end: boolean | undefined;
    void evidence.confirm(s(10), s(11), 'public', never).then((found) => (end = found));
    await pass(s(3.9));
    expect(end).toBeUndefined();
    await pass(s(0.2));
    expect(end).toBe(false);
  });

  it('is given up at once when the check ends', async () => {
    const controller = new AbortController();
    const found = asking().confirm(s(10), s(11), 'public', controller.signal);
    controller.abort();
    expect(await found).toBe(false);
  });

  it('of the own host needs no proof', async () => {
    expect(await asking().confirm(s(10), s(11), 'local', never)).toBe(true);
    expect(asked).toEqual([]);
  });

  it('in the public network is not shown by the private one, but the other way round', async () => {
    const inside = asking();
    for (const atMs of [s(9), s(11.1)]) answer(inside, atMs, PRIVATE);
    expect(await confirmed(inside, 'public')).toBe(false);
    expect(await confirmed(inside, 'private')).toBe(true);
    const outside = asking();
    for (const atMs of [s(9), s(11.1)]) answer(outside, atMs, PUBLIC);
    expect(await confirmed(outside, 'private')).toBe(true);
  });

  it('is not shown by an answer of the own host', async () => {
    const evidence = asking();
    for (const address of ['127.0.0.1', '::1', '10.9.9.9']) {
      for (const atMs of [s(9), s(11.1)]) answer(evidence, atMs, address);
    }
    expect(await confirmed(evidence, 'private')).toBe(false);
  });

  it('without a collector to ask is shown by any exchange that began after it did', async () => {
    const evidence = evidenceWith(undefined);
    answer(evidence, s(9));
    expect(await confirmed(evidence)).toBe(false);
    nowMs = s(11);
    answer(evidence, s(10.5));
    expect(await confirmed(evidence)).toBe(true);
  });
});

describe('an address', () => {
  it.each([
    ['127.0.0.1', 'local'],
    ['::1', 'local'],
    ['10.9.9.9', 'local'],
    ['10.0.0.1', 'private'],
    ['169.254.1.1', 'private'],
    ['fe80::1', 'private'],
    ['192.0.2.1', 'public'],
    ['2001:db8::1', 'public'],
  ])('%s is %s', (address, reach) => {
    expect(asking().reachOf(address)).toBe(reach);
  });
});

describe('a quiet agent', () => {
  it('asks again and again while nothing proves anything, and not while something does', async () => {
    const controller = new AbortController();
    const evidence = asking();
    nowMs = s(100);
    const kept = evidence.keep(controller.signal);
    await pass(s(2));
    expect(asked.length).toBeGreaterThan(2);
    const before = asked.length;
    for (let second = 0; second < 10; second += 1) {
      evidence.noteAck(nowMs);
      await pass(s(1));
    }
    expect(asked).toHaveLength(before);
    controller.abort();
    await kept;
  });
});

describe('an acknowledgement of the collector', () => {
  it.each([
    ['public' as const, true],
    ['private' as const, false],
  ])('that reaches as far as %s shows of the public network: %s', async (ackReach, expected) => {
    const evidence = createConnectionEvidence({ monotonicMs: () => nowMs, ask: () => undefined, ackReach });
    for (const atMs of [s(9), s(12)]) {
      nowMs = atMs;
      evidence.noteAck(atMs - 1);
    }
    const found = [evidence.confirm(s(10), s(11), 'public', never), evidence.confirm(s(10), s(11), 'private', never)];
    await pass(s(5));
    expect(await Promise.all(found)).toEqual([expected, true]);
  });
});
