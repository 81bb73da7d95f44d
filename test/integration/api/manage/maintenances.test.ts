import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

const HOUR = 3600;
const NOW = Math.floor(Date.now() / 60_000) * 60;

let dashboard: Dashboard;
let tag = '';
let other = '';
beforeAll(async () => {
  dashboard = await startDashboard();
  tag = (await createMonitor(dashboard.test.api)).tag;
  other = (await createMonitor(dashboard.test.api)).tag;
});
afterAll(() => dashboard.test.stop());

interface Event {
  id: number;
  start_date_time: number;
  end_date_time: number;
  status: string;
}

interface Maintenance {
  id: number;
  title: string;
  events: Event[];
  upcoming_event: Event | null;
  updated_at: string;
}

const create = async (fields: object = {}): Promise<number> => {
  const data = { title: 'A maintenance', start_date_time: NOW + HOUR, rrule: 'FREQ=DAILY', duration_seconds: HOUR };
  const created = await dashboard.run<{ maintenance_id: number }>('createMaintenance', { ...data, ...fields });
  return created.maintenance_id;
};
const read = (id: number): Promise<Maintenance> => dashboard.run('getMaintenance', { id });
const monitors = (maintenance_id: number): Promise<unknown> =>
  dashboard.run('getMaintenanceMonitors', { maintenance_id });
const events = (maintenance_id: number, part: object = {}): Promise<Event[]> =>
  dashboard.run('getMaintenanceEvents', { maintenance_id, ...part });

describe('createMaintenance', () => {
  it('plans it as /api/v4 does, and shows the events around now', async () => {
    const id = await create({ monitors: [{ monitor_tag: tag, monitor_impact: 'DOWN' }], timezone: 'Europe/Berlin' });
    const maintenance = await read(id);
    expect(maintenance).toMatchObject({
      title: 'A maintenance',
      status: 'ACTIVE',
      is_global: 'NO',
      timezone: 'Europe/Berlin',
      monitors: [{ monitor_tag: tag, monitor_impact: 'DOWN' }],
      upcoming_event: { start_date_time: NOW + HOUR, end_date_time: NOW + 2 * HOUR, status: 'SCHEDULED' },
    });
    expect(maintenance.events).toHaveLength(20);
    expect(maintenance.events).toEqual((await events(id)).slice(0, 20));
  });

  it.each([
    [{ title: ' ' }, 'title is required and must be a non-empty string'],
    [{ rrule: 'FREQ=SECONDLY' }, 'rrule is not a valid iCalendar RRULE string'],
    [{ duration_seconds: 0 }, 'duration_seconds must be a positive number'],
    [{ monitors: [{ monitor_tag: 'absent' }] }, "Monitor with tag 'absent' not found"],
  ])('refuses %j and plans nothing', async (fields, message) => {
    const count = async (): Promise<unknown> =>
      (await dashboard.test.database.pool.query('select count(*)::int as n from maintenances')).rows;
    const before = await count();
    const data = { title: 'a', start_date_time: NOW, rrule: 'FREQ=DAILY', duration_seconds: HOUR, ...fields };
    expect(failureOf(await dashboard.ask('createMaintenance', data))).toEqual([400, message]);
    expect(await count()).toEqual(before);
  });
});

describe('getMaintenances', () => {
  it('pages through maintenances, newest first, by status', async () => {
    const ids = [];
    for (let index = 0; index < 4; index++) ids.push(await create({ rrule: 'FREQ=DAILY;COUNT=1' }));
    await dashboard.run('updateMaintenance', { id: ids[1], status: 'INACTIVE' });
    interface List {
      maintenances: Maintenance[];
      total: number;
    }
    const list = (data: object): Promise<List> => dashboard.run<List>('getMaintenances', data);
    const all = await list({ limit: 100, filter: { status: 'ALL' } });
    expect(all.maintenances.map(({ id }) => id).slice(0, 4)).toEqual(ids.toReversed());
    expect(all.maintenances[0]).toEqual(await read(ids[3] ?? 0));
    const inactive = await list({ filter: { status: 'INACTIVE' } });
    expect([inactive.total, inactive.maintenances.map(({ id }) => id)]).toEqual([1, [ids[1]]]);
    expect(await list({ page: 2, limit: 1 })).toEqual({ maintenances: [all.maintenances[1]], total: all.total });
  });

  it('shows the last five events that have begun and the next twenty, whatever lies before and behind them', async () => {
    const id = await create({ start_date_time: NOW + 1000 * HOUR, rrule: 'FREQ=DAILY;COUNT=1' });
    const { pool } = dashboard.test.database;
    await pool.query(
      `insert into maintenance_events (maintenance_id, original_start, start_date_time, end_date_time, status)
       select $1, $2::bigint + at * 60, $2::bigint + at * 60, $2::bigint + at * 60 + 60,
         case when at < -10 then 'COMPLETED' when at < 0 then 'ONGOING' else 'SCHEDULED' end
       from generate_series(-200, 200) as at`,
      [id, NOW + 30 * 60],
    );
    await stopClock(pool, NOW + 30 * 60 + 5);
    const { events: shown, upcoming_event } = await read(id);
    expect(shown.map(({ start_date_time }) => (start_date_time - NOW) / 60 - 30)).toEqual(
      Array.from({ length: 25 }, (_, at) => at - 4),
    );
    expect(upcoming_event).toEqual(shown[0]);
  });
});

