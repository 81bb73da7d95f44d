import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../../../db/api-keys.ts';
import { forgetAnswers } from '../../../../db/kept-answers.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createIncident, incidentOf } from '../../../support/api-incidents.ts';
import { createMonitor, failureOf, monitorOf, unusedTag } from '../../../support/api-monitors.ts';
import { serve, startApi, type TestApi } from '../../../support/api-server.ts';
import { countRows } from '../../../support/database.ts';
import { eventually } from '../../../support/eventually.ts';
import { storedState } from '../../../support/stored-state.ts';

const MONITORS = '/api/v4/monitors';
const INCIDENTS = '/api/v4/incidents';

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
});
afterAll(() => test.stop());

let serial = 0;
const unusedKey = (): string => `request-${(serial += 1)}`;

const post = (path: string, json: unknown, key: string, authorization = `Bearer ${test.key}`): Promise<Answer> =>
  test.api.request('POST', path, { json, headers: { 'idempotency-key': key }, authorization });

const isReplayed = ({ headers }: Answer): boolean => headers.get('idempotent-replayed') === 'true';

const count = (table: 'incidents' | 'incident_comments' | 'monitors' | 'kept_answers'): Promise<number> =>
  countRows(test.database.pool, table);

type Post = [path: string, json: object];

/** A request of each path that makes something, but for comments. */
const requests = (): Post[] => [
  [MONITORS, { tag: unusedTag(), name: 'x' }],
  [INCIDENTS, { title: 'x', start_date_time: 600 }],
  ['/api/v4/pages', { page_path: unusedTag(), page_title: 'x', page_header: 'x' }],
  [
    '/api/v4/maintenances',
    { title: 'x', start_date_time: 600, rrule: 'FREQ=DAILY;COUNT=1', duration_seconds: 60, monitors: [] },
  ],
];
const commentOn = (id: number): Post => [`${INCIDENTS}/${id}/comments`, { comment: 'x', state: 'MONITORING' }];

describe('a repeated request', () => {
  it('gets the same status and body on every path, and does nothing', async () => {
    const incident = await createIncident(test.api);
    const posts = Object.entries(test.api.document.paths as object)
      .filter(([path, operations]) => path.startsWith('/api/v4/') && 'post' in (operations as object))
      .map(([path]) => path);
    expect(posts).toHaveLength(requests().length + 1);
    for (const [path, json] of [...requests(), commentOn(incident.id)]) {
      const key = unusedKey();
      const first = await post(path, json, key);
      const again = await post(path, json, key);
      expect([first.status, isReplayed(first)], first.text).toEqual([201, false]);
      expect([again.status, isReplayed(again)]).toEqual([201, true]);
      expect(again.text).toBe(first.text);
    }
    expect(await count('incident_comments')).toBe(1);
  });

  it('gets it after what was made has changed, and after it is gone', async () => {
    const key = unusedKey();
    const json = { title: 'x', start_date_time: 600 };
    const first = await post(INCIDENTS, json, key);
    const { id } = incidentOf(first);
    await test.api.patch(`${INCIDENTS}/${id}`, { title: 'y' });
    expect((await post(INCIDENTS, json, key)).text).toBe(first.text);
    await test.api.delete(`${INCIDENTS}/${id}`);
    expect((await post(INCIDENTS, json, key)).text).toBe(first.text);
  });

  it('gets it from another process', async () => {
    const other = await serve(test.database.url);
    try {
      const key = unusedKey();
      const json = { tag: unusedTag(), name: 'x' };
      const first = await post(MONITORS, json, key);
      const again = await fetch(other.base + MONITORS, {
        method: 'POST',
        headers: { authorization: `Bearer ${test.key}`, 'idempotency-key': key },
        body: JSON.stringify(json),
      });
      expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 'true']);
      expect(await again.text()).toBe(first.text);
    } finally {
      await other.stop();
    }
  });

  it('waits for the first where that is under way, however many there are', async () => {
    const before = await count('incidents');
    const key = unusedKey();
    const json = { title: 'at once', start_date_time: 600 };
    const answers = await Promise.all(Array.from({ length: 25 }, () => post(INCIDENTS, json, key)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.map(isReplayed).filter((replayed) => !replayed)).toHaveLength(1);
    expect((await count('incidents')) - before).toBe(1);
  });

  it('is made anew where the process ended before the first was committed', async () => {
    const key = unusedKey();
    const json = { title: 'cut', start_date_time: 600 };
    const before = await count('incidents');
    // What the first would write is held up here, so that its process can be cut off in the middle.
    const holder = await test.database.pool.connect();
    await holder.query('begin');
    await holder.query('lock table incidents in exclusive mode');
    const cut = await serve(test.database.url);
    const first = fetch(cut.base + INCIDENTS, {
      method: 'POST',
      headers: { authorization: `Bearer ${test.key}`, 'idempotency-key': key },
      body: JSON.stringify(json),
    }).catch(() => undefined);
    const waiting = `select pid from pg_stat_activity where query like 'insert into incidents%' and wait_event_type = 'Lock'`;
    try {
      const pid = await eventually('the first to be under way', 10_000, async () => {
        const { rows } = await test.database.pool.query<{ pid: number }>(waiting);
        return rows[0]?.pid;
      });
      await test.database.pool.query('select pg_terminate_backend($1)', [pid]);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await first;
    await cut.stop();
    expect(await count('incidents')).toBe(before);
    const again = await post(INCIDENTS, json, key);
    expect([again.status, isReplayed(again)]).toEqual([201, false]);
  });

  it('is another request with another body, another path, or another resource', async () => {
    const refused = [400, 'Idempotency-Key was used for another request'];
    const key = unusedKey();
    await post(INCIDENTS, { title: 'x', start_date_time: 600 }, key);
    expect(failureOf(await post(INCIDENTS, { title: 'y', start_date_time: 600 }, key))).toEqual(refused);
    expect(failureOf(await post(MONITORS, { title: 'x', start_date_time: 600 }, key))).toEqual(refused);
    const [one, two] = [await createIncident(test.api), await createIncident(test.api)];
    const comment = { comment: 'x', state: 'MONITORING' };
    const other = unusedKey();
    await post(`${INCIDENTS}/${one.id}/comments`, comment, other);
    expect(failureOf(await post(`${INCIDENTS}/${two.id}/comments`, comment, other))).toEqual(refused);
    expect(
      failureOf(await test.api.request('POST', INCIDENTS, { raw: '{', headers: { 'idempotency-key': key } })),
    ).toEqual(refused);
  });

  it('belongs to its API key', async () => {
    const created = await createApiKey(test.database.pool, 'another');
    const key = unusedKey();
    const json = { title: 'x', start_date_time: 600 };
    const first = await post(INCIDENTS, json, key);
    const others = await post(INCIDENTS, json, key, `Bearer ${created?.key}`);
    expect([others.status, isReplayed(others)]).toEqual([201, false]);
    expect(incidentOf(others).id).not.toBe(incidentOf(first).id);
  });
});

