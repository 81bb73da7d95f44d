import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { maintenanceJobs } from '../../../collector/maintenance-job.ts';
import { RECURRENCE_MODULE, type Expansion, type ExpansionRequest } from '../../../core/recurrence.ts';
import type { MaintenanceEvent } from '../../../core/maintenance-event.ts';
import { lockMaintenance } from '../../../db/maintenances.ts';
import { createBoundedCalls, type BoundedCalls } from '../../../runtime/bounded-calls.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { createMaintenance, eventsOf, MAINTENANCES } from '../../support/api-maintenances.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { eventually } from '../../support/eventually.ts';
import { stopClock } from '../../support/monitoring-fixture.ts';

const HOUR = 3600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

let test: TestApi;
let setClock: (at: number) => Promise<void>;
let recurrence: BoundedCalls<ExpansionRequest, Expansion | null>;
beforeAll(async () => {
  test = await startApi();
  setClock = await stopClock(test.database.pool, NOW);
  recurrence = createBoundedCalls(RECURRENCE_MODULE, 'expandRecurrence');
});
beforeEach(async () => {
  await setClock(NOW);
  await test.database.pool.query('delete from maintenances');
});
afterAll(async () => {
  await recurrence.close();
  await test.stop();
});

/** One round of a collector's jobs. */
async function runJobs(): Promise<void> {
  const parts = { pool: test.database.pool, recurrence, logger: createLogger('collector', 'silent') };
  for (const job of maintenanceJobs(parts)) await job.run();
}

const create = (fields: object = {}) => createMaintenance(test.api, { start_date_time: NOW + HOUR, ...fields });
const at = async (seconds: number): Promise<void> => {
  await setClock(seconds);
  await runJobs();
};
const states = async (id: number) => (await eventsOf(test.api, id)).map(({ status }) => status);
const startsOf = async (id: number) =>
  (await eventsOf(test.api, id)).map(({ start_date_time }) => (start_date_time - NOW) / DAY);
const pathOf = ({ maintenance_id, id }: MaintenanceEvent): string => `${MAINTENANCES}/${maintenance_id}/events/${id}`;

describe('the clock', () => {
  it('takes an event through its states', async () => {
    const { id } = await create();
    const seen = [];
    for (const seconds of [0, HOUR - 301, HOUR - 300, HOUR - 1, HOUR, 2 * HOUR - 1, 2 * HOUR, 3 * HOUR]) {
      await at(NOW + seconds);
      seen.push((await states(id))[0]);
    }
    expect(seen).toEqual(['SCHEDULED', 'SCHEDULED', 'READY', 'READY', 'ONGOING', 'ONGOING', 'COMPLETED', 'COMPLETED']);
  });

  it('brings everything up to date at once after a time away, and leaves nothing behind', async () => {
    const { id } = await create({ rrule: 'FREQ=HOURLY;COUNT=5', duration_seconds: HOUR });
    await at(NOW + 3 * HOUR + 60);
    expect(await states(id)).toEqual(['COMPLETED', 'COMPLETED', 'ONGOING', 'SCHEDULED', 'SCHEDULED']);
    await at(NOW + 100 * DAY);
    expect(new Set(await states(id))).toEqual(new Set(['COMPLETED']));
  });

  it('says when it did so, and leaves alone what is not due', async () => {
    const { id } = await create({ rrule: 'FREQ=HOURLY;COUNT=2' });
    const [before, later] = await eventsOf(test.api, id);
    await at(NOW + HOUR);
    const [after, still] = await eventsOf(test.api, id);
    expect((after?.updated_at ?? '') > (before?.updated_at ?? '')).toBe(true);
    expect(still).toEqual(later);
  });

  it('never moves what was cancelled, nor back what was moved', async () => {
    const { id } = await create({ rrule: 'FREQ=HOURLY;COUNT=3', start_date_time: NOW });
    const [open, cancelled, moved] = await eventsOf(test.api, id);
    if (!open || !cancelled || !moved) throw new Error('too few events');
    await test.api.patch(pathOf(cancelled), { status: 'CANCELLED' });
    await test.api.patch(pathOf(open), { start_date_time: NOW + 5 * DAY, end_date_time: NOW + 5 * DAY + HOUR });
    await test.api.patch(pathOf(moved), { start_date_time: NOW - DAY, end_date_time: NOW - HOUR });
    await at(NOW + 2 * HOUR);
    const after = Object.fromEntries((await eventsOf(test.api, id)).map((event) => [event.id, event.status]));
    expect([after[open.id], after[cancelled.id], after[moved.id]]).toEqual(['ONGOING', 'CANCELLED', 'COMPLETED']);
  });

  it('stands still for an INACTIVE maintenance, and catches up when it is ACTIVE again', async () => {
    const { id } = await create({ rrule: 'FREQ=HOURLY;COUNT=3', duration_seconds: 60 });
    await test.api.patch(`${MAINTENANCES}/${id}`, { status: 'INACTIVE' });
    await at(NOW + 2 * HOUR);
    expect(await states(id)).toEqual(['SCHEDULED', 'SCHEDULED', 'SCHEDULED']);
    await test.api.patch(`${MAINTENANCES}/${id}`, { status: 'ACTIVE' });
    await runJobs();
    expect(await states(id)).toEqual(['COMPLETED', 'ONGOING', 'SCHEDULED']);
  });

  it('begins READY when the setting says so', async () => {
    const { id } = await create();
    await test.database.pool.query(`insert into system values ('maintenance_ready_seconds', '3600')`);
    await runJobs();
    await test.database.pool.query(`delete from system where key = 'maintenance_ready_seconds'`);
    expect(await states(id)).toEqual(['READY']);
  });
});

