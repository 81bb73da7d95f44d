import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../../support/api-client.ts';
import {
  createMaintenance,
  eventsOf,
  MAINTENANCES,
  maintenanceOf,
  maintenancesOf,
} from '../../../support/api-maintenances.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';

const HOUR = 3600;
const DAY = 86_400;
/** A Friday, noon. */
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

let test: TestApi;
let tags: [string, string];
beforeAll(async () => {
  test = await startApi();
  await stopClock(test.database.pool, NOW);
  tags = [(await createMonitor(test.api)).tag, (await createMonitor(test.api)).tag];
});
afterAll(() => test.stop());

const create = (fields: object = {}) => createMaintenance(test.api, { start_date_time: NOW + HOUR, ...fields });
const post = (json: unknown): Promise<Answer> => test.api.post(MAINTENANCES, json);
/** Start and end of each event in hours from now, and its state. */
const windowsOf = async (id: number) =>
  (await eventsOf(test.api, id)).map((event) => [
    (event.start_date_time - NOW) / HOUR,
    (event.end_date_time - NOW) / HOUR,
    event.status,
  ]);

describe('POST /maintenances', () => {
  it('answers with the maintenance, keys in order, and makes its event', async () => {
    const [a, b] = tags;
    const answer = await post({
      title: ' Move the disks ',
      start_date_time: NOW + HOUR + 59,
      rrule: ' FREQ=DAILY;COUNT=1 ',
      duration_seconds: 90,
      description: '',
      status: 'INACTIVE',
      unknown: 1,
      monitors: [
        { monitor_tag: b, impact: 'DOWN' },
        { monitor_tag: a },
        { monitor_tag: b, impact: 'DEGRADED', unknown: 1 },
      ],
    });
    expect(answer.status).toBe(201);
    const maintenance = maintenanceOf(answer);
    expect(Object.entries(maintenance).filter(([key]) => !/_at$|^id$/.test(key))).toEqual([
      ['title', 'Move the disks'],
      ['description', null],
      ['start_date_time', NOW + HOUR],
      ['rrule', 'FREQ=DAILY;COUNT=1'],
      ['duration_seconds', 90],
      ['status', 'ACTIVE'],
      [
        'monitors',
        [
          { monitor_tag: b, impact: 'DEGRADED' },
          { monitor_tag: a, impact: 'MAINTENANCE' },
        ],
      ],
      ['timezone', 'UTC'],
    ]);
    expect(Object.keys(maintenance).slice(-3)).toEqual(['created_at', 'updated_at', 'timezone']);
    const [event] = await eventsOf(test.api, maintenance.id);
    expect(Object.keys(event ?? {})).toEqual([
      'id',
      'maintenance_id',
      'start_date_time',
      'end_date_time',
      'status',
      'created_at',
      'updated_at',
    ]);
    expect(event).toMatchObject({
      maintenance_id: maintenance.id,
      start_date_time: NOW + HOUR,
      end_date_time: NOW + HOUR + 90,
      status: 'SCHEDULED',
    });
    expect((await test.api.get(`${MAINTENANCES}/${maintenance.id}`)).body).toEqual({ maintenance });
  });

  const valid = { title: 'x', start_date_time: NOW, rrule: 'FREQ=DAILY', duration_seconds: 60 };
  const title = 'title is required and must be a non-empty string';
  const start = 'start_date_time must be a valid timestamp (UTC seconds)';
  const required = 'rrule is required and must be a non-empty string';
  const rrule = 'rrule is not a valid iCalendar RRULE string';
  const duration = 'duration_seconds must be a positive number';
  const zone = 'timezone must be an IANA time zone name';
  const anyImpact = 'Must be one of: UP, DOWN, DEGRADED, MAINTENANCE';
  it.each([
    [{}, title],
    [{ title: ' ' }, title],
    [{ title: 5 }, title],
    [{ title: 'x' }, 'start_date_time is required'],
    [{ title: 'x', start_date_time: null }, 'start_date_time is required'],
    [{ title: 'x', start_date_time: 'soon', rrule: 5 }, start],
    [{ title: 'x', start_date_time: String(NOW) }, start],
    [{ title: 'x', start_date_time: NOW + 0.5 }, start],
    [{ title: 'x', start_date_time: 1e18 }, start],
    [{ title: 'x', start_date_time: NOW }, required],
    [{ title: 'x', start_date_time: NOW, rrule: ' ' }, required],
    [{ title: 'x', start_date_time: NOW, rrule: null }, required],
    [{ title: 'x', start_date_time: NOW, rrule: 'RRULE:FREQ=DAILY' }, rrule],
    [{ title: 'x', start_date_time: NOW, rrule: 'COUNT=1' }, rrule],
    [{ title: 'x', start_date_time: NOW, rrule: 'FREQ=SECONDLY', duration_seconds: 0 }, rrule],
    [{ ...valid, duration_seconds: undefined }, 'duration_seconds is required'],
    [{ ...valid, duration_seconds: null }, 'duration_seconds is required'],
    [{ ...valid, duration_seconds: 0 }, duration],
    [{ ...valid, duration_seconds: -5 }, duration],
    [{ ...valid, duration_seconds: '60' }, duration],
    [{ ...valid, duration_seconds: 1.5 }, duration],
    [{ ...valid, duration_seconds: 1e12, monitors: 5 }, duration],
    [{ ...valid, description: 5 }, 'description must be a string or null'],
    [{ ...valid, timezone: 'Mars/Olympus' }, zone],
    [{ ...valid, timezone: '+01:00' }, zone],
    [{ ...valid, timezone: 5 }, zone],
    [{ ...valid, monitors: null }, 'monitors must be an array'],
    [{ ...valid, monitors: {} }, 'monitors must be an array'],
    [{ ...valid, monitors: [null] }, 'Each monitor must have a valid monitor_tag'],
    [{ ...valid, monitors: ['x'] }, 'Each monitor must have a valid monitor_tag'],
    [{ ...valid, monitors: [{ monitor_tag: '' }] }, 'Each monitor must have a valid monitor_tag'],
    [{ ...valid, monitors: [{ monitor_tag: 'nope' }] }, "Monitor with tag 'nope' not found"],
    [{ ...valid, monitors: [{ monitor_tag: 'nope', impact: 'ZZZ' }, null] }, "Monitor with tag 'nope' not found"],
    [{ ...valid, monitors: [{ monitor_tag: 'monitor-1', impact: 'ZZZ' }] }, `Invalid impact 'ZZZ'. ${anyImpact}`],
    [
      { ...valid, monitors: [{ monitor_tag: 'monitor-1', impact: 'down' }, null] },
      `Invalid impact 'down'. ${anyImpact}`,
    ],
  ])('refuses %j', async (json, message) => {
    const before = maintenancesOf(await test.api.get(MAINTENANCES)).length;
    const answer = await post(json);
    expect(failureOf(answer)).toEqual([400, message]);
    expect(answer.body).toMatchObject({ error: { code: 'BAD_REQUEST' } });
    expect(maintenancesOf(await test.api.get(MAINTENANCES))).toHaveLength(before);
  });

  it('refuses a rule that cannot be expanded within a second, and goes on with the next', async () => {
    const endless = { ...valid, start_date_time: -6e12, rrule: 'FREQ=HOURLY;BYMINUTE=1,2;COUNT=999999999' };
    expect(failureOf(await post(endless))).toEqual([400, rrule]);
    expect((await post(valid)).status).toBe(201);
  });

  it('makes the events of thirty days, in the state that their times imply', async () => {
    const { id } = await create({ start_date_time: NOW, rrule: 'FREQ=HOURLY', duration_seconds: HOUR });
    const windows = await windowsOf(id);
    expect(windows).toHaveLength(30 * 24 + 1);
    expect([windows[0], windows[1], windows.at(-1)]).toEqual([
      [0, 1, 'ONGOING'],
      [1, 2, 'SCHEDULED'],
      [720, 721, 'SCHEDULED'],
    ]);
  });

  it('gives a window that is open its ONGOING event, and those before none', async () => {
    const open = { start_date_time: NOW - 3 * DAY - HOUR, duration_seconds: 2 * HOUR };
    expect(await windowsOf((await create({ ...open, rrule: 'FREQ=DAILY;COUNT=4' })).id)).toEqual([[-1, 1, 'ONGOING']]);
    const over = { start_date_time: NOW - HOUR, duration_seconds: HOUR };
    expect(await windowsOf((await create(over)).id)).toEqual([]);
    const several = { start_date_time: NOW - 3 * HOUR, duration_seconds: 2 * HOUR, rrule: 'FREQ=HOURLY;COUNT=4' };
    expect(await windowsOf((await create(several)).id)).toEqual([
      [-1, 1, 'ONGOING'],
      [0, 2, 'ONGOING'],
    ]);
  });

  it('is ready five minutes before', async () => {
    const states = [];
    for (const minutes of [0, 1, 5, 6]) {
      const { id } = await create({ start_date_time: NOW + minutes * 60 });
      states.push((await windowsOf(id))[0]?.[2]);
    }
    expect(states).toEqual(['ONGOING', 'READY', 'READY', 'SCHEDULED']);
  });

  it('always makes the next one, and none where the rule has ended', async () => {
    const yearly = { start_date_time: NOW - DAY, rrule: 'FREQ=YEARLY', duration_seconds: HOUR };
    expect(await windowsOf((await create(yearly)).id)).toEqual([[364 * 24, 364 * 24 + 1, 'SCHEDULED']]);
    const open = { ...yearly, start_date_time: NOW };
    expect((await windowsOf((await create(open)).id)).map(([start]) => start)).toEqual([0, 365 * 24]);
    expect(await windowsOf((await create({ ...yearly, rrule: 'FREQ=YEARLY;COUNT=1' })).id)).toEqual([]);
    expect(await windowsOf((await create({ ...yearly, rrule: 'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30' })).id)).toEqual([]);
  });

  it('takes COUNT=10 for ten', async () => {
    expect(await windowsOf((await create({ rrule: 'FREQ=DAILY;COUNT=10' })).id)).toHaveLength(10);
  });

  it('keeps the wall clock of its time zone over a change of the clock', async () => {
    // Berlin leaves summer time on 2026-10-25; the rule began in it, at 14:00.
    const start_date_time = Date.UTC(2026, 9, 1, 12) / 1000;
    const local = await create({ start_date_time, rrule: 'FREQ=DAILY', timezone: 'Europe/Berlin' });
    expect(local.timezone).toBe('Europe/Berlin');
    expect((await windowsOf(local.id))[0]).toEqual([1, 2, 'SCHEDULED']);
    expect((await windowsOf((await create({ start_date_time, rrule: 'FREQ=DAILY' })).id))[0]).toEqual([
      0,
      1,
      'ONGOING',
    ]);
  });
});