describe('a request that fails', () => {
  it('is not kept, so that it can succeed under the same key', async () => {
    const key = unusedKey();
    const tag = unusedTag();
    const before = await count('kept_answers');
    expect((await post(MONITORS, { tag }, key)).status).toBe(400);
    expect((await test.api.request('POST', MONITORS, { raw: '{', headers: { 'idempotency-key': key } })).status).toBe(
      400,
    );
    expect((await post(`${INCIDENTS}/999999/comments`, { comment: 'x', state: 'MONITORING' }, key)).status).toBe(404);
    expect(await count('kept_answers')).toBe(before);
    const answer = await post(MONITORS, { tag, name: 'x' }, key);
    expect([answer.status, isReplayed(answer)]).toEqual([201, false]);
  });

  it('after its first row leaves none', async () => {
    const before = await count('incidents');
    const monitors = [{ monitor_tag: 'nobody', impact: 'DOWN' }];
    const answer = await post(INCIDENTS, { title: 'x', start_date_time: 600, monitors }, unusedKey());
    expect(failureOf(answer)).toEqual([400, "Monitor with tag 'nobody' not found"]);
    expect(await count('incidents')).toBe(before);
  });

  it('because its answer cannot be kept leaves nothing of what it did, on any path', async () => {
    const { pool } = test.database;
    const incident = await createIncident(test.api);
    await pool.query(`
      create function refuse() returns trigger language plpgsql as 'begin raise exception $$no$$; end';
      create trigger refuse before update on kept_answers for each row execute function refuse()`);
    try {
      const before = await storedState(pool);
      const posts = [...requests(), commentOn(incident.id)];
      for (const [path, json] of posts) expect((await post(path, json, unusedKey())).status, path).toBe(500);
      expect(await storedState(pool)).toEqual(before);
    } finally {
      await pool.query('drop function refuse cascade');
    }
  });

  it('is told of its path before its body, as without a key', async () => {
    const options = { raw: '{', headers: { 'idempotency-key': unusedKey() } };
    expect((await test.api.request('POST', `${INCIDENTS}/999999/comments`, options)).status).toBe(404);
  });
});

describe('the key of a request', () => {
  it.each(['', 'a b', 'ä', 'x'.repeat(256)])('cannot be %j', async (key) => {
    const answer = await post(MONITORS, { tag: unusedTag(), name: 'x' }, key);
    expect(failureOf(answer)).toEqual([400, 'Idempotency-Key must be 1 to 255 visible ASCII characters']);
  });

  it.each(['x', '"8e03978e-40d5-43dd-bc93-6894a57f9324"', '!~', 'x'.repeat(255)])('can be %j', async (key) => {
    expect((await post(MONITORS, { tag: unusedTag(), name: 'x' }, key)).status).toBe(201);
  });

  it('means nothing where nothing is made', async () => {
    const { tag } = await createMonitor(test.api);
    const headers = { 'idempotency-key': unusedKey() };
    const patch = (name: string) => test.api.request('PATCH', `${MONITORS}/${tag}`, { json: { name }, headers });
    await patch('one');
    expect(monitorOf(await patch('two')).name).toBe('two');
  });
});

describe('an answer', () => {
  it('is kept for a day', async () => {
    const key = unusedKey();
    const json = { title: 'x', start_date_time: 600 };
    const first = await post(INCIDENTS, json, key);
    const age = (hours: number) =>
      test.database.pool.query(
        `update kept_answers set created_at = now() - $1 * interval '1 hour' where idempotency_key = $2`,
        [hours, key],
      );
    await age(23.9);
    expect((await post(INCIDENTS, json, key)).text).toBe(first.text);
    await age(24.1);
    const later = await post(INCIDENTS, { ...json, title: 'y' }, key);
    expect([later.status, isReplayed(later)]).toEqual([201, false]);
    expect((await post(INCIDENTS, { ...json, title: 'y' }, key)).text).toBe(later.text);
  });

  it('is forgotten once its day is over, and no sooner', async () => {
    await test.database.pool.query('delete from kept_answers');
    await post(INCIDENTS, { title: 'x', start_date_time: 600 }, unusedKey());
    expect(await forgetAnswers(test.database.pool)).toBe(0);
    await test.database.pool.query(`update kept_answers set created_at = now() - interval '26 hours'`);
    expect(await forgetAnswers(test.database.pool)).toBe(1);
  });
});
