import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openSpoolOutage, type SpoolOutage } from '../../../support/spool-outage.ts';

const MAX_BYTES_A_RESULT = 16;
/** The aim is 20, on a machine that does nothing else; `npm run bench:spool` holds it at full size. */
const MIN_TIMES_REAL_TIME = 20;
/** A process that has just started has a third of it. */
const MAX_MEMORY_MIB = 400;
/** What an agent may take more while a collector takes nothing. */
const MAX_GROWTH_MIB = 150;
/** Rows that are answered `retry` come again after five seconds. */
const DATABASE_AWAY_MS = 16_000;
/** Fresh results arrive within it, whatever else is to be delivered. */
const MAX_LATE_MS = 10_000;
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
    expect(counted.lateMs.p99).toBeLessThan(MAX_LATE_MS);
    expect(agent.memoryMib().most).toBeLessThan(MAX_MEMORY_MIB);
  }, 300_000);

  it('and is back before its database keeps everything until that is there, and delivers each minute once', async () => {
    const [monitors, minutes] = [6000, 60];
    const backlog = monitors * minutes;
    outage = await openSpoolOutage({ monitors, minutes });
    const { agent, sink } = outage;
    await outage.pass();
    await sink.tell({ order: 'retry', isAway: true });
    await outage.end();
    const before = agent.memoryMib().now;
    await wait(DATABASE_AWAY_MS);
    const { spool } = await agent.tell({ order: 'report' });
    expect(spool.rows).toBeGreaterThanOrEqual(backlog);
    expect(agent.memoryMib().now - before).toBeLessThan(MAX_GROWTH_MIB);
    const refused = await sink.tell({ order: 'report' });
    expect(refused).toMatchObject({ backlog: 0, live: 0 });
    expect(refused.retried).toBeGreaterThan(0);
    await sink.tell({ order: 'retry', isAway: false });
    await outage.whole();
    const counted = await outage.settle();
    const { made } = await agent.tell({ order: 'report' });
    expect(counted).toMatchObject({ backlog, live: made - backlog, doubled: 0, repeated: 0, invented: 0 });
    expect(counted.live).toBeGreaterThan(0);
    expect(agent.memoryMib().most).toBeLessThan(MAX_MEMORY_MIB);
  }, 240_000);

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
    expect(agent.memoryMib().now - before).toBeLessThan(MAX_GROWTH_MIB);
    sink.kill('SIGCONT');
    const counted = await outage.settle();
    const { made, spool } = await agent.tell({ order: 'report' });
    expect(counted.backlog + counted.live).toBe(made);
    expect(counted.invented).toBe(0);
    expect(spool.counts).toMatchObject({ droppedHeld: 0, droppedOldest: 0, droppedUnknown: 0, damagedRecords: 0 });
  }, 240_000);
});
