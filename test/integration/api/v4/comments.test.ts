import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IncidentComment } from '../../../../core/incident-comment.ts';
import { INCIDENT_STATES, type Incident } from '../../../../core/incident.ts';
import type { Answer } from '../../../support/api-client.ts';
import { commentOf, commentsOf, createIncident, incidentOf } from '../../../support/api-incidents.ts';
import { failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

let test: TestApi;
beforeAll(async () => void (test = await startApi()));
afterAll(() => test.stop());

const pathOf = (incidentId: number, id?: number | string): string =>
  `/api/v4/incidents/${incidentId}/comments${id === undefined ? '' : `/${id}`}`;
const post = (incidentId: number, json: unknown): Promise<Answer> => test.api.post(pathOf(incidentId), json);
const comment = async (incidentId: number, fields: object = {}): Promise<IncidentComment> => {
  const answer = await post(incidentId, { comment: 'a', state: 'IDENTIFIED', timestamp: 600, ...fields });
  expect(answer.status, answer.text).toBe(201);
  return commentOf(answer);
};
const incident = async (id: number): Promise<Incident> => incidentOf(await test.api.get(`/api/v4/incidents/${id}`));

const COMMENT = 'comment is required and must be a non-empty string';
const TIMESTAMP = 'timestamp must be a valid timestamp (UTC seconds)';
const STATE = 'state must be one of: INVESTIGATING, IDENTIFIED, MONITORING, RESOLVED';

describe('POST comment', () => {
  it('is trimmed and floored, and answers the keys of the specification', async () => {
    const { id } = await createIncident(test.api);
    const posted = await comment(id, { comment: ' We look. ', timestamp: 1_795_082_459 });
    expect(posted).toEqual({
      id: posted.id,
      incident_id: id,
      comment: 'We look.',
      timestamp: 1_795_082_400,
      state: 'IDENTIFIED',
      created_at: posted.created_at,
      updated_at: posted.created_at,
    });
    expect(posted.created_at).toMatch(/\.\d{3}Z$/);
    expect(commentOf(await test.api.get(pathOf(id, posted.id)))).toEqual(posted);
  });

  it.each([{}, { timestamp: null }])('is of the current minute with %j', async (fields) => {
    await test.database.pool.query(
      `create or replace function service_now() returns timestamptz language sql volatile as
       $$ select timestamptz '2026-03-04 05:06:59.999Z' $$`,
    );
    const { id } = await createIncident(test.api);
    const posted = commentOf(await post(id, { comment: 'a', state: 'RESOLVED', ...fields }));
    const minute = Date.UTC(2026, 2, 4, 5, 6) / 1000;
    expect([posted.timestamp, (await incident(id)).end_date_time]).toEqual([minute, minute]);
  });

  it('gives the incident its state, whatever its timestamp; only RESOLVED moves the end, and nothing takes it back', async () => {
    const { id, updated_at } = await createIncident(test.api, { end_date_time: 6000 });
    const after = async (state: string, timestamp: number): Promise<unknown[]> => {
      await comment(id, { state, timestamp });
      const { state: current, end_date_time } = await incident(id);
      return [current, end_date_time];
    };
    expect(await after('MONITORING', 1200)).toEqual(['MONITORING', 6000]);
    expect(await after('IDENTIFIED', 60)).toEqual(['IDENTIFIED', 6000]);
    expect(await after('RESOLVED', 1259)).toEqual(['RESOLVED', 1200]);
    expect(await after('INVESTIGATING', 1800)).toEqual(['INVESTIGATING', 1200]);
    expect(await after('RESOLVED', 0)).toEqual(['RESOLVED', 0]);
    expect((await incident(id)).updated_at > updated_at).toBe(true);
  });

  it.each([
    [{}, COMMENT],
    [{ comment: ' ' }, COMMENT],
    [{ comment: 5 }, COMMENT],
    [{ comment: 'a\ud800' }, 'comment must not contain NUL or unpaired surrogates'],
    [{ comment: 'a', timestamp: 'x' }, TIMESTAMP],
    [{ comment: 'a', timestamp: 1.5 }, TIMESTAMP],
    [{ comment: 'a', timestamp: 8_640_000_000_001 }, TIMESTAMP],
    [{ comment: 'a', timestamp: 'x', state: 'x' }, TIMESTAMP],
    [{ comment: 'a' }, 'state is required'],
    [{ comment: 'a', state: null }, 'state is required'],
    [{ comment: 'a', state: 5 }, 'state is required'],
    [{ comment: 'a', state: '' }, STATE],
    [{ comment: 'a', state: 'resolved' }, STATE],
  ])('refuses %j, and the incident stays as it is', async (json, message) => {
    const before = await createIncident(test.api);
    expect(failureOf(await post(before.id, json))).toEqual([400, message]);
    expect(commentsOf(await test.api.get(pathOf(before.id)))).toEqual([]);
    expect(await incident(before.id)).toEqual(before);
  });

  it('of many at once leaves the incident in the state of the last', async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await createIncident(test.api);
      const posted = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          comment(id, { state: INCIDENT_STATES[index % 4], timestamp: index * 60 }),
        ),
      );
      const last = posted.reduce((one, other) => (one.id > other.id ? one : other));
      const resolved = posted.filter(({ state }) => state === 'RESOLVED');
      const lastEnd = resolved.reduce((one, other) => (one.id > other.id ? one : other));
      const { state, end_date_time } = await incident(id);
      expect([state, end_date_time]).toEqual([last.state, lastEnd.timestamp]);
    }
  });

  it('and a deletion of the incident that races leave no comment behind', async () => {
    for (let round = 0; round < 8; round++) {
      const { id } = await createIncident(test.api);
      const [posted, deleted] = await Promise.all([
        post(id, { comment: 'a', state: 'RESOLVED' }),
        test.api.delete(`/api/v4/incidents/${id}`),
      ]);
      expect([[201, 404].includes(posted.status), deleted.status]).toEqual([true, 200]);
    }
    const orphans = 'select from incident_comments where incident_id not in (select id from incidents)';
    expect((await test.database.pool.query(orphans)).rowCount).toBe(0);
  });
});

