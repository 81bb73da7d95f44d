import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MaintenanceEvent } from '../../../../core/maintenance-event.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createMaintenance, eventOf, eventsOf, flatEventsOf, MAINTENANCES } from '../../../support/api-maintenances.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';

const HOUR = 3600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

let test: TestApi;
let setClock: (at: number) => Promise<void>;
beforeAll(async () => {
  test = await startApi();
  setClock = await stopClock(test.database.pool, NOW);
});
beforeEach(() => setClock(NOW));
afterAll(() => test.stop());

const create = (fields: object = {}) => createMaintenance(test.api, { start_date_time: NOW + HOUR, ...fields });
const pathOf = ({ maintenance_id, id }: MaintenanceEvent): string => `${MAINTENANCES}/${maintenance_id}/events/${id}`;
const patch = (event: MaintenanceEvent, json: unknown): Promise<Answer> => test.api.patch(pathOf(event), json);
/** The only event of a new maintenance. */
const createEvent = async (fields: object = {}): Promise<MaintenanceEvent> => {
  const [event] = await eventsOf(test.api, (await create(fields)).id);
  if (!event) throw new Error('no event was made');
  return event;
};

describe('GET /maintenances/{maintenance_id}/events', () => {
  it.each([
    ['', 1, 20, 0],
    ['?page=2', 2, 20, 20],
    ['?page=2&limit=10', 2, 10, 10],
    ['?page=0&limit=0', 1, 20, 0],
    ['?page=-3&limit=-3', 1, 1, 0],
    ['?page=x&limit=x', 1, 20, 0],
    ['?limit=101', 1, 100, 0],
    ['?limit=7abc', 1, 7, 0],
    ['?page=99', 99, 20, 60],
    ['?page=99999999999999999999', Number.MAX_SAFE_INTEGER, 20, 60],
  ])('pages by start: %s', async (query, page, limit, first) => {
    const { id } = await create({ rrule: 'FREQ=HOURLY;COUNT=60' });
    const answer = await test.api.get(`${MAINTENANCES}/${id}/events${query}`);
    expect(Object.keys(answer.body as object)).toEqual(['events', 'page', 'limit']);
    const { events, ...rest } = answer.body as { events: MaintenanceEvent[]; page: number; limit: number };
    expect(rest).toEqual({ page, limit });
    const starts = Array.from({ length: 60 }, (_, hour) => NOW + (hour + 1) * HOUR).slice(first, first + limit);
    expect(events.map((event) => event.start_date_time)).toEqual(starts);
  });
});

describe('an event in the path', () => {
  it('is named by leading digits, after its own maintenance only', async () => {
    const event = await createEvent();
    const other = await create();
    expect(eventOf(await test.api.get(`${pathOf(event)}abc`))).toEqual(event);
    for (const id of [event.id, 0, 999_999, 99_999_999_999])
      expect(failureOf(await test.api.get(`${MAINTENANCES}/${other.id}/events/${id}`))).toEqual([
        404,
        `Event with id '${id}' not found for this maintenance`,
      ]);
    for (const id of ['abc', '-1', 'x1'])
      expect(failureOf(await test.api.get(`${MAINTENANCES}/${other.id}/events/${id}`))).toEqual([
        404,
        'Event not found',
      ]);
    const broken = await test.api.request('PATCH', `${MAINTENANCES}/${other.id}/events/5x`, { raw: '{' });
    expect(failureOf(broken)[0]).toBe(404);
  });
});

