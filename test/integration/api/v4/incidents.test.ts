import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Incident } from '../../../../core/incident.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createIncident, incidentOf, incidentsOf } from '../../../support/api-incidents.ts';
import { createTags, failureOf } from '../../../support/api-monitors.ts';
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
const count = (from: string): Promise<number> => countRows(test.database.pool, from);

const TITLE = 'Title is required and must be a non-empty string';
const START_REQUIRED = 'start_date_time is required';
const START_VALID = 'start_date_time must be a valid timestamp (UTC seconds)';
const END_VALID = 'end_date_time must be a valid timestamp (UTC seconds)';
const VALID_TAG = 'Each monitor must have a valid monitor_tag';
const impactMessage = (shown: string): string =>
  `Invalid impact '${shown}'. Must be one of: UP, DOWN, DEGRADED, MAINTENANCE`;

describe('POST /incidents', () => {
  it('opens an incident under investigation, from the API, with the keys in the order of the reference', async () => {
    const incident = await create({ title: '  Slow checkout ', start_date_time: 1_795_082_459 });
    expect(incident).toEqual({
      id: incident.id,
      title: 'Slow checkout',
      start_date_time: 1_795_082_400,
      end_date_time: null,
      state: 'INVESTIGATING',
      incident_type: 'INCIDENT',
      incident_source: 'API',
      monitors: [],
      created_at: incident.created_at,
      updated_at: incident.created_at,
    });
    expect(incident.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Object.keys(incident).join()).toBe(
      'id,title,start_date_time,end_date_time,state,incident_type,incident_source,monitors,created_at,updated_at',
    );
  });

  it('ignores what clients do not write', async () => {
    const fields = { id: 1, state: 'RESOLVED', incident_source: 'MANUAL', incident_type: 'X', is_global: false, x: 1 };
    const incident = await create(fields);
    expect(incident).toMatchObject({ state: 'INVESTIGATING', incident_source: 'API', incident_type: 'INCIDENT' });
  });

  it.each([
    [0, 0],
    [59, 0],
    [-1, -60],
    [1_795_082_459_999, 1_795_082_459_940],
  ])('floors a start at %i to %i', async (start_date_time, floored) => {
    expect((await create({ start_date_time })).start_date_time).toBe(floored);
  });

  it.each([
    [undefined, null],
    [null, null],
    [0, null],
    [-61, -120],
    [119, 60],
  ])('takes the end %j, before the start or not, as %j', async (end_date_time, expected) => {
    expect((await create({ start_date_time: 600, end_date_time })).end_date_time).toBe(expected);
  });

  it('links monitors in the order of the body: DOWN by default, the last of two impacts of one', async () => {
    const [a, b, c] = tags;
    const { monitors, id } = await create({
      monitors: [
        { monitor_tag: c },
        { monitor_tag: a, impact: 'UP' },
        { monitor_tag: b, impact: 'MAINTENANCE', note: 1 },
        { monitor_tag: a, impact: 'DEGRADED' },
      ],
    });
    const expected = [
      { monitor_tag: c, impact: 'DOWN' },
      { monitor_tag: a, impact: 'DEGRADED' },
      { monitor_tag: b, impact: 'MAINTENANCE' },
    ];
    expect(monitors).toEqual(expected);
    expect(incidentOf(await test.api.get(`/api/v4/incidents/${id}`)).monitors).toEqual(expected);
  });

  const start_date_time = 600;
  it.each([
    [{}, TITLE],
    [{ title: ' ' }, TITLE],
    [{ title: 5 }, TITLE],
    [{ title: null }, TITLE],
    [{ title: 'a\u0000' }, 'title must not contain NUL or unpaired surrogates'],
    [{ title: 'a' }, START_REQUIRED],
    [{ title: 'a', start_date_time: null }, START_REQUIRED],
    [{ title: 'a', start_date_time: '600' }, START_VALID],
    [{ title: 'a', start_date_time: 0.5 }, START_VALID],
    [{ title: 'a', start_date_time: [] }, START_VALID],
    [{ title: 'a', start_date_time: 1e300 }, START_VALID],
    [{ title: 'a', start_date_time: -9_007_199_254_740_991 }, START_VALID],
    [{ title: 'a', start_date_time, end_date_time: '' }, END_VALID],
    [{ title: 'a', start_date_time, end_date_time: 1.5 }, END_VALID],
    [{ title: 'a', start_date_time, monitors: null }, 'monitors must be an array'],
    [{ title: 'a', start_date_time, monitors: {} }, 'monitors must be an array'],
    [{ title: 'a', start_date_time, monitors: [null] }, VALID_TAG],
    [{ title: 'a', start_date_time, monitors: ['a'] }, VALID_TAG],
    [{ title: 'a', start_date_time, monitors: [{}] }, VALID_TAG],
    [{ title: 'a', start_date_time, monitors: [{ monitor_tag: '' }] }, VALID_TAG],
    [{ title: 'a', start_date_time, monitors: [{ monitor_tag: 5 }] }, VALID_TAG],
    [{ title: 'a', start_date_time, monitors: [{ monitor_tag: 'nope' }] }, "Monitor with tag 'nope' not found"],
    [{ title: 'a', start_date_time, monitors: [{ monitor_tag: 'a\u0000' }] }, "Monitor with tag 'a\u0000' not found"],
  ])('refuses %j and writes nothing', async (json, message) => {
    const before = await count('incidents');
    expect(failureOf(await test.api.post('/api/v4/incidents', json))).toEqual([400, message]);
    expect(await count('incidents')).toBe(before);
  });

  it.each([
    ['ZZZ', 'ZZZ'],
    ['down', 'down'],
    ['', ''],
    [null, 'null'],
    [7, '7'],
    [[['x']], 'object'],
  ])('refuses the impact %j', async (impact, shown) => {
    const body = { title: 'a', start_date_time, monitors: [{ monitor_tag: tags[0], impact }] };
    const answer = await test.api.post('/api/v4/incidents', body);
    expect(failureOf(answer)).toEqual([400, impactMessage(shown)]);
    expect(answer.body).toMatchObject({ error: { details: [{ path: 'monitors.0.impact' }] } });
  });

  it('checks one reference after the other: its tag, whether that exists, its impact', async () => {
    const known = { monitor_tag: tags[0] };
    const unknown = { monitor_tag: 'nope' };
    const post = async (...monitors: unknown[]): Promise<string> =>
      failureOf(await test.api.post('/api/v4/incidents', { title: 'a', start_date_time, monitors }))[1];
    expect(await post(unknown, {})).toBe("Monitor with tag 'nope' not found");
    expect(await post({}, unknown)).toBe(VALID_TAG);
    expect(await post({ ...unknown, impact: 'x' })).toBe("Monitor with tag 'nope' not found");
    expect(await post({ ...known, impact: 'x' }, unknown)).toBe(impactMessage('x'));
    expect(await post(known, unknown, { monitor_tag: 'other' })).toBe("Monitor with tag 'nope' not found");
    const late = await test.api.post('/api/v4/incidents', { start_date_time: 'x', monitors: [unknown] });
    expect(failureOf(late)).toEqual([400, TITLE]);
  });
});