describe('the horizon', () => {
  it('moves on, and makes each occurrence once', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW });
    expect(await startsOf(id)).toHaveLength(31);
    for (const days of [0.5, 1, 1, 2, 9.5]) await at(NOW + days * DAY);
    expect(await startsOf(id)).toEqual(Array.from({ length: 40 }, (_, day) => day));
  });

  it('never brings back what was deleted, cancelled or moved, nor doubles it', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW + DAY });
    const [deleted, cancelled, moved] = await eventsOf(test.api, id);
    if (!deleted || !cancelled || !moved) throw new Error('too few events');
    await test.api.delete(pathOf(deleted));
    await test.api.patch(pathOf(cancelled), { status: 'CANCELLED' });
    const elsewhere = { start_date_time: NOW + 50 * DAY, end_date_time: NOW + 50 * DAY + 60 };
    await test.api.patch(pathOf(moved), elsewhere);
    for (const days of [0, 0.5, 1.5, 2.5]) await at(NOW + days * DAY);
    // Deleted 1, cancelled 2, moved 3 to 50; the horizon has come to 32.
    const starts = [2, ...Array.from({ length: 29 }, (_, day) => day + 4), 50];
    expect(await startsOf(id)).toEqual(starts);
    expect((await states(id))[0]).toBe('CANCELLED');
    await test.api.patch(`${MAINTENANCES}/${id}`, { title: 'other' });
    await runJobs();
    expect(await startsOf(id)).toEqual(starts);
  });

  it('always has the next one, however far, also after it was cancelled or deleted', async () => {
    const { id } = await create({ rrule: 'FREQ=YEARLY', start_date_time: NOW + DAY });
    expect(await startsOf(id)).toEqual([1]);
    const [first] = await eventsOf(test.api, id);
    if (!first) throw new Error('no event was made');
    await test.api.patch(pathOf(first), { status: 'CANCELLED' });
    await runJobs();
    expect(await startsOf(id)).toEqual([1, 366]);
    const [, second] = await eventsOf(test.api, id);
    if (!second) throw new Error('no next event was made');
    await test.api.delete(pathOf(second));
    await runJobs();
    expect(await startsOf(id)).toEqual([1, 732]);
    await at(NOW + 732 * DAY);
    expect(await startsOf(id)).toEqual([1, 732, 1097]);
  });

  it('ends with the rule', async () => {
    const { id } = await create({ rrule: 'FREQ=WEEKLY;COUNT=6', start_date_time: NOW });
    expect(await startsOf(id)).toEqual([0, 7, 14, 21, 28]);
    await at(NOW + 10 * DAY);
    await at(NOW + 500 * DAY);
    expect(await startsOf(id)).toEqual([0, 7, 14, 21, 28, 35]);
  });

  it('leaves out what was over before anybody could make it', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW, duration_seconds: HOUR });
    await test.api.patch(`${MAINTENANCES}/${id}`, { status: 'INACTIVE' });
    await at(NOW + 40 * DAY + 60);
    expect(await startsOf(id)).toHaveLength(31);
    await test.api.patch(`${MAINTENANCES}/${id}`, { status: 'ACTIVE' });
    await runJobs();
    const starts = await startsOf(id);
    expect(starts.slice(30)).toEqual([30, ...Array.from({ length: 31 }, (_, day) => day + 40)]);
    expect((await states(id))[31]).toBe('ONGOING');
  });

  it('is as far as the setting says', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW });
    await test.database.pool.query(`insert into system values ('maintenance_horizon_days', '60')`);
    await runJobs();
    await test.database.pool.query(`delete from system where key = 'maintenance_horizon_days'`);
    expect(await startsOf(id)).toHaveLength(61);
  });

  it('goes on after a rule that cannot be expanded, and tries that not all the time', async () => {
    const endless = { rrule: 'FREQ=HOURLY;BYMINUTE=1,2;COUNT=999999999', start: -6_000_000_000_000 };
    await test.database.pool.query(
      `insert into maintenances (title, start_date_time, rrule, duration_seconds, is_global, next_start)
       values ('endless', $1, $2, 60, true, $3)`,
      [endless.start, endless.rrule, NOW],
    );
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW });
    const warnings: unknown[] = [];
    const logger = createLogger('collector', 'silent');
    logger.warn = (...args: unknown[]) => void warnings.push(args);
    const jobs = maintenanceJobs({ pool: test.database.pool, recurrence, logger });
    await setClock(NOW + DAY);
    for (const job of [...jobs, ...jobs]) await job.run();
    expect(await startsOf(id)).toHaveLength(32);
    expect(warnings).toHaveLength(1);
  });
});

