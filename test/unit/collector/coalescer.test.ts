import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { createCoalescer, type Coalescer, type CoalescerLimits } from '../../../collector/coalescer.ts';
import type { RowAnswer } from '../../../core/result.ts';
import { FIELD, ResultBlock } from '../../../core/result-block.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { resultOf } from '../../support/monitoring-fixture.ts';

const rowsOf = (count: number, monitorId = 1): ResultBlock =>
  ResultBlock.of(
    Array.from({ length: count }, (_, index) => resultOf({ monitorId, minute: index * 60, regionId: 1, agentId: 1 })),
  );

let end: AbortController;
let running: Promise<void>;
function start(
  write: (rows: ResultBlock) => Promise<readonly RowAnswer[]>,
  limits: Partial<CoalescerLimits> = {},
): Coalescer {
  end = new AbortController();
  const coalescer = createCoalescer({ write, logger: createLogger('test', 'silent'), limits });
  running = coalescer.run(end.signal);
  return coalescer;
}
afterEach(async () => {
  end.abort();
  await running;
});

const stored = (rows: ResultBlock): RowAnswer[] => rows.rows().map(() => 'stored');
const answersOf = async (coalescer: Coalescer, rows: ResultBlock) => (await coalescer.admit(rows)).answers;
/** A write that waits until it is let go. */
function heldWrite() {
  const batches: { rows: ResultBlock; finish: () => void }[] = [];
  const write = (rows: ResultBlock): Promise<RowAnswer[]> =>
    new Promise((resolve) => batches.push({ rows, finish: () => resolve(stored(rows)) }));
  return { batches, write };
}
const turns = async (count = 20): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(setImmediate);
};

describe('the coalescer', () => {
  it('writes what comes together in one batch and answers each its own', async () => {
    const batches: number[] = [];
    const coalescer = start(async (rows) => {
      batches.push(rows.length);
      return rows.column(FIELD.monitorId).map((monitorId) => (monitorId === 2 ? 'duplicate' : 'stored'));
    });
    const [one, two] = await Promise.all([answersOf(coalescer, rowsOf(2)), answersOf(coalescer, rowsOf(1, 2))]);
    expect(batches).toEqual([3]);
    expect(one).toEqual([
      { answer: 'stored', reason: null },
      { answer: 'stored', reason: null },
    ]);
    expect(two).toEqual([{ answer: 'duplicate', reason: null }]);
    expect(coalescer.rows).toBe(0);
  });

  it('does not wait for more once a batch is half full', async () => {
    const coalescer = start(async (rows) => stored(rows), { batchRows: 10, waitMs: 60_000 });
    expect(await answersOf(coalescer, rowsOf(5))).toHaveLength(5);
  });

  it('splits no message, but begins a new batch where one would be too large', async () => {
    const { batches, write } = heldWrite();
    const coalescer = start(write, { batchRows: 10, writers: 1 });
    const all = [6, 6, 4, 30].map((count) => answersOf(coalescer, rowsOf(count)));
    for (let seen = 0; seen < 3; seen++) {
      await turns();
      batches[seen]?.finish();
    }
    await Promise.all(all);
    expect(batches.map(({ rows }) => rows.length)).toEqual([6, 10, 30]);
  });

  it('writes as many batches at the same time as it has writers', async () => {
    const { batches, write } = heldWrite();
    const coalescer = start(write, { batchRows: 4, writers: 2 });
    const all = [4, 4, 4].map((count) => answersOf(coalescer, rowsOf(count)));
    await turns();
    expect(batches).toHaveLength(2);
    batches[1]?.finish();
    await turns();
    expect(batches).toHaveLength(3);
    for (const batch of batches) batch.finish();
    await Promise.all(all);
  });

  it('admits no more rows than fit in memory, in the order they came', async () => {
    const { batches, write } = heldWrite();
    const coalescer = start(write, { batchRows: 4, capacityRows: 10 });
    const admitted: number[] = [];
    const admissions = [4, 4, 4, 1].map(async (count, index) => {
      const { answers } = await coalescer.admit(rowsOf(count));
      admitted.push(index);
      return answers;
    });
    await turns();
    expect(admitted).toEqual([0, 1]);
    expect(coalescer.rows).toBe(8);
    batches[0]?.finish();
    await turns();
    expect(admitted).toEqual([0, 1, 2, 3]);
    for (let batch = 1; batch < 4; batch++) {
      await turns();
      batches.at(batch)?.finish();
    }
    end.abort();
    await turns();
    for (const batch of batches) batch.finish();
    await Promise.all(admissions);
  });

  it('tries again where the database was away, and stores once', async () => {
    let attempts = 0;
    const coalescer = start(async (rows) => {
      attempts++;
      if (attempts < 3) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
      return stored(rows);
    });
    expect(await answersOf(coalescer, rowsOf(1))).toEqual([{ answer: 'stored', reason: null }]);
    expect(attempts).toBe(3);
  });

  it('answers retry where its patience ends, and goes on', async () => {
    let broken = true;
    const coalescer = start(
      async (rows) => {
        if (broken) throw new Error('no such table');
        return stored(rows);
      },
      { patienceMs: 100 },
    );
    expect(await answersOf(coalescer, rowsOf(2))).toEqual([
      { answer: 'retry', reason: 'database' },
      { answer: 'retry', reason: 'database' },
    ]);
    broken = false;
    expect(await answersOf(coalescer, rowsOf(1))).toEqual([{ answer: 'stored', reason: null }]);
  });

  it('answers everything it took before it ends', async () => {
    const { batches, write } = heldWrite();
    const coalescer = start(write, { batchRows: 2, writers: 1, waitMs: 60_000 });
    const all = [2, 1].map((count) => answersOf(coalescer, rowsOf(count)));
    await turns();
    end.abort();
    for (let batch = 0; batch < 2; batch++) {
      batches[batch]?.finish();
      await turns();
    }
    await running;
    expect((await Promise.all(all)).map((answers) => answers.length)).toEqual([2, 1]);
  });

  it('says so where rows wait and none is stored, until one is', async () => {
    let isAway = true;
    const write = (rows: ResultBlock): Promise<RowAnswer[]> =>
      isAway ? Promise.reject(new Error('away')) : Promise.resolve(stored(rows));
    const coalescer = start(write, { stuckMs: 100 });
    expect(coalescer.problem()).toBeNull();
    const answers = answersOf(coalescer, rowsOf(1));
    await wait(20);
    expect(coalescer.problem()).toBeNull();
    await wait(200);
    expect(coalescer.problem()).toBe('rows wait and none is stored');
    isAway = false;
    await answers;
    expect(coalescer.problem()).toBeNull();
  });
});
