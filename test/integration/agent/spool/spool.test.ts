import { randomBytes, randomInt } from 'node:crypto';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../../core/result.ts';
import { Spool, type PlacedResult, type SpoolOptions } from '../../../../agent/spool/spool.ts';
import type { Parcel } from '../../../../agent/spool/parcel.ts';
import { createLogger } from '../../../../runtime/logger.ts';
import { MINUTE, tcpResult, unknownResult } from '../../../support/check-results.ts';

const STORED = { answer: 'stored', reason: null } as const;
const RETRY = { answer: 'retry', reason: 'database' } as const;

let parent: string;
let folder: string;
let nowMs: number;
let spools: Spool[];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'farwatch-spool-'));
  folder = join(parent, 'spool');
  nowMs = 1000;
  spools = [];
});

afterEach(async () => {
  for (const spool of spools) await spool.close();
  rmSync(parent, { recursive: true, force: true });
});

async function openSpool(options: Partial<SpoolOptions> = {}): Promise<Spool> {
  const spool = await Spool.open({
    folder,
    bootId: 'boot-1',
    limitBytes: 2 ** 30,
    offsetOf: () => null,
    monotonicMs: () => nowMs,
    logger: createLogger('agent', 'silent'),
    ...options,
  });
  spools.push(spool);
  return spool;
}

function placed(results: readonly CheckResult[]): PlacedResult[] {
  return results.map((result) => ({ result, startedMs: 0, usedOffsetMs: null }));
}

async function keep(spool: Spool, results: readonly CheckResult[], epoch = 'epoch-1'): Promise<void> {
  const kept = spool.append(epoch, placed(results));
  await spool.flush();
  await kept;
}

function idsOf(parcel: Parcel | null): number[] {
  return parcel?.kind === 'results' ? parcel.results.map(({ monitorId }) => monitorId) : [];
}

async function takeAll(spool: Spool): Promise<CheckResult[]> {
  const all: CheckResult[] = [];
  for (;;) {
    const parcel = spool.takeLive(1000) ?? (await spool.takeBacklog(1000));
    if (parcel === null) return all;
    if (parcel.kind === 'results') all.push(...parcel.results);
  }
}

function segments(): string[] {
  return readdirSync(folder).filter((name) => name.endsWith('.seg'));
}

function answersFor(parcel: Parcel | null, answer: typeof STORED | typeof RETRY): (typeof STORED | typeof RETRY)[] {
  return idsOf(parcel).map(() => answer);
}

