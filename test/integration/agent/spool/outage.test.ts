import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openSpoolOutage, type SpoolOutage } from '../../../support/spool-outage.ts';

const MAX_BYTES_A_RESULT = 16;
/** The aim is 20, on a machine that does nothing else; `npm run bench:spool` holds it at full size. */
const MIN_TIMES_REAL_TIME = 20;
/** A process that has just started has a third of it. */
const MAX_MEMORY_MIB = 400;
/** Unacknowledged batches of the longest kind. */
const MAX_WINDOW_ROWS = 16 * 4000;

let outage: SpoolOutage | undefined;

afterEach(async () => {
  await outage?.close();
  outage = undefined;
});

describe('an agent whose collector was away', () => {
  it('for two hours delivers each minute once, fresh results first, within its memory and disk', async () => {
    const [monitors, minutes] = [6000, 120];
    const backlog = monitors * minutes;
    outage = await openSpoolOutage({ monitors, minutes });
    const { agent, sink } = outage;
    await outage.pass();
    const { spool } = await agent.tell({ order: 'report' });
    expect(spool.rows).toBe(backlog);
    expect(spool.bytes / spool.rows).toBeLessThanOrEqual(MAX_BYTES_A_RESULT);

    await outage.end();
    const cuts = 3;
    for (let cut = 0; cut < cuts; cut += 1) await sink.tell({ order: 'cut' });
    await outage.whole();
    // Some more of life, so that there are fresh results beside the backlog and after it.
    await wait(3000);
    const counted = await outage.settle();
    const { made } = await agent.tell({ order: 'report' });
    expect(counted).toMatchObject({ backlog, live: made - backlog, doubled: 0, invented: 0 });
    expect(counted.live).toBeGreaterThan(0);
    // What came again had lost its acknowledgement: nothing more than three full windows.
    expect(counted.repeated).toBeGreaterThan(0);
    expect(counted.repeated).toBeLessThanOrEqual(cuts * MAX_WINDOW_ROWS);
    const seconds = (counted.wholeMs - counted.firstMs) / 1000;
    expect(backlog / seconds / (monitors / 60)).toBeGreaterThan(MIN_TIMES_REAL_TIME);
    expect(agent.memoryMib().most).toBeLessThan(MAX_MEMORY_MIB);
  }, 300_000);

  it('and that then stands still for a while keeps within its memory, and delivers everything', async () => {
    const [monitors, minutes] = [20_000, 10];
    outage = await openSpoolOutage({ monitors, minutes });
    const { agent, sink } = outage;
    await outage.pass();
    await outage.end();
    sink.kill('SIGSTOP');
    const before = agent.memoryMib().now;
    // Longer than a stopped collector is waited for: the agent comes back, and is held up again.
    await wait(45_000);
    const during = await agent.tell({ order: 'report' });
    expect(during.spool.rows).toBeGreaterThan(10_000);
    expect(agent.memoryMib().now - before).toBeLessThan(150);
    sink.kill('SIGCONT');
    const counted = await outage.settle();
    const { made, spool } = await agent.tell({ order: 'report' });
    expect(counted.backlog + counted.live).toBe(made);
    expect(counted.invented).toBe(0);
    expect(spool.counts).toMatchObject({ droppedHeld: 0, droppedOldest: 0, droppedUnknown: 0, damagedRecords: 0 });
  }, 240_000);
});