describe('PATCH of its times', () => {
  const start = 'start_date_time must be a valid timestamp (UTC seconds)';
  const end = 'end_date_time must be a valid timestamp (UTC seconds)';
  const after = 'end_date_time must be after start_date_time';
  it.each([
    [{}, 'start_date_time is required'],
    [{ end_date_time: 'x' }, 'start_date_time is required'],
    [{ start_date_time: null, end_date_time: NOW }, 'start_date_time is required'],
    [{ start_date_time: 'x' }, 'end_date_time is required'],
    [{ start_date_time: NOW, end_date_time: null }, 'end_date_time is required'],
    [{ start_date_time: 'x', end_date_time: 'x' }, start],
    [{ start_date_time: 1.5, end_date_time: NOW }, start],
    [{ start_date_time: NOW, end_date_time: String(NOW + 60) }, end],
    [{ start_date_time: NOW, end_date_time: NOW }, after],
    [{ start_date_time: NOW, end_date_time: NOW + 59 }, after],
    [{ start_date_time: NOW + 60, end_date_time: NOW }, after],
    [{ status: 'CANCELLED', start_date_time: NOW }, 'Cannot update status and start/end times in the same request'],
    [{ status: 'ZZZ', end_date_time: null }, 'Cannot update status and start/end times in the same request'],
    [{ status: 'ONGOING' }, 'status must be COMPLETED or CANCELLED'],
    [{ status: 'cancelled' }, 'status must be COMPLETED or CANCELLED'],
    [{ status: null }, 'status must be COMPLETED or CANCELLED'],
    [{ status: 'COMPLETED' }, 'Cannot transition event from SCHEDULED to COMPLETED'],
  ])('refuses %j', async (json, message) => {
    const event = await createEvent();
    expect(failureOf(await patch(event, json))).toEqual([400, message]);
    expect((await test.api.get(pathOf(event))).body).toEqual({ event });
  });

  it('floors both, keeps the status, and touches nothing else', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY;COUNT=3' });
    const [first, second, third] = await eventsOf(test.api, id);
    if (!first || !second || !third) throw new Error('too few events');
    const times = { start_date_time: NOW - DAY + 59, end_date_time: NOW - DAY + 121 };
    const moved = eventOf(await patch(second, times));
    expect(moved).toEqual({
      ...second,
      start_date_time: NOW - DAY,
      end_date_time: NOW - DAY + 120,
      updated_at: moved.updated_at,
    });
    expect(moved.updated_at > second.updated_at).toBe(true);
    expect(await eventsOf(test.api, id)).toEqual([moved, first, third]);
  });
});

describe('PATCH of its status', () => {
  const open = { start_date_time: NOW, duration_seconds: HOUR };
  it.each(['COMPLETED', 'CANCELLED'])('ends what is under way with the current minute: %s', async (status) => {
    const event = await createEvent(open);
    await setClock(NOW + 1000);
    expect(eventOf(await patch(event, { status }))).toMatchObject({
      status,
      start_date_time: NOW,
      end_date_time: NOW + 960,
    });
  });

  it('leaves it at least a minute, and never more than was planned', async () => {
    await setClock(NOW + 20);
    expect(eventOf(await patch(await createEvent(open), { status: 'COMPLETED' })).end_date_time).toBe(NOW + 60);
    const short = await createEvent({ start_date_time: NOW, duration_seconds: 30 });
    expect(eventOf(await patch(short, { status: 'CANCELLED' })).end_date_time).toBe(NOW + 30);
  });

  it.each([HOUR, 120])('keeps the window of what has not begun, %i seconds before', async (before) => {
    const event = await createEvent({ start_date_time: NOW + before });
    const cancelled = eventOf(await patch(event, { status: 'CANCELLED' }));
    expect(cancelled).toEqual({ ...event, status: 'CANCELLED', updated_at: cancelled.updated_at });
  });

  it('remembers when it was cancelled', async () => {
    const event = await createEvent(open);
    await setClock(NOW + 1000);
    await patch(event, { status: 'CANCELLED' });
    const query = 'select cancelled_at from maintenance_events where id = $1';
    const { rows } = await test.database.pool.query(query, [event.id]);
    expect(rows).toEqual([{ cancelled_at: NOW + 1000 }]);
  });

  it('is refused of what has ended', async () => {
    const ends = ['COMPLETED', 'CANCELLED'];
    for (const from of ends) {
      const event = await createEvent(open);
      await patch(event, { status: from });
      for (const status of ends)
        expect(failureOf(await patch(event, { status }))).toEqual([
          400,
          `Cannot transition event from ${from} to ${status}`,
        ]);
    }
  });
});

describe('DELETE of an event', () => {
  it('removes it and no other', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY;COUNT=2' });
    const [first, second] = await eventsOf(test.api, id);
    if (!first) throw new Error('too few events');
    const answer = await test.api.delete(pathOf(first));
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: `Event with id '${first.id}' deleted successfully` },
    ]);
    expect(failureOf(await test.api.delete(pathOf(first)))).toEqual([
      404,
      `Event with id '${first.id}' not found for this maintenance`,
    ]);
    expect(await eventsOf(test.api, id)).toEqual([second]);
  });
});