describe('a spool', () => {
  it('offers what was just kept, and after a restart what was not acknowledged', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1), tcpResult(2)]);
    expect(idsOf(spool.takeLive(100))).toEqual([1, 2]);
    expect(spool.takeLive(100)).toBeNull();
    expect(await spool.takeBacklog(100)).toBeNull();
    expect(spool.state().rows).toBe(2);

    const next = await openSpool();
    expect(next.takeLive(100)).toBeNull();
    const parcel = await next.takeBacklog(100);
    expect(parcel).toMatchObject({ kind: 'results', epoch: 'epoch-1', results: [tcpResult(1), tcpResult(2)] });
    if (parcel !== null) next.settle(parcel, answersFor(parcel, STORED));
    expect(next.state()).toMatchObject({ rows: 0, oldestMinute: null });
  });

  it('offers again what was released unanswered', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1)]);
    const parcel = spool.takeLive(100);
    if (parcel !== null) spool.release(parcel);
    expect(idsOf(await spool.takeBacklog(100))).toEqual([1]);
  });

  it('sends only the rows again that were answered with retry, after a while', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1), tcpResult(2), tcpResult(3)]);
    const parcel = spool.takeLive(100);
    if (parcel !== null) spool.settle(parcel, [STORED, RETRY, STORED]);
    expect(await spool.takeBacklog(100)).toBeNull();
    nowMs += 5001;
    const again = await spool.takeBacklog(100);
    expect(idsOf(again)).toEqual([2]);
    if (again !== null) spool.settle(again, [RETRY]);
    nowMs += 5001;
    const third = await spool.takeBacklog(100);
    expect(idsOf(third)).toEqual([2]);
    if (third !== null) spool.settle(third, [STORED]);
    expect(spool.state().rows).toBe(0);
  });

  it('removes a segment ten minutes after its last record was acknowledged, and not while one is open', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1)]);
    await keep(spool, [tcpResult(2)]);
    const parcel = spool.takeLive(1);
    nowMs += 10 * 60_000;
    await spool.keepHouse();
    if (parcel !== null) spool.settle(parcel, [STORED]);
    nowMs += 11 * 60_000;
    await spool.keepHouse();
    expect(segments()).toHaveLength(1);
    const last = spool.takeLive(1);
    if (last !== null) spool.settle(last, [STORED]);
    nowMs += 9 * 60_000;
    await spool.keepHouse();
    expect(segments()).toHaveLength(1);
    nowMs += 60_001;
    await spool.keepHouse();
    expect(segments()).toEqual([]);
  });

  it('sends what was acknowledged lately again when the database lost its latest past', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1)]);
    const parcel = spool.takeLive(100);
    if (parcel !== null) spool.settle(parcel, [STORED]);
    expect(await takeAll(spool)).toEqual([]);
    spool.reopen();
    expect(await takeAll(spool)).toEqual([tcpResult(1)]);
  });

  it('keeps results of different epochs apart, and absences among them', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1)], 'old');
    void spool.appendAbsences('new', [{ from: MINUTE, to: MINUTE + 60, reason: 'stopped' }]);
    await keep(spool, [tcpResult(2)], 'new');
    const parcels = [spool.takeLive(100), spool.takeLive(100), spool.takeLive(100)];
    expect(parcels.map((parcel) => [parcel?.kind, parcel?.epoch])).toEqual([
      ['results', 'old'],
      ['absences', 'new'],
      ['results', 'new'],
    ]);
  });

  it('offers fresh results before the backlog', async () => {
    const before = await openSpool();
    await keep(before, [tcpResult(1)]);
    const spool = await openSpool();
    await keep(spool, [tcpResult(2)]);
    expect(idsOf(spool.takeLive(100))).toEqual([2]);
    expect(idsOf(await spool.takeBacklog(100))).toEqual([1]);
  });

  it('takes at most 16 bytes a result, also at a thousand monitors', async () => {
    const random = (seed: number): number => ((seed * 7_919 + 104_729) * 48_271) % 2_147_483_647;
    const resultAt = (monitorId: number): CheckResult => {
      const latencyUs = 200 + (random(monitorId) % 80_000);
      if (monitorId % 2 === 0) return tcpResult(monitorId, { latencyUs });
      const spread = random(monitorId + 1) % 3000;
      const times = {
        minUs: latencyUs - (spread >> 1),
        avgUs: latencyUs,
        maxUs: latencyUs + spread,
        deviationUs: spread >> 2,
      };
      return tcpResult(monitorId, { latencyUs, packets: { sent: 3, received: 3, ...times } });
    };
    for (const monitors of [1000, 10_000]) {
      folder = join(parent, `spool-${monitors}`);
      const spool = await openSpool({ segmentBytes: 2 ** 30 });
      for (let second = 0; second < 90; second += 1) {
        const due = Array.from({ length: monitors }, (_, index) => index + 1).filter(
          (id) => random(id) % 45 === second % 45,
        );
        await keep(spool, due.map(resultAt));
      }
      const { rows, bytes } = spool.state();
      expect(rows).toBe(2 * monitors);
      expect(bytes / rows).toBeLessThan(16);
    }
  }, 60_000);
});

function known(monitorId: number): CheckResult {
  return tcpResult(monitorId, { latencyUs: randomInt(1_000_000) });
}

describe('a spool at its limit', () => {
  it('gives up UNKNOWN rows first, then the oldest, and counts both', async () => {
    const spool = await openSpool({ limitBytes: 12_000, segmentBytes: 4000 });
    for (let round = 0; round < 10; round += 1) {
      const ids = Array.from({ length: 50 }, (_, index) => round * 50 + index + 1);
      const unknown = ids.map((id) =>
        unknownResult(id, { minute: MINUTE + 60, error: `late: ${randomBytes(12).toString('hex')}` }),
      );
      await keep(spool, [...ids.map(known), ...unknown]);
    }
    const afterUnknown = spool.state();
    expect(afterUnknown.bytes).toBeLessThanOrEqual(12_000);
    expect(afterUnknown.counts.droppedUnknown).toBeGreaterThan(0);
    expect(afterUnknown.counts.droppedOldest).toBe(0);
    for (let round = 10; round < 60; round += 1) {
      await keep(
        spool,
        Array.from({ length: 50 }, (_, index) => known(round * 50 + index + 1)),
      );
    }
    const { bytes, rows, counts } = spool.state();
    expect(bytes).toBeLessThanOrEqual(12_000);
    expect(counts.droppedOldest).toBeGreaterThan(0);
    expect(rows + counts.droppedUnknown + counts.droppedOldest).toBe(10 * 100 + 50 * 50);
    const left = await openSpool();
    const ids = (await takeAll(left)).map(({ monitorId }) => monitorId);
    expect(Math.max(...ids)).toBe(3000);
    expect(ids).toHaveLength(rows);
  });
});