describe('GET /maintenances', () => {
  it('lists newest first, and filters by status and monitor; an unknown status is no filter', async () => {
    const [a] = tags;
    const first = await create({ monitors: [{ monitor_tag: a }] });
    const second = await create();
    await test.api.patch(`${MAINTENANCES}/${second.id}`, { status: 'INACTIVE' });
    const ids = async (query: string) => maintenancesOf(await test.api.get(MAINTENANCES + query)).map(({ id }) => id);
    const all = await ids('');
    expect(all).toEqual([...all].sort((x, y) => y - x));
    expect(await ids('?status=ZZZ')).toEqual(all);
    expect(await ids('?status=INACTIVE')).toEqual([second.id]);
    expect(await ids('?status=ACTIVE')).toEqual(all.filter((id) => id !== second.id));
    expect((await ids(`?monitor_tag=${a}`))[0]).toBe(first.id);
    expect(await ids(`?monitor_tag=${a}&status=INACTIVE`)).toEqual([]);
    for (const unknown of ['nope', a.slice(0, -1), a.toUpperCase(), '%00'])
      expect(await ids(`?monitor_tag=${unknown}`)).toEqual([]);
  });
});

describe('a maintenance in the path', () => {
  it('is named by leading digits', async () => {
    const { id } = await create();
    expect(maintenanceOf(await test.api.get(`${MAINTENANCES}/${id}abc`)).id).toBe(id);
  });

  it.each(['0', '-1', 'abc', '999999', '99999999999', '%00'])('is missing: %s', async (text) => {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      expect(
        failureOf(
          await test.api.request(method, `${MAINTENANCES}/${text}`, { raw: method === 'PATCH' ? '{' : undefined }),
        ),
      ).toEqual([404, `Maintenance with id '${text}' not found`]);
    expect(failureOf(await test.api.get(`${MAINTENANCES}/${text}/events`))[0]).toBe(404);
  });
});