describe('several at once', () => {
  it('the clock waits for an edit that is under way', async () => {
    const { id } = await create();
    const client = await test.database.pool.connect();
    await client.query('begin');
    await lockMaintenance(client, id);
    await setClock(NOW + HOUR);
    const jobs = runJobs();
    await eventually('the clock waits for the row', 20_000, async () => {
      const query = `select from pg_stat_activity where wait_event_type = 'Lock' and query like '%no key update%'`;
      return (await test.database.pool.query(query)).rowCount === 1;
    });
    await client.query('delete from maintenance_events');
    await client.query('commit');
    client.release();
    await jobs;
    expect(await states(id)).toEqual([]);
  });

  it('a rule that was expanded for another schedule, or for another collector too, makes no event', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY', start_date_time: NOW });
    const meanwhile = (work: () => Promise<unknown>): typeof recurrence => ({
      ...recurrence,
      call: async (request) => {
        const end = await recurrence.call(request);
        await work();
        return end;
      },
    });
    const logger = createLogger('collector', 'silent');
    const run = async (parts: typeof recurrence): Promise<void> => {
      for (const job of maintenanceJobs({ pool: test.database.pool, recurrence: parts, logger })) await job.run();
    };
    await setClock(NOW + DAY);
    await run(
      meanwhile(async () => {
        await runJobs();
        const [, , next] = await eventsOf(test.api, id);
        if (next) await test.api.delete(pathOf(next));
        const last = (await eventsOf(test.api, id)).at(-1);
        if (last) await test.api.delete(pathOf(last));
      }),
    );
    expect(await startsOf(id)).toEqual([0, 1, ...Array.from({ length: 28 }, (_, day) => day + 3)]);
    await setClock(NOW + 2 * DAY);
    await run(meanwhile(() => test.api.patch(`${MAINTENANCES}/${id}`, { rrule: 'FREQ=DAILY;COUNT=4' })));
    // The second day's window is open: another schedule gives it its event again.
    expect(await startsOf(id)).toEqual([0, 1, 2, 3]);
  });

  it('collectors and an edit leave what one order explains', async () => {
    const { id } = await create({ rrule: 'FREQ=HOURLY', start_date_time: NOW, duration_seconds: HOUR });
    for (let round = 1; round <= 5; round += 1) {
      await setClock(NOW + round * 7 * HOUR);
      const duration_seconds = HOUR / (round + 1);
      const edit = test.api.patch(`${MAINTENANCES}/${id}`, { duration_seconds });
      const [answer] = await Promise.all([edit, runJobs(), runJobs(), runJobs()]);
      expect(answer.status).toBe(200);
      await runJobs();
      const events = await eventsOf(test.api, id);
      const later = events.filter((event) => event.start_date_time > NOW + round * 7 * HOUR);
      expect(later).toHaveLength(30 * 24);
      expect(new Set(later.map((event) => event.start_date_time)).size).toBe(30 * 24);
      expect(new Set(later.map((event) => event.end_date_time - event.start_date_time))).toEqual(
        new Set([duration_seconds]),
      );
    }
  });
});
