import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureOf } from '../../../support/api-monitors.ts';
import { startDashboard, type Dashboard } from '../../../support/dashboard.ts';

let dashboard: Dashboard;
beforeAll(async () => void (dashboard = await startDashboard()));
afterAll(() => dashboard.test.stop());

interface Comment {
  id: number;
  state: string;
  commented_at: number;
  comment: string;
}

interface Incident {
  state: string;
  end_date_time: number | null;
  updated_at: string;
}

const createIncident = async (): Promise<number> => {
  const created = await dashboard.run<{ incident_id: number }>('createIncident', { title: 'A', start_date_time: 600 });
  return created.incident_id;
};
const add = (incident_id: number, fields: object = {}): Promise<Comment> =>
  dashboard.run('addComment', { incident_id, comment: 'We look', state: 'IDENTIFIED', commented_at: 1259, ...fields });
const incident = (incident_id: number): Promise<Incident> => dashboard.run('getIncident', { incident_id });
const comments = (incident_id: number): Promise<Comment[]> => dashboard.run('getComments', { incident_id });

describe('addComment', () => {
  it('answers the comment, and the incident takes its state', async () => {
    const id = await createIncident();
    const posted = await add(id, { comment: ' We look ' });
    expect(posted).toMatchObject({ incident_id: id, comment: 'We look', commented_at: 1200, status: 'ACTIVE' });
    expect(await incident(id)).toMatchObject({ state: 'IDENTIFIED', end_date_time: null });
    expect(await comments(id)).toEqual([posted]);
  });

  it('ends the incident by RESOLVED, and by another state afterwards opens it again', async () => {
    const id = await createIncident();
    await add(id, { state: 'RESOLVED', commented_at: 1800 });
    expect(await incident(id)).toMatchObject({ state: 'RESOLVED', end_date_time: 1800 });
    await add(id, { state: 'RESOLVED', commented_at: 1860 });
    expect(await incident(id)).toMatchObject({ state: 'RESOLVED', end_date_time: 1860 });
    await add(id, { state: 'MONITORING', commented_at: 1920 });
    expect(await incident(id)).toMatchObject({ state: 'MONITORING', end_date_time: null });
  });

  it('keeps an end that no comment has set', async () => {
    const id = await createIncident();
    await dashboard.run('updateIncident', { id, end_date_time: 6000 });
    await add(id, { state: 'MONITORING' });
    expect(await incident(id)).toMatchObject({ state: 'MONITORING', end_date_time: 6000 });
  });

  it('without a state keeps that of the incident, and without a time is of now', async () => {
    const id = await createIncident();
    await add(id, { state: 'MONITORING' });
    const before = Math.floor(Date.now() / 60_000) * 60;
    const posted = await add(id, { state: undefined, commented_at: undefined });
    expect(posted.state).toBe('MONITORING');
    expect([before, before + 60]).toContain(posted.commented_at);
  });

  it('of many at once leaves the incident in the state of the last, open or ended by it', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await createIncident();
      const states = ['RESOLVED', 'MONITORING', 'RESOLVED', 'IDENTIFIED', 'RESOLVED', 'INVESTIGATING'];
      await Promise.all(states.map((state, at) => add(id, { state, commented_at: at * 60 })));
      const last = (await comments(id)).reduce((one, other) => (one.id > other.id ? one : other));
      expect(await incident(id)).toMatchObject({
        state: last.state,
        end_date_time: last.state === 'RESOLVED' ? last.commented_at : null,
      });
    }
  });

  it.each([
    [{ comment: ' ' }, 'comment is required and must be a non-empty string'],
    [{ comment: 'a\ud800' }, 'comment must not contain NUL or unpaired surrogates'],
    [{ state: 'open' }, 'state must be one of: INVESTIGATING, IDENTIFIED, MONITORING, RESOLVED'],
    [{ commented_at: 'now' }, 'commented_at must be a valid timestamp (UTC seconds)'],
    [{ incident_id: 'x' }, 'incident_id must be a positive integer'],
    [{ incident_id: 2 ** 31 }, 'incident_id must be a positive integer'],
  ])('refuses %j, and the incident stays as it is', async (fields, message) => {
    const id = await createIncident();
    const before = await incident(id);
    const data = { incident_id: id, comment: 'a', state: 'RESOLVED', ...fields };
    expect(failureOf(await dashboard.ask('addComment', data))).toEqual([400, message]);
    expect(await incident(id)).toEqual(before);
  });
});

describe('updateComment', () => {
  it('changes what it names, and never the incident', async () => {
    const id = await createIncident();
    const posted = await add(id);
    const before = await incident(id);
    const change = { incident_id: id, comment_id: posted.id };
    expect(await dashboard.run('updateComment', { ...change, state: 'RESOLVED' })).toBe(1);
    expect(await dashboard.run('updateComment', { ...change, comment: 'b', commented_at: 61 })).toBe(1);
    expect(await comments(id)).toMatchObject([{ id: posted.id, comment: 'b', commented_at: 60, state: 'RESOLVED' }]);
    expect(await incident(id)).toEqual(before);
  });
});

describe('deleteComment', () => {
  it('marks it deleted and leaves the incident as it is', async () => {
    const id = await createIncident();
    const posted = await add(id, { state: 'RESOLVED' });
    const before = await incident(id);
    const named = { incident_id: id, comment_id: posted.id };
    expect(await dashboard.run('deleteComment', named)).toBe(1);
    expect(await comments(id)).toEqual([]);
    expect(await incident(id)).toEqual(before);
    const gone = [404, `Comment with id '${posted.id}' not found for incident '${id}'`];
    expect(failureOf(await dashboard.ask('deleteComment', named))).toEqual(gone);
    expect(failureOf(await dashboard.ask('updateComment', { ...named, comment: 'b' }))).toEqual(gone);
  });
});

it.each([
  ['getComments', {}],
  ['addComment', { comment: 'a', state: 'RESOLVED' }],
])('%s says that an incident is not there', async (action, data) => {
  const answer = await dashboard.ask(action, { incident_id: 999_999, ...data });
  expect(failureOf(answer)).toEqual([404, "Incident with id '999999' not found"]);
});
