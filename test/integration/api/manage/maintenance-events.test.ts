import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

const HOUR = 3600;
const NOW = Math.floor(Date.now() / 60_000) * 60;

let dashboard: Dashboard;
beforeAll(async () => void (dashboard = await startDashboard()));
afterAll(() => dashboard.test.stop());

interface Event {
  id: number;
  start_date_time: number;
  end_date_time: number;
  status: string;
}

const plan = async (fields: object = {}): Promise<number> => {
  const data = { title: 'A', start_date_time: NOW + HOUR, rrule: 'FREQ=DAILY;COUNT=3', duration_seconds: HOUR };
  const created = await dashboard.run<{ maintenance_id: number }>('createMaintenance', { ...data, ...fields });
  return created.maintenance_id;
};
const list = (maintenance_id: number, part: object = {}): Promise<Event[]> =>
  dashboard.run('getMaintenanceEvents', { maintenance_id, ...part });
const first = async (maintenanceId: number): Promise<Event> => {
  const [event] = await list(maintenanceId);
  if (!event) throw new Error('no event was planned');
  return event;
};
const make = (maintenance_id: number, start_date_time: number, seconds = HOUR): Promise<Event> =>
  dashboard.run('createMaintenanceEvent', {
    maintenance_id,
    start_date_time,
    end_date_time: start_date_time + seconds,
  });

it('getMaintenanceEvents lists them by start, from either end, in parts', async () => {
  const id = await plan();
  const all = await list(id);
  expect(all.map(({ start_date_time }) => start_date_time)).toEqual([1, 25, 49].map((hours) => NOW + hours * HOUR));
  expect(await list(id, { order: 'desc' })).toEqual(all.toReversed());
  expect(await list(id, { page: 2, limit: 2 })).toEqual(all.slice(2));
  expect(await dashboard.run('getMaintenanceEvent', { id: all[0]?.id })).toEqual(all[0]);
});

describe('createMaintenanceEvent', () => {
  it('makes a window that the rule does not name, in the state that its times imply', async () => {
    const id = await plan();
    const made = await make(id, NOW + 3 * HOUR + 59);
    expect(made).toMatchObject({ maintenance_id: id, start_date_time: NOW + 3 * HOUR, status: 'SCHEDULED' });
    expect(await make(id, NOW - 60)).toMatchObject({ status: 'ONGOING' });
    expect(await make(id, NOW - 9 * HOUR)).toMatchObject({ status: 'COMPLETED' });
    expect(await list(id)).toHaveLength(6);
  });

  it('makes one where an occurrence was cancelled, moved away or deleted', async () => {
    const id = await plan();
    const [one, two, three] = await list(id);
    await dashboard.run('updateMaintenanceEventStatus', { id: one?.id, status: 'CANCELLED' });
    await dashboard.run('updateMaintenanceEvent', { id: two?.id, end_date_time: NOW + 90 * HOUR });
    await dashboard.run('updateMaintenanceEvent', { id: two?.id, start_date_time: NOW + 80 * HOUR });
    await dashboard.run('deleteMaintenanceEvent', { id: three?.id });
    for (const event of [one, two, three]) await make(id, event?.start_date_time ?? 0);
    expect((await list(id)).map(({ start_date_time }) => (start_date_time - NOW) / HOUR)).toEqual([1, 1, 25, 49, 80]);
  });

  it.each([
    [{ end_date_time: 60 }, 'start_date_time is required'],
    [{ start_date_time: 60 }, 'end_date_time is required'],
    [{ start_date_time: 60, end_date_time: 119 }, 'end_date_time must be after start_date_time'],
    [{ start_date_time: 'x', end_date_time: 119 }, 'start_date_time must be a valid timestamp (UTC seconds)'],
  ])('refuses %j', async (times, message) => {
    const id = await plan();
    expect(failureOf(await dashboard.ask('createMaintenanceEvent', { maintenance_id: id, ...times }))).toEqual([
      400,
      message,
    ]);
    expect(await list(id)).toHaveLength(3);
  });
});

