import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MaintenanceEvent } from '../../../../core/maintenance-event.ts';
import type { Maintenance } from '../../../../core/maintenance.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createMaintenance, eventsOf, MAINTENANCES, maintenanceOf } from '../../../support/api-maintenances.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';

const HOUR = 3600;
const DAY = 86_400;
const NOW = Date.UTC(2026, 10, 20, 12) / 1000;

let test: TestApi;
let tag = '';
let setClock: (at: number) => Promise<void>;
beforeAll(async () => {
  test = await startApi();
  setClock = await stopClock(test.database.pool, NOW);
  ({ tag } = await createMonitor(test.api));
});
beforeEach(() => setClock(NOW));
afterAll(() => test.stop());

const create = (fields: object = {}) => createMaintenance(test.api, { start_date_time: NOW + DAY, ...fields });
const patch = (id: number, json: unknown): Promise<Answer> => test.api.patch(`${MAINTENANCES}/${id}`, json);
const patched = async (id: number, json: unknown): Promise<Maintenance> => {
  const answer = await patch(id, json);
  expect(answer.status, answer.text).toBe(200);
  return maintenanceOf(answer);
};
const events = (id: number): Promise<MaintenanceEvent[]> => eventsOf(test.api, id);
const windowsOf = async (id: number) =>
  (await events(id)).map((event) => [
    (event.start_date_time - NOW) / HOUR,
    (event.end_date_time - NOW) / HOUR,
    event.status,
  ]);
const eventPath = ({ maintenance_id, id }: MaintenanceEvent): string =>
  `${MAINTENANCES}/${maintenance_id}/events/${id}`;