describe('GET /incidents', () => {
  const list = async (query: string): Promise<string[]> =>
    incidentsOf(await test.api.get(`/api/v4/incidents?${query}`)).map(({ title }) => title);

  beforeAll(async () => {
    await test.database.pool.query('delete from incidents');
    const [a, b] = tags;
    await create({ title: 'first', start_date_time: -600, monitors: [{ monitor_tag: a }] });
    await create({ title: 'second', start_date_time: 1200, monitors: [{ monitor_tag: b }, { monitor_tag: a }] });
    await create({ title: 'third', start_date_time: 900 });
  });

  it('answers id descending, each with its monitors and the same members as alone', async () => {
    const all = incidentsOf(await test.api.get('/api/v4/incidents'));
    expect(all.map(({ title }) => title)).toEqual(['third', 'second', 'first']);
    for (const incident of all)
      expect(incidentOf(await test.api.get(`/api/v4/incidents/${incident.id}`))).toEqual(incident);
  });

  it.each([
    ['start_ts=900', 'third,second'],
    ['start_ts=901', 'second'],
    ['start_ts=901x', 'second'],
    ['end_ts=900', 'third,first'],
    ['end_ts=899', 'first'],
    ['start_ts=-600&end_ts=-1', 'first'],
    ['start_ts=0', 'third,second,first'],
    ['start_ts=soon&end_ts=', 'third,second,first'],
    ['start_ts=9999999999999999999999999', ''],
    ['end_ts=-9999999999999999999999999', ''],
    ['start_ts=900&start_ts=1', 'third,second'],
  ])('cut by %s', async (query, titles) => {
    expect((await list(query)).join()).toBe(titles);
  });

  it('linked to any of the tags, each incident once; an unknown tag matches nothing', async () => {
    const [a, b, c] = tags;
    expect(await list(`monitor_tags=${a}`)).toEqual(['second', 'first']);
    expect(await list(`monitor_tags=nope,%20${b}%20,`)).toEqual(['second']);
    expect(await list(`monitor_tags=${a},${b}`)).toEqual(['second', 'first']);
    expect(await list(`monitor_tags=${c}`)).toEqual([]);
    expect(await list('monitor_tags=nope%00')).toEqual([]);
    expect(await list('monitor_tags=,%20,')).toHaveLength(3);
    expect(await list(`monitor_tags=${a}&start_ts=1000`)).toEqual(['second']);
  });

  it('answers at most 1,000, the newest', async () => {
    await test.database.pool.query(
      `insert into incidents (title, start_date_time, state, incident_source, is_global)
       select 'many', 0, 'RESOLVED', 'API', true from generate_series(1, 1100)`,
    );
    const all = incidentsOf(await test.api.get('/api/v4/incidents'));
    expect([all.length, all.at(0)?.title, all.at(-1)?.title]).toEqual([1000, 'many', 'many']);
    await test.database.pool.query("delete from incidents where title = 'many'");
  });
});

describe('the incident in the path', () => {
  it('is read from leading digits', async () => {
    const incident = await create();
    for (const text of [`${incident.id}abc`, `0${incident.id}`, `${incident.id}.9`, `${incident.id}%20`])
      expect(incidentOf(await test.api.get(`/api/v4/incidents/${text}`))).toEqual(incident);
  });

  it.each([
    ['0', '0'],
    ['-1', '-1'],
    ['abc', 'abc'],
    ['%31', '%31'],
    ['2147483648', '2147483648'],
    ['99999999999999999999999', '99999999999999999999999'],
    ['2147483647', '2147483647'],
    ['2147483647x', '2147483647'],
  ])('%s is not there, whatever is asked of it', async (text, shown) => {
    const expected = [404, `Incident with id '${shown}' not found`];
    const path = `/api/v4/incidents/${text}`;
    const answers: Answer[] = [
      await test.api.get(path),
      await test.api.delete(path),
      await test.api.request('PATCH', path, { raw: '{' }),
      await test.api.get(`${path}/comments`),
      await test.api.request('POST', `${path}/comments`, { raw: '{' }),
      await test.api.get(`${path}/comments/abc`),
    ];
    for (const answer of answers) expect(failureOf(answer)).toEqual(expected);
  });
});