describe('GET /maintenances/events', () => {
  it('shows events of all maintenances, flat, by start, from now on', async () => {
    await test.database.pool.query('delete from maintenances');
    const { tag } = await createMonitor(test.api);
    const late = await create({ title: 'late', start_date_time: NOW + 2 * HOUR, monitors: [{ monitor_tag: tag }] });
    const open = await createEvent({ title: 'open', start_date_time: NOW - 60 });
    const daily = await create({ title: 'daily', rrule: 'FREQ=DAILY;COUNT=3', description: 'text' });
    await test.api.patch(`${MAINTENANCES}/${daily.id}`, { status: 'INACTIVE' });
    const answer = await test.api.get(`${MAINTENANCES}/events`);
    expect(Object.keys(answer.body as object)).toEqual(['events', 'page', 'limit', 'total']);
    const { events, ...rest } = flatEventsOf(answer);
    expect(rest).toEqual({ page: 1, limit: 20, total: 4 });
    expect(events.map((event) => event.maintenance_title)).toEqual(['daily', 'late', 'daily', 'daily']);
    const [event] = await eventsOf(test.api, late.id);
    expect(Object.entries(events[1] ?? {})).toEqual([
      ['maintenance_id', late.id],
      ['event_id', event?.id],
      ['event_start_date_time', NOW + 2 * HOUR],
      ['event_end_date_time', NOW + 3 * HOUR],
      ['event_status', 'SCHEDULED'],
      ['maintenance_title', 'late'],
      ['maintenance_description', null],
      ['maintenance_status', 'ACTIVE'],
      ['maintenance_rrule', 'FREQ=DAILY;COUNT=1'],
      ['maintenance_duration_seconds', HOUR],
      ['monitors', [{ monitor_tag: tag, impact: 'MAINTENANCE' }]],
    ]);
    const list = async (query: string) => {
      const { events, total } = flatEventsOf(await test.api.get(`${MAINTENANCES}/events?${query}`));
      return [events.length, total];
    };
    expect(await list('event_start_date_time=0')).toEqual([5, 5]);
    expect(await list('event_start_date_time=1')).toEqual([5, 5]);
    expect(await list('event_start_date_time=-5')).toEqual([5, 5]);
    expect(await list('event_start_date_time=x')).toEqual([4, 4]);
    expect(await list(`event_start_date_time=${NOW + 2 * HOUR + 59}`)).toEqual([3, 3]);
    expect(await list(`event_start_date_time=${NOW + 2 * HOUR + 60}`)).toEqual([2, 2]);
    expect(await list('event_start_date_time=99999999999999999999')).toEqual([0, 0]);
    expect(await list('event_start_date_time=0&event_status=ongoing')).toEqual([1, 1]);
    expect(await list('event_status=SCHEDULED&limit=1')).toEqual([1, 4]);
    expect(await list('event_status=CANCELLED')).toEqual([0, 0]);
    expect(await list('event_status=ZZZ')).toEqual([4, 4]);
    expect(await list(`monitors=nope,%20${tag}`)).toEqual([1, 1]);
    expect(await list('monitors=nope')).toEqual([0, 0]);
    expect(await list('monitors=,')).toEqual([4, 4]);
    expect(await list(`maintenance_id=${daily.id}x`)).toEqual([3, 3]);
    expect(await list(`maintenance_id=${open.maintenance_id}&event_start_date_time=0`)).toEqual([1, 1]);
    expect(await list('maintenance_id=99999999999999')).toEqual([0, 0]);
    expect(await list('maintenance_id=x')).toEqual([4, 4]);
    expect(await list('page=2&limit=3')).toEqual([1, 4]);
    expect(await list('page=9')).toEqual([0, 4]);
  });

  it('answers from an index where there are many', async () => {
    const { id } = await create({ rrule: `FREQ=HOURLY;BYMINUTE=${Array.from({ length: 60 }, (_, i) => i).join(',')}` });
    await test.database.pool.query('analyze maintenance_events');
    const began = performance.now();
    const { events, total } = flatEventsOf(
      await test.api.get(`${MAINTENANCES}/events?maintenance_id=${id}&page=400&limit=100`),
    );
    expect([events.length, total]).toEqual([100, 43_141]);
    expect(performance.now() - began).toBeLessThan(2000);
    const { rows } = await test.database.pool.query<{ 'QUERY PLAN': string }>(
      'explain select * from maintenance_events where start_date_time >= $1 order by start_date_time, id limit 20'.replace(
        '$1',
        String(NOW),
      ),
    );
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toMatch(
      /Index Scan using maintenance_events_start_date_time_id_idx/,
    );
  });

  it('is no maintenance of that name', async () => {
    expect(failureOf(await test.api.delete(`${MAINTENANCES}/events`))).toEqual([405, 'DELETE method not allowed']);
  });
});