describe('updateMaintenanceEvent', () => {
  it('moves the end it names and keeps the other', async () => {
    const id = await plan();
    const event = await first(id);
    const move = (fields: object): Promise<unknown> =>
      dashboard.run('updateMaintenanceEvent', { id: event.id, ...fields });
    expect(await move({ end_date_time: NOW + 3 * HOUR + 1 })).toEqual({ success: true });
    await move({ start_date_time: NOW + 2 * HOUR });
    expect(await first(id)).toMatchObject({ start_date_time: NOW + 2 * HOUR, end_date_time: NOW + 3 * HOUR });
    for (const times of [{ end_date_time: NOW + 2 * HOUR + 59 }, { start_date_time: NOW + 3 * HOUR }])
      expect(failureOf(await dashboard.ask('updateMaintenanceEvent', { id: event.id, ...times }))).toEqual([
        400,
        'end_date_time must be after start_date_time',
      ]);
  });

  it('of both ends at once by two who race leaves a window that one order explains', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await plan();
      const event = await first(id);
      const ask = (fields: object): Promise<{ status: number }> =>
        dashboard.ask('updateMaintenanceEvent', { id: event.id, ...fields });
      // Each alone is a window, both together are none.
      const answers = await Promise.all([
        ask({ start_date_time: NOW + HOUR + 1800 }),
        ask({ end_date_time: NOW + HOUR + 600 }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400]);
      const { start_date_time: start, end_date_time: end } = await first(id);
      expect(end).toBeGreaterThan(start);
    }
  });
});

it('updateMaintenanceEventStatus completes and cancels as /api/v4 does', async () => {
  const id = await plan({ start_date_time: NOW - 600, rrule: 'FREQ=DAILY;COUNT=2' });
  const [running, coming] = await list(id);
  const end = (event: Event | undefined, status: string): Promise<unknown> =>
    dashboard.run('updateMaintenanceEventStatus', { id: event?.id, status });
  expect(await end(running, 'COMPLETED')).toMatchObject({ id: running?.id, status: 'COMPLETED' });
  expect(await end(coming, 'CANCELLED')).toMatchObject({ status: 'CANCELLED', end_date_time: coming?.end_date_time });
  const ask = async (status: string): Promise<unknown> =>
    failureOf(await dashboard.ask('updateMaintenanceEventStatus', { id: coming?.id, status }));
  expect(await ask('COMPLETED')).toEqual([400, 'Cannot transition event from CANCELLED to COMPLETED']);
  expect(await ask('READY')).toEqual([400, 'status must be COMPLETED or CANCELLED']);
});

it('deleteMaintenanceEvent deletes one, and the others stay', async () => {
  const id = await plan();
  const [one, ...others] = await list(id);
  expect(await dashboard.run('deleteMaintenanceEvent', { id: one?.id })).toEqual({ success: true });
  expect(await list(id)).toEqual(others);
  const gone = [404, `Event with id '${one?.id}' not found`];
  for (const action of ['getMaintenanceEvent', 'updateMaintenanceEvent', 'deleteMaintenanceEvent'])
    expect(failureOf(await dashboard.ask(action, { id: one?.id }))).toEqual(gone);
  const cancelled = await dashboard.ask('updateMaintenanceEventStatus', { id: one?.id, status: 'CANCELLED' });
  expect(failureOf(cancelled)).toEqual(gone);
});

it('getAllMaintenanceEvents lists those of all maintenances from now on, by status, maintenance and monitor', async () => {
  const monitor = await createMonitor(dashboard.test.api);
  const id = await plan({ title: 'Mine', monitors: [{ monitor_tag: monitor.tag }] });
  await make(id, NOW - 10 * HOUR);
  interface Flat {
    events: { event_id: number; maintenance_title: string; event_start_date_time: number }[];
    total: number;
  }
  const all = (data: object): Promise<Flat> => dashboard.run('getAllMaintenanceEvents', data);
  const mine = await all({ maintenance_id: id });
  expect(mine.events.map(({ event_id }) => event_id)).toEqual((await list(id)).slice(1).map((event) => event.id));
  expect(mine.events[0]).toMatchObject({ maintenance_title: 'Mine', event_start_date_time: NOW + HOUR });
  expect(await all({ monitor_tag: monitor.tag })).toEqual(mine);
  expect((await all({ maintenance_id: id, event_start_date_time: 0 })).total).toBe(4);
  expect((await all({ maintenance_id: id, event_start_date_time: 0, event_status: 'COMPLETED' })).total).toBe(1);
  expect(await all({ maintenance_id: id, page: 2, limit: 2 })).toEqual({ events: mine.events.slice(2), total: 3 });
  expect((await all({})).total).toBeGreaterThan(3);
});