describe('GET comments', () => {
  it('answers the newest first by timestamp, then by id, without the deleted', async () => {
    const { id } = await createIncident(test.api);
    const other = await createIncident(test.api);
    await comment(other.id);
    const posted = [];
    for (const timestamp of [600, 1200, 600, 900]) posted.push(await comment(id, { timestamp }));
    const [first, second, third, fourth] = posted;
    expect(commentsOf(await test.api.get(pathOf(id)))).toEqual([second, fourth, third, first]);
    await test.api.delete(pathOf(id, fourth?.id));
    expect(commentsOf(await test.api.get(pathOf(id)))).toEqual([second, third, first]);
  });
});

describe('the comment in the path', () => {
  it('is read from leading digits', async () => {
    const { id } = await createIncident(test.api);
    const posted = await comment(id);
    expect(commentOf(await test.api.get(pathOf(id, `${posted.id}x`)))).toEqual(posted);
  });

  it.each(['abc', 'x1', '%31', '+1'])('%s is no number', async (text) => {
    const { id } = await createIncident(test.api);
    const expected = [400, 'Comment ID must be a valid integer'];
    expect(failureOf(await test.api.get(pathOf(id, text)))).toEqual(expected);
    expect(failureOf(await test.api.request('PATCH', pathOf(id, text), { raw: '{' }))).toEqual(expected);
    expect(failureOf(await test.api.delete(pathOf(id, text)))).toEqual(expected);
  });

  it.each(['0', '-1', '2147483647', '99999999999999999999'])('%s is not there', async (text) => {
    const { id } = await createIncident(test.api);
    const expected = [404, `Comment with id '${text}' not found for incident '${id}'`];
    expect(failureOf(await test.api.get(pathOf(id, text)))).toEqual(expected);
    expect(failureOf(await test.api.request('PATCH', pathOf(id, text), { raw: '{' }))).toEqual(expected);
    expect(failureOf(await test.api.delete(pathOf(id, text)))).toEqual(expected);
  });

  it('of another incident is not there', async () => {
    const [own, other] = [await createIncident(test.api), await createIncident(test.api)];
    const { id } = await comment(other.id);
    const expected = [404, `Comment with id '${id}' not found for incident '${own.id}'`];
    expect(failureOf(await test.api.get(pathOf(own.id, id)))).toEqual(expected);
    expect(failureOf(await test.api.patch(pathOf(own.id, id), {}))).toEqual(expected);
    expect(failureOf(await test.api.delete(pathOf(own.id, id)))).toEqual(expected);
  });
});