describe('updateMaintenance', () => {
  it('changes what it names, and keeps the rest', async () => {
    const id = await create({ monitors: [{ monitor_tag: tag }] });
    const before = await read(id);
    expect(await dashboard.run('updateMaintenance', { id, title: 'b' })).toEqual({ success: true });
    expect({ ...(await read(id)), updated_at: '' }).toEqual({ ...before, title: 'b', updated_at: '' });
    await dashboard.run('updateMaintenance', { id, duration_seconds: 120, monitors: [{ monitor_tag: other }] });
    expect((await read(id)).upcoming_event).toMatchObject({ end_date_time: NOW + HOUR + 120 });
    expect(await monitors(id)).toEqual([{ monitor_tag: other, monitor_impact: 'MAINTENANCE' }]);
  });
});

describe('the monitors of a maintenance', () => {
  it('are added, changed and removed one by one', async () => {
    const id = await create({ rrule: 'FREQ=DAILY;COUNT=1' });
    const change = (action: string, fields: object): Promise<unknown> =>
      dashboard.run(action, { maintenance_id: id, ...fields });
    expect(await change('addMonitorToMaintenance', { monitor_tag: tag })).toEqual({ success: true });
    await change('addMonitorToMaintenance', { monitor_tag: other, monitor_impact: 'DEGRADED' });
    await change('updateMaintenanceMonitorImpact', { monitor_tag: tag, monitor_impact: 'UP' });
    expect(await monitors(id)).toEqual([
      { monitor_tag: tag, monitor_impact: 'UP' },
      { monitor_tag: other, monitor_impact: 'DEGRADED' },
    ]);
    await change('removeMonitorFromMaintenance', { monitor_tag: tag });
    expect(await monitors(id)).toEqual([{ monitor_tag: other, monitor_impact: 'DEGRADED' }]);
    const absent = { maintenance_id: id, monitor_tag: tag, monitor_impact: 'UP' };
    for (const action of ['removeMonitorFromMaintenance', 'updateMaintenanceMonitorImpact'])
      expect(failureOf(await dashboard.ask(action, absent))).toEqual([
        404,
        `Monitor with tag '${tag}' is not named by this maintenance`,
      ]);
  });

  it('are all there when several are added at once, and the events stay as they are', async () => {
    const id = await create();
    const before = await events(id);
    await Promise.all(
      [tag, other].map((monitor_tag) =>
        dashboard.run('addMonitorToMaintenance', { maintenance_id: id, monitor_tag, monitor_impact: 'DOWN' }),
      ),
    );
    expect(await monitors(id)).toHaveLength(2);
    expect(await events(id)).toEqual(before);
  });
});

it('deleteMaintenance deletes it with its events', async () => {
  const id = await create();
  const [event] = await events(id);
  expect(await dashboard.run('deleteMaintenance', { id })).toEqual({ success: true });
  const gone = [404, `Maintenance with id '${id}' not found`];
  const named = { id, maintenance_id: id, monitor_tag: tag, monitor_impact: 'UP' };
  const times = { start_date_time: 0, end_date_time: 60 };
  for (const action of ['getMaintenance', 'updateMaintenance', 'deleteMaintenance', 'getMaintenanceMonitors'])
    expect(failureOf(await dashboard.ask(action, named)), action).toEqual(gone);
  for (const action of ['addMonitorToMaintenance', 'getMaintenanceEvents', 'createMaintenanceEvent'])
    expect(failureOf(await dashboard.ask(action, { ...named, ...times })), action).toEqual(gone);
  const answer = await dashboard.ask('getMaintenanceEvent', { id: event?.id });
  expect(failureOf(answer)).toEqual([404, `Event with id '${event?.id}' not found`]);
});

describe('previewRecurrence', () => {
  interface Preview {
    text: string;
    occurrences: { start_date_time: number; end_date_time: number }[];
  }

  const preview = (fields: object): Promise<Preview> =>
    dashboard.run('previewRecurrence', {
      start_date_time: NOW,
      rrule: 'FREQ=DAILY',
      duration_seconds: HOUR,
      ...fields,
    });

  it('says a rule in words, and the next windows that are not over', async () => {
    const start_date_time = NOW - 10 * 86_400 + HOUR / 2;
    const { text, occurrences } = await preview({ start_date_time, limit: 3 });
    expect(text).toBe('every day');
    expect(occurrences).toEqual(
      [0, 1, 2].map((day) => {
        const start = NOW + day * 86_400 + HOUR / 2;
        return { start_date_time: start, end_date_time: start + HOUR };
      }),
    );
  });

  it('keeps the wall-clock time of a zone', async () => {
    const summer = Date.UTC(2100, 2, 26, 12) / 1000;
    const zoned = { start_date_time: summer, timezone: 'Europe/Berlin', limit: 4 };
    const starts = (await preview(zoned)).occurrences.map(({ start_date_time }) => (start_date_time - summer) / HOUR);
    expect(starts).toEqual([0, 24, 47, 71]);
  });

  it('looks far ahead for rare windows, and shows fewer where the rule ends', async () => {
    const leap = await preview({ rrule: 'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29', limit: 6 });
    expect(leap.occurrences).toHaveLength(6);
    expect((await preview({ rrule: 'FREQ=DAILY;COUNT=2', limit: 9 })).occurrences).toHaveLength(2);
  });

  it('refuses what is no rule', async () => {
    const data = { start_date_time: NOW, rrule: 'FREQ=NEVER', duration_seconds: 60 };
    expect(failureOf(await dashboard.ask('previewRecurrence', data))).toEqual([
      400,
      'rrule is not a valid iCalendar RRULE string',
    ]);
  });
});