describe('PATCH /maintenances/{maintenance_id}', () => {
  it('keeps what it does not name', async () => {
    const change = fc.record(
      {
        title: fc.constantFrom('a', ' b '),
        description: fc.constantFrom(null, '', 'text'),
        start_date_time: fc.constantFrom(NOW + DAY, NOW + 2 * DAY + 59),
        rrule: fc.constantFrom('FREQ=DAILY;COUNT=1', 'FREQ=WEEKLY'),
        duration_seconds: fc.constantFrom(60, 7200),
        status: fc.constantFrom('ACTIVE', 'INACTIVE'),
        timezone: fc.constantFrom('UTC', 'Asia/Tokyo'),
        monitors: fc.constantFrom([], [{ monitor_tag: tag, impact: 'DOWN' }]),
      },
      { requiredKeys: [] },
    );
    const { id } = await create({ description: 'd', monitors: [{ monitor_tag: tag }] });
    await fc.assert(
      fc.asyncProperty(change, async (json) => {
        const before = maintenanceOf(await test.api.get(`${MAINTENANCES}/${id}`));
        const expected: Record<string, unknown> = { ...before, ...json };
        if (json.title) expected.title = json.title.trim();
        if (json.description === '') expected.description = null;
        if (json.start_date_time) expected.start_date_time = json.start_date_time - (json.start_date_time % 60);
        const after = await patched(id, json);
        expect(after).toEqual({ ...expected, updated_at: after.updated_at });
        expect(after.updated_at > before.updated_at).toBe(true);
        expect(Object.keys(after)).toEqual(Object.keys(before));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    [{ title: '' }, 'title must be a non-empty string'],
    [{ title: null }, 'title must be a non-empty string'],
    [{ start_date_time: null }, 'start_date_time must be a valid timestamp (UTC seconds)'],
    [{ start_date_time: 'x', rrule: '' }, 'start_date_time must be a valid timestamp (UTC seconds)'],
    [{ rrule: '' }, 'rrule must be a non-empty string'],
    [{ rrule: null }, 'rrule must be a non-empty string'],
    [{ rrule: 'FREQ=DAILY;COUNT=0', duration_seconds: 0 }, 'rrule is not a valid iCalendar RRULE string'],
    [{ duration_seconds: null }, 'duration_seconds must be a positive number'],
    [{ duration_seconds: 0, status: 'x' }, 'duration_seconds must be a positive number'],
    [{ status: 'active' }, "status must be 'ACTIVE' or 'INACTIVE'"],
    [{ status: null }, "status must be 'ACTIVE' or 'INACTIVE'"],
    [{ description: 1 }, 'description must be a string or null'],
    [{ timezone: 'Nowhere' }, 'timezone must be an IANA time zone name'],
    [{ monitors: null }, 'monitors must be an array'],
    [{ monitors: [{}] }, 'Each monitor must have a valid monitor_tag'],
    [{ monitors: [{ monitor_tag: 'nope' }] }, "Monitor with tag 'nope' not found"],
    [
      { monitors: [{ monitor_tag: 'monitor-1', impact: null }] },
      "Invalid impact 'null'. Must be one of: UP, DOWN, DEGRADED, MAINTENANCE",
    ],
  ])('refuses %j and changes nothing', async (json, message) => {
    const before = await create({ monitors: [{ monitor_tag: tag }] });
    const eventsBefore = await events(before.id);
    expect(failureOf(await patch(before.id, { description: 'changed', ...json }))).toEqual([400, message]);
    expect((await test.api.get(`${MAINTENANCES}/${before.id}`)).body).toEqual({ maintenance: before });
    expect(await events(before.id)).toEqual(eventsBefore);
  });

  it('writes nothing of a new schedule where a monitor is unknown', async () => {
    const before = await create({ rrule: 'FREQ=DAILY' });
    const eventsBefore = await events(before.id);
    expect((await patch(before.id, { duration_seconds: 60, monitors: [{ monitor_tag: 'nope' }] })).status).toBe(400);
    expect(await events(before.id)).toEqual(eventsBefore);
  });

  it('looks at the resource before the body', async () => {
    const missing = await test.api.request('PATCH', `${MAINTENANCES}/987654`, { raw: '{' });
    expect(failureOf(missing)).toEqual([404, "Maintenance with id '987654' not found"]);
    const { id } = await create();
    expect(failureOf(await test.api.request('PATCH', `${MAINTENANCES}/${id}`, { raw: '{' }))[1]).toBe(
      'Invalid JSON body',
    );
  });
});

describe('another schedule', () => {
  it('replaces the SCHEDULED events to come, moved ones included, and no other', async () => {
    const rrule = 'FREQ=HOURLY;COUNT=6';
    const { id } = await create({ start_date_time: NOW - HOUR, rrule, duration_seconds: HOUR + 1 });
    const all = await events(id);
    // -1 ONGOING, 0 ONGOING, 1 to 4 SCHEDULED
    const [, , moved, cancelled] = all;
    if (!moved || !cancelled) throw new Error('too few events');
    await test.api.patch(eventPath(moved), { start_date_time: NOW + 90 * HOUR, end_date_time: NOW + 91 * HOUR });
    await test.api.patch(eventPath(cancelled), { status: 'CANCELLED' });
    await setClock(NOW + 60);
    await patched(id, { duration_seconds: 1800 });
    expect(await windowsOf(id)).toEqual([
      [-1, 1 / HOUR, 'ONGOING'],
      [0, 1 + 1 / HOUR, 'ONGOING'],
      [1, 1.5, 'SCHEDULED'],
      [2, 3 + 1 / HOUR, 'CANCELLED'],
      [3, 3.5, 'SCHEDULED'],
      [4, 4.5, 'SCHEDULED'],
    ]);
    const after = await events(id);
    expect(after.filter(({ id: event }) => all.some(({ id: before }) => before === event))).toHaveLength(3);
  });

  it('brings back what was deleted under the old one, and gives an open window its event', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY;COUNT=3' });
    for (const event of await events(id)) await test.api.delete(eventPath(event));
    expect(await windowsOf(id)).toEqual([]);
    await patched(id, { start_date_time: NOW - HOUR, duration_seconds: 2 * HOUR });
    expect(await windowsOf(id)).toEqual([
      [-1, 1, 'ONGOING'],
      [23, 25, 'SCHEDULED'],
      [47, 49, 'SCHEDULED'],
    ]);
  });

  it('replaces the event of a one-time window too', async () => {
    const { id } = await create();
    const [before] = await events(id);
    await patched(id, { start_date_time: NOW + 2 * DAY });
    const [after, ...more] = await events(id);
    expect(more).toEqual([]);
    expect(after).toMatchObject({ start_date_time: NOW + 2 * DAY, status: 'SCHEDULED' });
    expect(after?.id).not.toBe(before?.id);
  });

  it('is one in another time zone too', async () => {
    // Noon of a summer's day in New York is an hour later in winter.
    const start_date_time = Date.UTC(2026, 6, 1, 16) / 1000;
    const { id } = await create({ start_date_time, rrule: 'FREQ=DAILY', duration_seconds: HOUR });
    expect((await windowsOf(id))[0]).toEqual([4, 5, 'SCHEDULED']);
    await patched(id, { timezone: 'America/New_York' });
    expect((await windowsOf(id))[0]).toEqual([5, 6, 'SCHEDULED']);
  });

  it('is none where nothing of it really changes', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY' });
    const before = await events(id);
    const same = { start_date_time: NOW + DAY + 30, rrule: 'freq=daily', duration_seconds: HOUR, timezone: 'UTC' };
    expect(await patched(id, { ...same, title: 'other', status: 'INACTIVE' })).toMatchObject({ rrule: 'freq=daily' });
    expect(await events(id)).toEqual(before);
  });

  it('is the one of the last of those who race, whole', async () => {
    const { id } = await create({ rrule: 'FREQ=DAILY' });
    const rules = ['FREQ=DAILY;COUNT=2', 'FREQ=WEEKLY;COUNT=3', 'FREQ=HOURLY;COUNT=5'];
    const durations = [60, 120, 180];
    await Promise.all([
      ...rules.map((rrule) => patched(id, { rrule })),
      ...durations.map((duration_seconds) => patched(id, { duration_seconds })),
    ]);
    const after = maintenanceOf(await test.api.get(`${MAINTENANCES}/${id}`));
    const lasting = new Set((await events(id)).map((event) => event.end_date_time - event.start_date_time));
    expect([rules.includes(after.rrule), durations.includes(after.duration_seconds)]).toEqual([true, true]);
    expect(await events(id)).toHaveLength(Number(after.rrule.at(-1)));
    expect([...lasting]).toEqual([after.duration_seconds]);
  });
});