describe('a spool whose disk fails', () => {
  it('goes on in memory, says so, and writes what it held when the disk is back', async () => {
    const spool = await openSpool();
    await keep(spool, [tcpResult(1)]);
    spool.takeLive(100);
    nowMs += 10 * 60_000;
    renameSync(folder, `${folder}.gone`);
    await keep(spool, [tcpResult(2), tcpResult(3)]);
    expect(spool.state().problem).toMatch(/ENOENT/);
    expect(spool.state().rows).toBe(3);
    const held = spool.takeLive(100);
    expect(idsOf(held)).toEqual([2, 3]);
    if (held !== null) spool.settle(held, [STORED, RETRY]);
    renameSync(`${folder}.gone`, folder);
    await keep(spool, [tcpResult(4)]);
    expect(spool.state().problem).toBeNull();
    const left = await openSpool();
    expect((await takeAll(left)).map(({ monitorId }) => monitorId)).toEqual(expect.arrayContaining([3, 4]));
  });

  it('bounds what it holds in memory, and counts what it gives up: UNKNOWN first', async () => {
    const spool = await openSpool();
    renameSync(folder, `${folder}.gone`);
    const rows = Array.from({ length: 2000 }, (_, index) => index + 1);
    for (let round = 0; round < 60; round += 1) {
      await keep(
        spool,
        rows.map((id) => (id % 2 === 0 ? tcpResult(id) : unknownResult(id))),
      );
    }
    expect(spool.state().rows).toBeLessThanOrEqual(100_000);
    expect(spool.state().counts.droppedHeld).toBe(120_000 - spool.state().rows);
    const left = await takeAll(spool);
    expect(left.filter(({ status }) => status === 'UP')).toHaveLength(60_000);
    renameSync(`${folder}.gone`, folder);
  });
});

describe('a spool that was damaged', () => {
  async function keepOneEach(count: number): Promise<string> {
    const spool = await openSpool();
    for (let id = 1; id <= count; id += 1) await keep(spool, [tcpResult(id)]);
    await spool.close();
    return join(folder, segments()[0] ?? '');
  }

  it('cuts a torn tail and keeps everything before it', async () => {
    const path = await keepOneEach(10);
    truncateSync(path, statSync(path).size - 3);
    const spool = await openSpool();
    expect((await takeAll(spool)).map(({ monitorId }) => monitorId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(spool.state().counts).toMatchObject({ tornTails: 1, damagedRecords: 0 });
  });

  it('passes over a record with a flipped bit and counts it', async () => {
    const path = await keepOneEach(10);
    const bytes = readFileSync(path);
    const middle = 512 + Math.floor((bytes.length - 512) / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const spool = await openSpool();
    expect(await takeAll(spool)).toHaveLength(9);
    expect(spool.state().counts).toMatchObject({ tornTails: 0, damagedRecords: 1 });
  });

  it('survives a file of garbage', async () => {
    const path = await keepOneEach(1);
    const file = openSync(path, 'w');
    writeSync(file, Buffer.alloc(5000, 0xf5));
    closeSync(file);
    const spool = await openSpool();
    await keep(spool, [tcpResult(2)]);
    expect(await takeAll(spool)).toEqual([tcpResult(2)]);
  });
});

describe('results from before the first contact', () => {
  const provisional = (monitorId: number, startedMs: number, minute: number): PlacedResult => ({
    result: tcpResult(monitorId, { minute }),
    startedMs,
    usedOffsetMs: (MINUTE + 3600) * 1000,
  });

  it.each([
    ['an hour ahead', MINUTE * 1000, -3600],
    ['an hour behind', (MINUTE + 7200) * 1000, 3600],
    ['right but for a second', (MINUTE + 3601) * 1000, 0],
    ['ahead by part of a minute', (MINUTE + 3600) * 1000 - 90_000, -120],
  ])('stand in their true minutes once the clock is known: it was %s', async (_, offsetMs, shift) => {
    let known: number | null = null;
    const spool = await openSpool({ offsetOf: () => known });
    const minute = MINUTE + 3600;
    const kept = spool.append('epoch-1', [provisional(1, 10_000, minute), provisional(2, 20_000, minute)]);
    await spool.flush();
    await kept;
    known = offsetMs;
    const parcel = spool.takeLive(100);
    expect(parcel).toMatchObject({ results: [{ minute: minute + shift }, { minute: minute + shift }] });
    const again = await openSpool({ offsetOf: (bootId) => (bootId === 'boot-1' ? known : null) });
    expect(await takeAll(again)).toMatchObject([{ minute: minute + shift }, { minute: minute + shift }]);
  });

  it('keep the wall clock’s minute where that boot never had contact', async () => {
    const spool = await openSpool();
    void spool.append('epoch-1', [provisional(1, 10_000, MINUTE)]);
    await spool.flush();
    const next = await openSpool({ bootId: 'boot-2', offsetOf: (bootId) => (bootId === 'boot-2' ? 5 : null) });
    expect(await takeAll(next)).toMatchObject([{ minute: MINUTE }]);
  });
});
