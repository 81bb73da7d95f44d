import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Incident } from '../../../../core/incident.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createIncident, incidentOf } from '../../../support/api-incidents.ts';
import { createMonitor, createTags, failureOf } from '../../../support/api-monitors.ts';
import { eventually } from '../../../support/eventually.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { countRows } from '../../../support/database.ts';

let test: TestApi;
let tags: [string, string, string];
beforeAll(async () => {
  test = await startApi();
  tags = await createTags(test.api);
});
afterAll(() => test.stop());

const create = (fields: object = {}): Promise<Incident> => createIncident(test.api, fields);
const patch = (id: number, json: unknown): Promise<Answer> => test.api.patch(`/api/v4/incidents/${id}`, json);
const read = async (id: number): Promise<Incident> => incidentOf(await test.api.get(`/api/v4/incidents/${id}`));
const count = (from: string): Promise<number> => countRows(test.database.pool, from);

describe('PATCH /incidents/{incident_id}', () => {
  it('floors both times, trims the title, and ignores the state', async () => {
    const { id } = await create();
    const change = { title: ' b ', start_date_time: 119, end_date_time: 185, state: 'RESOLVED', id: 9 };
    expect(incidentOf(await patch(id, change))).toMatchObject({
      id,
      title: 'b',
      start_date_time: 60,
      end_date_time: 180,
      state: 'INVESTIGATING',
    });
    expect(incidentOf(await patch(id, { end_date_time: 0 })).end_date_time).toBe(0);
  });

  it('reopens by a null end, and the state stays', async () => {
    const { id } = await create();
    await test.api.post(`/api/v4/incidents/${id}/comments`, { comment: 'done', state: 'RESOLVED', timestamp: 700 });
    expect(await read(id)).toMatchObject({ state: 'RESOLVED', end_date_time: 660 });
    expect(incidentOf(await patch(id, { end_date_time: null }))).toMatchObject({
      state: 'RESOLVED',
      end_date_time: null,
    });
  });

  it('replaces the whole list of monitors, and an empty one removes all', async () => {
    const [a, b, c] = tags;
    const { id } = await create({ monitors: [{ monitor_tag: a }, { monitor_tag: b, impact: 'DEGRADED' }] });
    const list = [{ monitor_tag: c }, { monitor_tag: b, impact: 'UP' }, { monitor_tag: c, impact: 'MAINTENANCE' }];
    expect(incidentOf(await patch(id, { monitors: list })).monitors).toEqual([
      { monitor_tag: c, impact: 'MAINTENANCE' },
      { monitor_tag: b, impact: 'UP' },
    ]);
    expect(incidentOf(await patch(id, { monitors: [] })).monitors).toEqual([]);
  });

  it("makes the incident everybody's or not by the list it writes, and by nothing else", async () => {
    const { id } = await create();
    const isGlobal = async (): Promise<boolean> => (await count(`incidents where id = ${id} and is_global`)) === 1;
    const after = async (change: object): Promise<boolean> => {
      expect((await patch(id, change)).status).toBe(200);
      return isGlobal();
    };
    expect(await isGlobal()).toBe(true);
    expect(await after({ title: 'x' })).toBe(true);
    expect(await after({ monitors: [{ monitor_tag: tags[0] }] })).toBe(false);
    expect(await after({ title: 'y' })).toBe(false);
    expect(await after({ monitors: [] })).toBe(true);
  });

  it('moves updated_at every time, by an empty patch too', async () => {
    const before = await create();
    const first = incidentOf(await patch(before.id, {}));
    const second = incidentOf(await patch(before.id, {}));
    expect({ ...second, updated_at: '' }).toEqual({ ...before, updated_at: '' });
    expect([before.updated_at < first.updated_at, first.updated_at < second.updated_at]).toEqual([true, true]);
  });

  it.each([
    [{ title: '' }, 'Title is required and must be a non-empty string'],
    [{ title: null }, 'Title is required and must be a non-empty string'],
    [{ start_date_time: null }, 'start_date_time is required'],
    [{ start_date_time: 'x' }, 'start_date_time must be a valid timestamp (UTC seconds)'],
    [{ end_date_time: 'x' }, 'end_date_time must be a valid timestamp (UTC seconds)'],
    [{ monitors: null }, 'monitors must be an array'],
    [{ monitors: [{ monitor_tag: 'nope' }] }, "Monitor with tag 'nope' not found"],
    [{ monitors: [{ monitor_tag: 'nope', impact: 5 }] }, "Monitor with tag 'nope' not found"],
    [{ monitors: [{}] }, 'Each monitor must have a valid monitor_tag'],
  ])('refuses %j and changes nothing', async (json, message) => {
    const incident = await create({ monitors: [{ monitor_tag: tags[0] }] });
    expect(failureOf(await patch(incident.id, { title: 'changed', end_date_time: 60, ...json }))).toEqual([
      400,
      message,
    ]);
    expect(await read(incident.id)).toEqual(incident);
  });

  it('keeps what it does not name', async () => {
    const seconds = fc.integer({ min: -1_000_000, max: 4_000_000_000 }).map((value) => value * 60);
    const impact = fc.constantFrom('UP', 'DOWN', 'DEGRADED', 'MAINTENANCE');
    const fields = {
      title: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() === text),
      start_date_time: seconds,
      end_date_time: fc.option(seconds.filter((value) => value !== 0)),
      monitors: fc
        .subarray([0, 1, 2])
        .chain((chosen) => fc.tuple(...chosen.map((index) => fc.record({ index: fc.constant(index), impact }))))
        .map((list) => list.map(({ index, impact }) => ({ monitor_tag: tags[index], impact }))),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(fields), fc.record(fields, { requiredKeys: [] }), async (first, change) => {
        const created = await create(first);
        expect(created).toMatchObject(first);
        const patched = incidentOf(await patch(created.id, change));
        expect({ ...patched, updated_at: '' }).toEqual({ ...created, ...change, updated_at: '' });
      }),
      { numRuns: 40 },
    );
  });

  it('loses none of two changes that race, and mixes no two lists', async () => {
    const { id } = await create();
    const listOf = (impact: string) => tags.map((monitor_tag) => ({ monitor_tag, impact }));
    const changes = Array.from({ length: 12 }, (_, index) =>
      index % 3 === 0
        ? { monitors: listOf(['UP', 'DOWN', 'DEGRADED', 'MAINTENANCE'][index / 3] ?? '') }
        : index % 3 === 1
          ? { title: 'raced' }
          : { end_date_time: 6000 },
    );
    const answers = await Promise.all(changes.map((change) => patch(id, change)));
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 200));
    const { title, end_date_time, monitors } = await read(id);
    expect([title, end_date_time]).toEqual(['raced', 6000]);
    expect(monitors).toEqual(listOf(monitors[0]?.impact ?? ''));
  });

  it('and a deletion that races leave the incident whole or gone', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await create();
      const monitors = tags.map((monitor_tag) => ({ monitor_tag }));
      const [patched, deleted] = await Promise.all([
        patch(id, { monitors }),
        test.api.delete(`/api/v4/incidents/${id}`),
      ]);
      expect([200, 404]).toContain(patched.status);
      expect(deleted.status).toBe(200);
      expect(await count(`incident_monitors where incident_id = ${id}`)).toBe(0);
    }
  });

  it('waits for a monitor that is being deleted, and then does not know it', async () => {
    const { tag } = await createMonitor(test.api);
    const { id } = await create();
    const deleting = await test.database.pool.connect();
    onTestFinished(() => deleting.release(true));
    await deleting.query('begin');
    await deleting.query('delete from monitors where tag = $1', [tag]);
    const patched = patch(id, { monitors: [{ monitor_tag: tags[0] }, { monitor_tag: tag }] });
    const waiting = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await eventually('the patch waits', 10_000, async () => (await count(waiting)) === 1);
    await deleting.query('commit');
    expect(failureOf(await patched)).toEqual([400, `Monitor with tag '${tag}' not found`]);
    expect((await read(id)).monitors).toEqual([]);
  });

  it('and a monitor that is deleted meanwhile leave no link to it', async () => {
    for (let round = 0; round < 8; round++) {
      const { tag } = await createMonitor(test.api);
      const { id } = await create({ monitors: [{ monitor_tag: tag }] });
      const [patched] = await Promise.all([
        patch(id, { monitors: [{ monitor_tag: tags[0] }, { monitor_tag: tag }] }),
        test.api.delete(`/api/v4/monitors/${tag}`),
      ]);
      expect([200, 400]).toContain(patched.status);
      const left = patched.status === 200 ? [{ monitor_tag: tags[0], impact: 'DOWN' }] : [];
      expect((await read(id)).monitors).toEqual(left);
    }
  });
});