describe('DELETE /maintenances/{maintenance_id}', () => {
  it('removes it with its events and links, and nothing else', async () => {
    const other = await create({ monitors: [{ monitor_tag: tags[0] }] });
    const { id } = await create({ monitors: [{ monitor_tag: tags[0] }], rrule: 'FREQ=DAILY' });
    const [event] = await eventsOf(test.api, id);
    const answer = await test.api.delete(`${MAINTENANCES}/${id}`);
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: `Maintenance with id '${id}' deleted successfully` },
    ]);
    for (const path of ['', '/events', `/events/${event?.id}`])
      expect(failureOf(await test.api.get(`${MAINTENANCES}/${id}${path}`))).toEqual([
        404,
        `Maintenance with id '${id}' not found`,
      ]);
    expect(failureOf(await test.api.delete(`${MAINTENANCES}/${id}`))[0]).toBe(404);
    const left = `select (select count(*) from maintenance_events where maintenance_id = $1)
      + (select count(*) from maintenance_monitors where maintenance_id = $1) as n`;
    expect((await test.database.pool.query<{ n: number }>(left, [id])).rows[0]?.n).toBe(0);
    expect(await eventsOf(test.api, other.id)).toHaveLength(1);
  });

  it('forgets a deleted monitor and keeps the maintenance', async () => {
    const { tag } = await createMonitor(test.api);
    const { id } = await create({ monitors: [{ monitor_tag: tag }, { monitor_tag: tags[0] }] });
    await test.api.delete(`/api/v4/monitors/${tag}`);
    const { monitors } = maintenanceOf(await test.api.get(`${MAINTENANCES}/${id}`));
    expect(monitors).toEqual([{ monitor_tag: tags[0], impact: 'MAINTENANCE' }]);
  });
});
