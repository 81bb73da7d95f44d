import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

let dashboard: Dashboard;
const tags: string[] = [];
beforeAll(async () => {
  dashboard = await startDashboard();
  for (let index = 0; index < 3; index++) tags.push((await createMonitor(dashboard.test.api)).tag);
});
afterAll(() => dashboard.test.stop());

interface Incident {
  id: number;
  monitors: { monitor_tag: string; monitor_impact: string }[];
  updated_at: string;
}

const create = async (fields: object = {}): Promise<number> => {
  const data = { title: 'An incident', start_date_time: 600, ...fields };
  return (await dashboard.run<{ incident_id: number }>('createIncident', data)).incident_id;
};
const read = (incident_id: number): Promise<Incident> => dashboard.run('getIncident', { incident_id });
const impacts = async (id: number): Promise<string[]> =>
  (await read(id)).monitors.map(({ monitor_tag, monitor_impact }) => `${monitor_tag} ${monitor_impact}`);
const [one, two, three] = [0, 1, 2].map((at) => (): string => tags[at] ?? '');

describe('createIncident', () => {
  it('makes one of source MANUAL, which /api/v4 shows too', async () => {
    const monitors = [{ monitor_tag: one?.(), monitor_impact: 'DEGRADED' }, { monitor_tag: two?.() }];
    const id = await create({ title: ' Slow ', start_date_time: 659, monitors, state: 'RESOLVED' });
    expect(await read(id)).toMatchObject({
      id,
      title: 'Slow',
      start_date_time: 600,
      end_date_time: null,
      state: 'INVESTIGATING',
      incident_source: 'MANUAL',
      status: 'OPEN',
      is_global: 'NO',
      isAutoCreated: false,
      monitors: [
        { monitor_tag: one?.(), monitor_impact: 'DEGRADED' },
        { monitor_tag: two?.(), monitor_impact: 'DOWN' },
      ],
    });
    const { body } = await dashboard.test.api.get(`/api/v4/incidents/${id}`);
    expect(body).toMatchObject({ incident: { incident_source: 'MANUAL', title: 'Slow' } });
  });

  it('without monitors is for everybody', async () => {
    expect(await read(await create())).toMatchObject({ is_global: 'YES', monitors: [] });
  });

  it.each([
    [{ title: '' }, 'Title is required and must be a non-empty string'],
    [{ start_date_time: null }, 'start_date_time is required'],
    [{ end_date_time: 'x' }, 'end_date_time must be a valid timestamp (UTC seconds)'],
    [{ monitors: {} }, 'monitors must be an array'],
    [{ monitors: [null] }, 'Each monitor must have a valid monitor_tag'],
    [{ monitors: [{ monitor_tag: 'absent' }] }, "Monitor with tag 'absent' not found"],
    [
      { monitors: [{ monitor_tag: 'a', monitor_impact: 'ZZZ' }] },
      "Invalid impact 'ZZZ'. Must be one of: UP, DOWN, DEGRADED, MAINTENANCE",
    ],
  ])('refuses %j and makes nothing', async (fields, message) => {
    const count = async (): Promise<unknown> =>
      (await dashboard.test.database.pool.query('select count(*)::int as n from incidents')).rows;
    const before = await count();
    const data = { title: 'a', start_date_time: 600, ...fields };
    expect(failureOf(await dashboard.ask('createIncident', data))).toEqual([400, message]);
    expect(await count()).toEqual(before);
  });
});

