import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE } from '../../../support/check-results.ts';
import { openFailingDisk, type DiskCall, type DiskFault, type FailingDisk } from '../../../support/disk-faults.ts';
import { forkProgram, type ForkedProgram } from '../../../support/forked-program.ts';
import type { SpoolOrder, SpoolReport } from '../../../support/ordered-spool-process.ts';
import { SpoolScene, takeAll } from '../../../support/spool-scene.ts';

const RESEND_WINDOW_MS = 10 * 60_000 + 1;
const SOON_MS = 31_000;

let scene: SpoolScene;
let disk: FailingDisk;
let programs: ForkedProgram<SpoolOrder, SpoolReport>[];

beforeEach(() => {
  scene = new SpoolScene();
  disk = openFailingDisk(scene.parent);
  programs = [];
});

afterEach(async () => {
  for (const program of programs) await program.end();
  disk.close();
  await scene.end();
});

/** A process with its spool in this folder. */
async function openSpool(options: { segmentBytes?: number; limitBytes?: number } = {}) {
  const program = forkProgram<SpoolOrder, SpoolReport>('ordered-spool', disk.env);
  programs.push(program);
  return { program, report: await program.tell({ order: 'open', folder: scene.folder, ...options }) };
}

function range(from: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

/** What a life without faults finds. */
async function left(): Promise<{ ids: number[]; damaged: number }> {
  const spool = await scene.open();
  const ids = (await takeAll(spool)).map(({ monitorId }) => monitorId);
  return { ids: [...new Set(ids)].sort((a, b) => a - b), damaged: spool.state().counts.damagedRecords };
}

describe('a spool on a disk that fails for a while', () => {
  const faults: { name: string; fault: DiskFault; calls?: DiskCall[] }[] = [
    { name: 'is full', fault: { kind: 'ENOSPC' } },
    { name: 'is full after a few bytes more', fault: { kind: 'room', bytes: 70 } },
    { name: 'turns read-only', fault: { kind: 'EROFS' } },
    { name: 'breaks', fault: { kind: 'EIO' } },
    { name: 'writes and then cannot make it last', fault: { kind: 'EIO' }, calls: ['sync'] },
  ];

  it.each(faults)('goes on in memory when it $name, and is whole again once it is mended', async ({ fault, calls }) => {
    const { program } = await openSpool();
    await program.tell({ order: 'keep', from: 1, count: 50 });
    disk.fail(fault, calls);
    const failing = await program.tell({ order: 'keep', from: 51, count: 50 });
    expect(failing.state).toMatchObject({ rows: 100, problem: expect.stringMatching(/^E(NOSPC|ROFS|IO):/) as unknown });
    await program.tell({ order: 'keep', from: 101, count: 50 });
    disk.mend();
    const mended = await program.tell({ order: 'keep', from: 151, count: 1 });
    expect(mended.state).toMatchObject({ rows: 151, problem: null, counts: { droppedHeld: 0, droppedOldest: 0 } });
    program.kill('SIGKILL');
    expect(await left()).toEqual({ ids: range(1, 151), damaged: 0 });
  });

  it.each(faults)('loses nothing when it $name where a new segment begins', async ({ fault, calls }) => {
    const { program } = await openSpool({ segmentBytes: 1000 });
    await program.tell({ order: 'keep', from: 1, count: 100 });
    disk.fail(fault, calls);
    for (let round = 1; round <= 3; round += 1)
      await program.tell({ order: 'keep', from: 1 + 100 * round, count: 100 });
    disk.mend();
    const { state } = await program.tell({ order: 'keep', from: 401, count: 1 });
    expect(state).toMatchObject({ rows: 401, problem: null });
    const { taken } = await program.tell({ order: 'take' });
    expect(taken.sort((a, b) => a - b)).toEqual(range(1, 401));
    await program.tell({ order: 'settle', answer: 'stored' });
    await program.tell({ order: 'close' });
    await program.tell({ order: 'pass', ms: RESEND_WINDOW_MS });
    await program.tell({ order: 'house' });
    expect(readdirSync(scene.folder)).toEqual([]);
  });

  it.each(faults)('sends from memory and takes acknowledgements while it $name', async ({ fault, calls }) => {
    const { program } = await openSpool();
    await program.tell({ order: 'keep', from: 1, count: 50 });
    disk.fail(fault, calls);
    await program.tell({ order: 'keep', from: 51, count: 50 });
    expect((await program.tell({ order: 'take' })).taken.sort((a, b) => a - b)).toEqual(range(1, 100));
    expect((await program.tell({ order: 'settle', answer: 'stored' })).state.rows).toBe(0);
    await program.tell({ order: 'pass', ms: RESEND_WINDOW_MS });
    await program.tell({ order: 'house' });
    disk.mend();
    await program.tell({ order: 'keep', from: 101, count: 1 });
    await program.tell({ order: 'house' });
    program.kill('SIGKILL');
    expect((await left()).ids).toEqual([101]);
  });

  it.each(faults)('starts while it $name', async ({ fault, calls }) => {
    const before = await openSpool({ segmentBytes: 1000 });
    await before.program.tell({ order: 'keep', from: 1, count: 100 });
    await before.program.tell({ order: 'keep', from: 101, count: 100 });
    before.program.kill('SIGKILL');
    disk.fail(fault, calls);
    const { program } = await openSpool();
    await program.tell({ order: 'keep', from: 201, count: 100 });
    disk.mend();
    await program.tell({ order: 'pass', ms: SOON_MS });
    await program.tell({ order: 'house' });
    const { taken, state } = await program.tell({ order: 'take' });
    expect(taken.sort((a, b) => a - b)).toEqual(range(1, 300));
    expect(state).toMatchObject({ readProblem: null, counts: { damagedRecords: 0 } });
  });
});

describe('a spool on a full disk', () => {
  it('tells how old what it holds in memory is, with or without something older on the disk', async () => {
    const { program } = await openSpool();
    disk.fail({ kind: 'ENOSPC' });
    const held = await program.tell({ order: 'keep', from: 1, count: 50 });
    expect(held.state).toMatchObject({ rows: 50, bytes: 0, oldestMinute: MINUTE });
    disk.mend();
    await program.tell({ order: 'keep', from: 51, count: 1 });
    disk.fail({ kind: 'ENOSPC' });
    const later = await program.tell({ order: 'keep', from: 52, count: 1, minute: MINUTE + 60 });
    expect(later.state).toMatchObject({ rows: 52, oldestMinute: MINUTE });
    const earlier = await program.tell({ order: 'keep', from: 53, count: 1, minute: MINUTE - 60 });
    expect(earlier.state).toMatchObject({ rows: 53, oldestMinute: MINUTE - 60 });
    await program.tell({ order: 'take' });
    expect((await program.tell({ order: 'settle', answer: 'stored' })).state).toMatchObject({
      ...{ rows: 0, oldestMinute: null },
    });
  });

  it('says and counts what is lost where nobody took it until the end', async () => {
    const { program } = await openSpool();
    await program.tell({ order: 'keep', from: 1, count: 50 });
    disk.fail({ kind: 'ENOSPC' });
    await program.tell({ order: 'keep', from: 51, count: 30 });
    const { state, errors } = await program.tell({ order: 'close' });
    expect(errors).toMatchObject([
      { msg: 'results are given up unwritten', results: 30, problem: expect.stringMatching(/^ENOSPC:/) as unknown },
    ]);
    expect(state).toMatchObject({ rows: 50, counts: { droppedHeld: 30 } });
  });

  it('makes room by what was acknowledged', async () => {
    const { program } = await openSpool({ segmentBytes: 1000 });
    await program.tell({ order: 'keep', from: 1, count: 100 });
    await program.tell({ order: 'keep', from: 101, count: 100 });
    await program.tell({ order: 'take' });
    await program.tell({ order: 'settle', answer: 'stored' });
    disk.fail({ kind: 'ENOSPC' });
    await program.tell({ order: 'keep', from: 201, count: 100 });
    await program.tell({ order: 'house' });
    expect(readdirSync(scene.folder)).toEqual([]);
  });

  it('keeps within its limit although it cannot write a segment anew, and leaves no half of one', async () => {
    const { program } = await openSpool({ segmentBytes: 1000, limitBytes: 5000 });
    const kept = { order: 'keep', count: 50 } as const;
    for (let round = 0; round < 5; round += 1) {
      await program.tell({ ...kept, from: 1 + 100 * round });
      await program.tell({ ...kept, from: 51 + 100 * round, status: 'UNKNOWN' });
    }
    disk.fail({ kind: 'EIO' }, ['rename']);
    let last: SpoolReport | undefined;
    for (let round = 5; round < 20; round += 1) last = await program.tell({ ...kept, from: 1 + 100 * round });
    expect(last?.state.bytes).toBeLessThanOrEqual(5000);
    expect(last?.state.counts.droppedOldest).toBeGreaterThan(0);
    expect(readdirSync(scene.folder).filter((name) => !name.endsWith('.seg'))).toEqual([]);
  });
});

describe('a spool on a disk with a segment that cannot be read', () => {
  it('says so, goes on with the others, and sends it once it can be read', async () => {
    const before = await openSpool({ segmentBytes: 1000 });
    for (let round = 0; round < 3; round += 1)
      await before.program.tell({ order: 'keep', from: 1 + 100 * round, count: 100 });
    before.program.kill('SIGKILL');
    const { program } = await openSpool();
    disk.fail({ kind: 'EIO' }, ['read']);
    const failing = await program.tell({ order: 'take' });
    expect(failing.taken).toEqual([]);
    expect(failing.state).toMatchObject({ rows: 300, readProblem: expect.stringMatching(/^EIO:/) as unknown });
    await program.tell({ order: 'keep', from: 301, count: 1 });
    expect((await program.tell({ order: 'take' })).taken).toEqual([301]);
    disk.mend();
    await program.tell({ order: 'pass', ms: SOON_MS });
    const { taken, state } = await program.tell({ order: 'take' });
    expect(taken).toEqual(range(1, 300));
    expect(state).toMatchObject({ readProblem: null, counts: { damagedRecords: 0, droppedGone: 0 } });
  });
});

describe('a spool whose process is killed at any of its calls on the disk', () => {
  const UNKNOWN_FROM = 100_000;
  /** Appends, begins segments, is acknowledged, removes, and gives UNKNOWN rows up for space. */
  const script: SpoolOrder[] = [
    { order: 'keep', from: 1, count: 20 },
    { order: 'keep', from: 21, count: 20 },
    { order: 'take' },
    { order: 'settle', answer: 'stored' },
    { order: 'keep', from: 41, count: 60 },
    { order: 'pass', ms: RESEND_WINDOW_MS },
    { order: 'house' },
    { order: 'keep', from: UNKNOWN_FROM, count: 200, status: 'UNKNOWN' },
    { order: 'keep', from: 101, count: 60 },
    { order: 'keep', from: 161, count: 60 },
    { order: 'close' },
  ];

  /** Lives until the n-th call; returns what it had promised by then, and whether it came to the end. */
  async function liveUntil(call: number): Promise<{ kept: number[]; begun: number; survived: boolean }> {
    disk.fail({ kind: 'kill', call });
    const kept = new Set<number>();
    let begun = 0;
    try {
      const { program } = await openSpool({ segmentBytes: 1200, limitBytes: 2600 });
      for (const order of script) {
        if (order.order === 'keep' && order.from < UNKNOWN_FROM) begun = order.from + order.count;
        // From here on what was taken may be gone: it was acknowledged.
        if (order.order === 'settle') kept.clear();
        await program.tell(order);
        if (order.order === 'keep' && order.from < UNKNOWN_FROM)
          for (const id of range(order.from, order.count)) kept.add(id);
      }
      return { kept: [...kept], begun, survived: true };
    } catch {
      return { kept: [...kept], begun, survived: false };
    }
  }

  it('has lost nothing of what it promised, and invents nothing', async () => {
    let call = 0;
    for (let survived = false; !survived;) {
      call += 1;
      const life = await liveUntil(call);
      survived = life.survived;
      const { ids, damaged } = await left();
      expect(
        life.kept.filter((id) => !ids.includes(id)),
        `lost by a kill at call ${call}`,
      ).toEqual([]);
      expect(ids.filter((id) => id >= life.begun && id < UNKNOWN_FROM)).toEqual([]);
      expect(damaged).toBe(0);
      expect(existsSync(join(scene.folder, '0000000001.seg.new'))).toBe(false);
      scene.folder = join(scene.parent, `spool-${call}`);
    }
    expect(call).toBeGreaterThan(25);
  }, 240_000);
});