describe('DELETE /incidents/{incident_id}', () => {
  it('removes its comments and links, and alerts forget it', async () => {
    const monitor = await createMonitor(test.api);
    const { id } = await create({ monitors: [{ monitor_tag: monitor.tag }] });
    await test.api.post(`/api/v4/incidents/${id}/comments`, { comment: 'a', state: 'IDENTIFIED' });
    const alert = `insert into monitor_alerts (monitor_id, incident_id, alert_for, alert_value, alert_status)
      values ($1, $2, 'STATUS', 'DOWN', 'TRIGGERED') returning id`;
    const { rows } = await test.database.pool.query<{ id: number }>(alert, [monitor.id, id]);
    const answer = await test.api.delete(`/api/v4/incidents/${id}x`);
    expect([answer.status, answer.body]).toEqual([200, { message: `Incident with id '${id}' deleted successfully` }]);
    for (const table of ['incident_comments', 'incident_monitors', 'monitor_alerts'])
      expect(await count(`${table} where incident_id = ${id}`), table).toBe(0);
    expect(await count(`monitor_alerts where id = ${rows[0]?.id} and incident_id is null`)).toBe(1);
    const gone = [404, `Incident with id '${id}' not found`];
    expect(failureOf(await test.api.get(`/api/v4/incidents/${id}`))).toEqual(gone);
    expect(failureOf(await test.api.delete(`/api/v4/incidents/${id}`))).toEqual(gone);
    expect(failureOf(await test.api.get(`/api/v4/incidents/${id}/comments`))).toEqual(gone);
  });

  it('a deleted monitor leaves its incidents, without the link, and no longer meant for everybody', async () => {
    const { tag } = await createMonitor(test.api);
    const { id } = await create({ monitors: [{ monitor_tag: tags[0] }, { monitor_tag: tag }] });
    const only = await create({ monitors: [{ monitor_tag: tag }] });
    await test.api.delete(`/api/v4/monitors/${tag}`);
    expect((await read(id)).monitors).toEqual([{ monitor_tag: tags[0], impact: 'DOWN' }]);
    expect((await read(only.id)).monitors).toEqual([]);
    expect(await count(`incidents where id = ${only.id} and not is_global`)).toBe(1);
  });
});