describe('getIncidents', () => {
  it('pages through incidents, newest first, open or closed, by state, with their alerts known', async () => {
    const ids = [];
    for (let index = 0; index < 5; index++) ids.push(await create({ title: `paged ${index}` }));
    const [closed = 0, alerted = 0, ahead = 0] = ids;
    await dashboard.run('addComment', { incident_id: closed, comment: 'over', state: 'RESOLVED', commented_at: 6000 });
    await dashboard.run('updateIncident', { id: ahead, end_date_time: 4_000_000_000 });
    await dashboard.test.database.pool.query(
      `insert into monitor_alerts (monitor_id, incident_id, alert_for, alert_value, alert_status)
       select id, $1, 'STATUS', 'DOWN', 'TRIGGERED' from monitors limit 1`,
      [alerted],
    );
    interface List {
      incidents: { id: number; status: string; isAutoCreated: boolean }[];
      total: number;
    }
    const list = (data: object): Promise<List> => dashboard.run<List>('getIncidents', data);
    const all = await list({ page: 1, limit: 100, filter: { status: 'ALL' } });
    const total = all.total;
    expect(all.incidents.map(({ id }) => id)).toEqual(all.incidents.map(({ id }) => id).toSorted((a, b) => b - a));
    expect(all.incidents.filter(({ isAutoCreated }) => isAutoCreated).map(({ id }) => id)).toEqual([alerted]);
    const open = await list({ limit: 100, filter: { status: 'OPEN' } });
    const shut = await list({ limit: 100, filter: { status: 'CLOSED' } });
    expect(open.total + shut.total).toBe(total);
    expect(shut.incidents.map(({ id }) => id)).toEqual([closed]);
    expect(open.incidents.map(({ id }) => id)).toContain(ahead);
    expect((await list({ limit: 100, filter: { state: 'RESOLVED' } })).incidents).toEqual(shut.incidents);
    expect((await list({ page: 2, limit: 2 })).incidents).toEqual(all.incidents.slice(2, 4));
    expect(await list({ page: '999', limit: 0 })).toEqual({ incidents: [], total });
  });

  it('refuses a filter that is none', async () => {
    const answer = await dashboard.ask('getIncidents', { filter: { status: 'open' } });
    expect(failureOf(answer)).toEqual([400, 'filter.status must be one of: OPEN, CLOSED, ALL']);
  });
});

describe('updateIncident', () => {
  it('changes what it names and keeps the rest', async () => {
    const id = await create({ monitors: [{ monitor_tag: one?.() }], end_date_time: 6000 });
    const before = await read(id);
    expect(await dashboard.run('updateIncident', { id, title: 'b', state: 'RESOLVED' })).toBe(1);
    const after = await read(id);
    expect({ ...after, updated_at: '' }).toEqual({ ...before, title: 'b', updated_at: '' });
    await dashboard.run('updateIncident', { id, end_date_time: null, monitors: [] });
    expect(await read(id)).toMatchObject({ end_date_time: null, monitors: [], is_global: 'YES' });
  });
});

describe('addMonitor and removeMonitor', () => {
  it('change one reference of an incident', async () => {
    const id = await create({ monitors: [{ monitor_tag: one?.() }] });
    const name = (monitor_tag: string | undefined, monitor_impact: string): Promise<unknown> =>
      dashboard.run('addMonitor', { incident_id: id, monitor_tag, monitor_impact });
    expect(await name(two?.(), 'DEGRADED')).toEqual([1]);
    await name(one?.(), 'MAINTENANCE');
    expect(await impacts(id)).toEqual([`${one?.()} MAINTENANCE`, `${two?.()} DEGRADED`]);
    expect(await dashboard.run('removeMonitor', { incident_id: id, monitor_tag: one?.() })).toBe(1);
    expect(await impacts(id)).toEqual([`${two?.()} DEGRADED`]);
    expect(await read(id)).toMatchObject({ is_global: 'NO' });
  });

  it('at once all take effect', async () => {
    const id = await create({ monitors: [{ monitor_tag: three?.() }] });
    await Promise.all([
      dashboard.run('addMonitor', { incident_id: id, monitor_tag: one?.(), monitor_impact: 'DOWN' }),
      dashboard.run('addMonitor', { incident_id: id, monitor_tag: two?.(), monitor_impact: 'UP' }),
      dashboard.run('removeMonitor', { incident_id: id, monitor_tag: three?.() }),
    ]);
    expect((await impacts(id)).toSorted()).toEqual([`${one?.()} DOWN`, `${two?.()} UP`]);
  });

  it('say what is not there', async () => {
    const id = await create();
    const named = { incident_id: id, monitor_tag: 'absent' };
    expect(failureOf(await dashboard.ask('addMonitor', { ...named, monitor_impact: 'DOWN' }))).toEqual([
      400,
      "Monitor with tag 'absent' not found",
    ]);
    expect(failureOf(await dashboard.ask('removeMonitor', named))).toEqual([
      404,
      "Monitor with tag 'absent' is not named by this incident",
    ]);
    expect((await dashboard.ask('addMonitor', named)).status).toBe(400);
  });
});

describe('deleteIncident', () => {
  it('deletes it with its comments', async () => {
    const id = await create();
    await dashboard.run('addComment', { incident_id: id, comment: 'a', state: 'MONITORING' });
    expect(await dashboard.run('deleteIncident', { incident_id: id })).toEqual({ success: true });
    for (const action of ['getIncident', 'deleteIncident', 'getComments'])
      expect(failureOf(await dashboard.ask(action, { incident_id: id }))).toEqual([
        404,
        `Incident with id '${id}' not found`,
      ]);
  });
});
