import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlacedResult } from '../../../../agent/spool/grouping.ts';
import { frameRecord, payloadOf, scanSegment } from '../../../../agent/spool/segment.ts';
import type { CheckResult } from '../../../../core/result.ts';
import { MINUTE, tcpResult, unknownResult } from '../../../support/check-results.ts';
import { idsOf, keep, RETRY, SpoolScene, STORED, takeAll } from '../../../support/spool-scene.ts';

let scene: SpoolScene;

beforeEach(() => {
  scene = new SpoolScene();
});

afterEach(() => scene.end());

function known(monitorId: number): CheckResult {
  return tcpResult(monitorId, { latencyUs: randomInt(1_000_000) });
}

describe('a spool at its limit', () => {
  it.each([2000, 60_000])('keeps within the least that it can be given, by %i results at once', async (atOnce) => {
    const limitBytes = 2 ** 20;
    const total = 60_000;
    const spool = await scene.open({ limitBytes });
    for (let id = 1; id <= total; id += atOnce) {
      await keep(
        spool,
        Array.from({ length: atOnce }, (_, index) => tcpResult(id + index, { error: randomBytes(16).toString('hex') })),
      );
      const sizes = scene.segments().map((name) => statSync(join(scene.folder, name)).size);
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(limitBytes);
    }
    const { rows, bytes, counts } = spool.state();
    expect(bytes).toBeGreaterThan(limitBytes / 2);
    expect(counts.droppedOldest).toBeGreaterThan(0);
    expect(rows + counts.droppedOldest).toBe(total);
    const ids = (await takeAll(await scene.open({ limitBytes }))).map(({ monitorId }) => monitorId);
    expect([ids.length, Math.max(...ids)]).toEqual([rows, total]);
  });

  it('gives up UNKNOWN rows first, then the oldest, and counts both', async () => {
    const spool = await scene.open({ limitBytes: 12_000, segmentBytes: 4000 });
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
    const left = await scene.open();
    const ids = (await takeAll(left)).map(({ monitorId }) => monitorId);
    expect(Math.max(...ids)).toBe(3000);
    expect(ids).toHaveLength(rows);
  });
});

describe('a spool whose disk fails', () => {
  it('goes on in memory, says so, and writes what it held when the disk is back', async () => {
    const spool = await scene.open();
    await keep(spool, [tcpResult(1)]);
    spool.takeLive(100);
    scene.nowMs += 10 * 60_000;
    renameSync(scene.folder, `${scene.folder}.gone`);
    await keep(spool, [tcpResult(2), tcpResult(3)]);
    expect(spool.state().problem).toMatch(/ENOENT/);
    expect(spool.state().rows).toBe(3);
    const held = spool.takeLive(100);
    expect(idsOf(held)).toEqual([2, 3]);
    if (held !== null) spool.settle(held, [STORED, RETRY]);
    renameSync(`${scene.folder}.gone`, scene.folder);
    await keep(spool, [tcpResult(4)]);
    expect(spool.state().problem).toBeNull();
    const left = await scene.open();
    expect((await takeAll(left)).map(({ monitorId }) => monitorId)).toEqual(expect.arrayContaining([3, 4]));
  });

  it('bounds what it holds in memory, and counts what it gives up: UNKNOWN first', async () => {
    const spool = await scene.open();
    renameSync(scene.folder, `${scene.folder}.gone`);
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
    renameSync(`${scene.folder}.gone`, scene.folder);
  });
});

describe('a spool that was damaged', () => {
  async function keepOneEach(count: number): Promise<string> {
    const spool = await scene.open();
    for (let id = 1; id <= count; id += 1) await keep(spool, [tcpResult(id)]);
    await spool.close();
    return join(scene.folder, scene.segments()[0] ?? '');
  }

  it('cuts a torn tail and keeps everything before it', async () => {
    const path = await keepOneEach(10);
    truncateSync(path, statSync(path).size - 3);
    const spool = await scene.open();
    expect((await takeAll(spool)).map(({ monitorId }) => monitorId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(spool.state().counts).toMatchObject({ tornTails: 1, damagedRecords: 0 });
  });

  it('passes over a record with a flipped bit and counts it', async () => {
    const path = await keepOneEach(10);
    const bytes = readFileSync(path);
    const middle = 512 + Math.floor((bytes.length - 512) / 2);
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    writeFileSync(path, bytes);
    const spool = await scene.open();
    expect(await takeAll(spool)).toHaveLength(9);
    expect(spool.state().counts).toMatchObject({ tornTails: 0, damagedRecords: 1 });
  });

  it.each<[string, (payload: Buffer) => Buffer]>([
    ['of a kind that only a later version knows', (payload) => Buffer.concat([Buffer.of(99), payload.subarray(1)])],
    ['whose content ends too early', (payload) => payload.subarray(0, -4)],
  ])('passes over a record %s, and counts it once', async (_, change) => {
    const path = await keepOneEach(3);
    const bytes = readFileSync(path);
    const { records } = scanSegment(bytes);
    const frames = records.map((place, index) => {
      const payload = payloadOf(bytes, place);
      return frameRecord(place.seq, index === 1 ? change(payload) : payload);
    });
    writeFileSync(path, Buffer.concat([bytes.subarray(0, bytes.indexOf(frames[0] ?? '')), ...frames]));
    const spool = await scene.open();
    const recorded: CheckResult[] = [];
    for await (const record of spool.recorded(0)) if (record.kind === 'results') recorded.push(...record.results);
    for (const rows of [recorded, await takeAll(spool)]) expect(rows.map(({ monitorId }) => monitorId)).toEqual([1, 3]);
    expect(spool.state().counts).toMatchObject({ tornTails: 0, damagedRecords: 1 });
  });

  it('survives a file of garbage', async () => {
    const path = await keepOneEach(1);
    writeFileSync(path, Buffer.alloc(5000, 0xf5));
    const spool = await scene.open();
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
    const spool = await scene.open({ offsetOf: () => known });
    const minute = MINUTE + 3600;
    const kept = spool.append('epoch-1', [provisional(1, 10_000, minute), provisional(2, 20_000, minute)]);
    await spool.flush();
    await kept;
    known = offsetMs;
    const parcel = spool.takeLive(100);
    expect(parcel).toMatchObject({ results: [{ minute: minute + shift }, { minute: minute + shift }] });
    const again = await scene.open({ offsetOf: (bootId) => (bootId === 'boot-1' ? known : null) });
    expect(await takeAll(again)).toMatchObject([{ minute: minute + shift }, { minute: minute + shift }]);
  });

  it('keep the wall clock’s minute where that boot never had contact', async () => {
    const spool = await scene.open();
    void spool.append('epoch-1', [provisional(1, 10_000, MINUTE)]);
    await spool.flush();
    const next = await scene.open({ bootId: 'boot-2', offsetOf: (bootId) => (bootId === 'boot-2' ? 5 : null) });
    expect(await takeAll(next)).toMatchObject([{ minute: MINUTE }]);
  });
});