describe('PATCH comment', () => {
  it('changes the comment and never the incident', async () => {
    const { id } = await createIncident(test.api);
    const posted = await comment(id);
    const before = await incident(id);
    const change = { comment: ' b ', state: 'RESOLVED', timestamp: 1259, id: 9, incident_id: 9 };
    const patched = commentOf(await test.api.patch(pathOf(id, posted.id), change));
    expect(patched).toMatchObject({ id: posted.id, comment: 'b', state: 'RESOLVED', timestamp: 1200 });
    expect(patched.updated_at > posted.updated_at).toBe(true);
    expect(await incident(id)).toEqual(before);
  });

  it.each([
    [{ comment: '' }, COMMENT],
    [{ comment: null }, COMMENT],
    [{ timestamp: null }, TIMESTAMP],
    [{ timestamp: 'x' }, TIMESTAMP],
    [{ state: null }, STATE],
    [{ state: 'open' }, STATE],
  ])('refuses %j and changes nothing', async (json, message) => {
    const { id } = await createIncident(test.api);
    const posted = await comment(id);
    const answer = await test.api.patch(pathOf(id, posted.id), { comment: 'b', state: 'RESOLVED', ...json });
    expect(failureOf(answer)).toEqual([400, message]);
    expect(commentOf(await test.api.get(pathOf(id, posted.id)))).toEqual(posted);
  });

  it('keeps what it does not name', async () => {
    const { id } = await createIncident(test.api);
    const fields = {
      comment: fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() === text),
      timestamp: fc.integer({ min: -1_000_000, max: 40_000_000 }).map((value) => value * 60),
      state: fc.constantFrom(...INCIDENT_STATES),
    };
    await fc.assert(
      fc.asyncProperty(fc.record(fields), fc.record(fields, { requiredKeys: [] }), async (first, change) => {
        const posted = await comment(id, first);
        const patched = commentOf(await test.api.patch(pathOf(id, posted.id), change));
        expect({ ...patched, updated_at: '' }).toEqual({ ...posted, ...change, updated_at: '' });
      }),
      { numRuns: 40 },
    );
  });
});

describe('DELETE comment', () => {
  it('marks it DELETED, leaves the incident, and afterwards it is not there', async () => {
    const { id } = await createIncident(test.api);
    const posted = await comment(id, { state: 'RESOLVED' });
    const before = await incident(id);
    const answer = await test.api.delete(pathOf(id, posted.id));
    expect([answer.status, answer.body]).toEqual([
      200,
      { message: `Comment with id '${posted.id}' deleted successfully` },
    ]);
    const gone = [404, `Comment with id '${posted.id}' not found for incident '${id}'`];
    expect(failureOf(await test.api.get(pathOf(id, posted.id)))).toEqual(gone);
    expect(failureOf(await test.api.patch(pathOf(id, posted.id), { comment: 'b' }))).toEqual(gone);
    expect(failureOf(await test.api.delete(pathOf(id, posted.id)))).toEqual(gone);
    expect(await incident(id)).toEqual(before);
    const { rows } = await test.database.pool.query('select status from incident_comments where id = $1', [posted.id]);
    expect(rows).toEqual([{ status: 'DELETED' }]);
  });
});
