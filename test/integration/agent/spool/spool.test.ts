import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../../core/result.ts';
import { MINUTE, tcpResult } from '../../../support/check-results.ts';
import { idsOf, keep, RETRY, SpoolScene, STORED, takeAll } from '../../../support/spool-scene.ts';

/** What a segment holds before its first record. */
const HEADER_BYTES = 512;

let scene: SpoolScene;

beforeEach(() => {
  scene = new SpoolScene();
});

afterEach(() => scene.end());

describe('a spool', () => {
  it('offers what was just kept, and after a restart what was not acknowledged', async () => {
    const spool = await scene.open();
    await keep(spool, [tcpResult(1), tcpResult(2)]);
    expect(idsOf(spool.takeLive(100))).toEqual([1, 2]);
    expect(spool.takeLive(100)).toBeNull();
    expect(await spool.takeBacklog(100)).toBeNull();
    expect(spool.state().rows).toBe(2);

    const next = await scene.open();
    expect(next.takeLive(100)).toBeNull();
    const parcel = await next.takeBacklog(100);
    expect(parcel).toMatchObject({ kind: 'results', epoch: 'epoch-1', results: [tcpResult(1), tcpResult(2)] });
    if (parcel !== null) next.settle(parcel, [STORED, STORED]);
    expect(next.state()).toMatchObject({ rows: 0, oldestMinute: null });
  });

  it('offers nothing, and calls nothing kept, before it is on the disk', async () => {
    const spool = await scene.open();
    const isWritten = (): boolean => {
      return scene.segments().some((name) => statSync(join(scene.folder, name)).size > HEADER_BYTES);
    };
    let isKept = false;
    const placed = { result: tcpResult(1), startedMs: 0, usedOffsetMs: null };
    void spool.append('epoch-1', [placed]).then(() => (isKept = true));
    const flushed = spool.flush();
    let parcel = null;
    while (!isWritten()) {
      parcel ??= spool.takeLive(1);
      const tooEarly = (parcel !== null || isKept) && !isWritten();
      expect(tooEarly).toBe(false);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await flushed;
    expect(isKept).toBe(true);
    expect(idsOf(parcel ?? spool.takeLive(1))).toEqual([1]);
  });

  it('offers again what was released unanswered: what was fresh as fresh, what was not as the backlog', async () => {
    const before = await scene.open();
    await keep(before, [tcpResult(1)]);
    const spool = await scene.open();
    for (const id of [2, 3, 4]) await keep(spool, [tcpResult(id)]);
    const parcels = [spool.takeLive(1), spool.takeLive(1), await spool.takeBacklog(100)];
    for (const parcel of parcels) if (parcel !== null) spool.release(parcel);
    expect(idsOf(spool.takeLive(100))).toEqual([2, 3, 4]);
    expect(spool.takeLive(100)).toBeNull();
    expect(idsOf(await spool.takeBacklog(100))).toEqual([1]);
    expect(await spool.takeBacklog(100)).toBeNull();
    expect(spool.state().rows).toBe(4);
  });

  it('sends only the rows again that were answered with retry, after a while', async () => {
    const spool = await scene.open();
    await keep(spool, [tcpResult(1), tcpResult(2), tcpResult(3)]);
    const parcel = spool.takeLive(100);
    if (parcel !== null) spool.settle(parcel, [STORED, RETRY, STORED]);
    expect(await spool.takeBacklog(100)).toBeNull();
    scene.nowMs += 5001;
    const again = await spool.takeBacklog(100);
    expect(idsOf(again)).toEqual([2]);
    if (again !== null) spool.settle(again, [RETRY]);
    expect(await spool.takeBacklog(100)).toBeNull();
    scene.nowMs += 5001;
    const third = await spool.takeBacklog(100);
    expect(idsOf(third)).toEqual([2]);
    if (third !== null) spool.settle(third, [STORED]);
    expect(spool.state().rows).toBe(0);
  });

  it('lets the whole backlog wait when a collector can store nothing, and not what is fresh', async () => {
    const spool = await scene.open();
    for (let id = 1; id <= 3; id += 1) await keep(spool, [tcpResult(id)]);
    const parcel = spool.takeLive(2);
    if (parcel !== null) spool.settle(parcel, [RETRY, RETRY]);
    expect(await spool.takeBacklog(100)).toBeNull();
    expect(idsOf(spool.takeLive(100))).toEqual([3]);
    scene.nowMs += 5001;
    expect(idsOf(await spool.takeBacklog(100))).toEqual([1, 2]);
  });

  it('removes a segment ten minutes after its last record was acknowledged, and not while one is open', async () => {
    const spool = await scene.open();
    await keep(spool, [tcpResult(1)]);
    await keep(spool, [tcpResult(2)]);
    const parcel = spool.takeLive(1);
    scene.nowMs += 10 * 60_000;
    await spool.keepHouse();
    if (parcel !== null) spool.settle(parcel, [STORED]);
    scene.nowMs += 11 * 60_000;
    await spool.keepHouse();
    expect(scene.segments()).toHaveLength(1);
    const last = spool.takeLive(1);
    if (last !== null) spool.settle(last, [STORED]);
    scene.nowMs += 9 * 60_000;
    await spool.keepHouse();
    expect(scene.segments()).toHaveLength(1);
    scene.nowMs += 60_001;
    await spool.keepHouse();
    expect(scene.segments()).toEqual([]);
  });

  it('sends what was acknowledged lately again when the database lost its latest past', async () => {
    const spool = await scene.open();
    await keep(spool, [tcpResult(1)]);
    const parcel = spool.takeLive(100);
    if (parcel !== null) spool.settle(parcel, [STORED]);
    expect(await takeAll(spool)).toEqual([]);
    spool.reopen();
    expect(await takeAll(spool)).toEqual([tcpResult(1)]);
  });

  it('keeps results of different epochs apart, and absences among them', async () => {
    const spool = await scene.open();
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
    const before = await scene.open();
    await keep(before, [tcpResult(1)]);
    const spool = await scene.open();
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
      scene.folder = join(scene.parent, `spool-${monitors}`);
      const spool = await scene.open({ segmentBytes: 2 ** 30 });
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
