import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIncident } from '../../../support/api-incidents.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import type { Answer } from '../../../support/api-client.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';
import { addEvent } from '../../../support/overlay-rows.ts';

/** What the service's clock says: ten minutes past the hour. */
const NOW = Math.floor(Date.now() / 1000 / 3600) * 3600 + 600;
const PATH = '/api/v4/status';

let test: TestApi;
let setClock: (at: number) => Promise<void>;
beforeAll(async () => {
  test = await startApi();
  setClock = await stopClock(test.database.pool, NOW);
});
afterAll(() => test.stop());
beforeEach(async () => {
  await setClock(NOW);
  await test.database.pool.query('delete from incidents');
  await test.database.pool.query('delete from maintenances');
  await test.database.pool.query('delete from monitors');
});

const publicly = (path = PATH, headers: Record<string, string> = {}): Promise<Answer> =>
  test.api.request('GET', path, { authorization: null, headers });

interface Status {
  status: string;
  text: string;
  monitors: { tag: string; name: string; status: string; latency: number | null; timestamp: number | null }[];
}

async function look(query = ''): Promise<Status> {
  const answer = await publicly(PATH + query);
  expect(answer.status, answer.text).toBe(200);
  // Held against the document by the client.
  return answer.body as Status;
}

async function write(tag: string, minutesAgo: number, status: string, latency = 1.5): Promise<void> {
  const answer = await test.api.patch(`/api/v4/monitors/${tag}/data/${NOW - minutesAgo * 60}`, { status, latency });
  expect(answer.status, answer.text).toBe(200);
}

/** A monitor with points, one a minute and the last of them a minute ago: U, D and G, and space for none. */
async function monitorWith(letters: string, fields: object = {}): Promise<string> {
  const { tag } = await createMonitor(test.api, fields);
  const names: Record<string, string> = { U: 'UP', D: 'DOWN', G: 'DEGRADED' };
  for (const [at, letter] of [...letters].entries()) {
    const name = names[letter];
    if (name) await write(tag, letters.length - at, name);
  }
  return tag;
}

const statusOf = async (tag: string): Promise<string | undefined> =>
  (await look()).monitors.find((monitor) => monitor.tag === tag)?.status;

describe('GET /status', () => {
  it('needs no key, and says so where there is nothing', async () => {
    const answer = await publicly();
    expect(answer.text).toBe('{"status":"NO_DATA","text":"No Status Available","monitors":[]}');
  });

  it('shows the newest point of each monitor, newest monitors first', async () => {
    const first = await monitorWith('DU', { name: 'First' });
    const second = await monitorWith('UG');
    expect(await look()).toEqual({
      status: 'DEGRADED',
      text: 'Partial Degraded Performance',
      monitors: [
        { tag: second, name: 'A monitor', status: 'DEGRADED', latency: 1.5, timestamp: NOW - 60 },
        { tag: first, name: 'First', status: 'UP', latency: 1.5, timestamp: NOW - 60 },
      ],
    });
  });

  it.each([
    [['U', 'U'], 'UP', 'All Systems Operational'],
    [['U', 'D', 'G'], 'DOWN', 'Partial System Outage'],
    [['D', 'D', 'D', 'U'], 'DOWN', 'Major System Outage'],
    [['G', 'G', 'G', 'U'], 'DEGRADED', 'Degraded Performance'],
    [['G', 'U'], 'DEGRADED', 'Partial Degraded Performance'],
  ])('sums up %j as %s, %s', async (points, status, text) => {
    for (const letter of points) await monitorWith(letter);
    expect(await look()).toMatchObject({ status, text });
  });

  it('reports default_status where there never was a point, and NO_DATA without one', async () => {
    await createMonitor(test.api, { default_status: 'DEGRADED' });
    const { tag } = await createMonitor(test.api);
    await test.api.patch(`/api/v4/monitors/${tag}`, { default_status: null });
    const { monitors, status } = await look();
    expect(monitors).toMatchObject([
      { status: 'NO_DATA', latency: null, timestamp: null },
      { status: 'DEGRADED', latency: null, timestamp: null },
    ]);
    expect(status).toBe('DEGRADED');
  });

  it.each([
    [null, 3, 'UP'],
    [null, 4, 'NO_DATA'],
    ['* * * * *', 4, 'NO_DATA'],
    ['*/5 * * * *', 10, 'UP'],
    ['*/5 * * * *', 11, 'NO_DATA'],
    ['0 0 30 2 *', 0, 'NO_DATA'],
  ])('with the cron %j a newest point of %i minutes ago means %s', async (cron, ago, status) => {
    const { tag } = await createMonitor(test.api, { cron, default_status: 'DOWN' });
    await write(tag, ago, 'UP');
    const latency = status === 'UP' ? 1.5 : null;
    expect((await look()).monitors).toEqual([{ tag, name: 'A monitor', status, latency, timestamp: NOW - ago * 60 }]);
  });

  it('does not look ahead', async () => {
    const tag = await monitorWith('U');
    await write(tag, -1, 'DOWN');
    expect(await statusOf(tag)).toBe('UP');
    await setClock(NOW + 60);
    expect(await statusOf(tag)).toBe('DOWN');
  });

  it('reports a change of sides once it is confirmed, however often it changed before', async () => {
    const confirmation_threshold = 3;
    expect(await statusOf(await monitorWith('UUUDD', { confirmation_threshold }))).toBe('UP');
    expect(await statusOf(await monitorWith('UUUD DG', { confirmation_threshold }))).toBe('DEGRADED');
    expect(await statusOf(await monitorWith('D', { confirmation_threshold }))).toBe('DOWN');
    expect(await statusOf(await monitorWith(`DDD${'UD'.repeat(15)}UU`, { confirmation_threshold }))).toBe('DOWN');
    expect(await statusOf(await monitorWith(`UUU${'DU'.repeat(15)}DD`, { confirmation_threshold }))).toBe('UP');
  });

  it('lays what an incident says over the newest point, confirmed or not, and over nothing else', async () => {
    const confirmation_threshold = 2;
    const tag = await monitorWith('UUD', { confirmation_threshold });
    const silent = await createMonitor(test.api, { default_status: 'UP' });
    const monitors = [
      { monitor_tag: tag, impact: 'MAINTENANCE' },
      { monitor_tag: silent.tag, impact: 'DOWN' },
    ];
    const { id } = await createIncident(test.api, { start_date_time: NOW - 60, monitors });
    expect(await look()).toMatchObject({
      status: 'MAINTENANCE',
      text: 'Under Maintenance',
      monitors: [{ status: 'UP' }, { status: 'MAINTENANCE', latency: 1.5 }],
    });
    await test.api.patch(`/api/v4/incidents/${id}`, { start_date_time: NOW - 180, end_date_time: NOW - 60 });
    // The samples under the incident count no more: there is nothing before the last one.
    expect(await statusOf(tag)).toBe('DOWN');
  });

  it.each([
    ['ONGOING', {}, 'MAINTENANCE'],
    ['SCHEDULED', {}, 'MAINTENANCE'],
    ['COMPLETED', { to: NOW - 60 }, 'DOWN'],
    ['COMPLETED', { to: NOW - 30 }, 'MAINTENANCE'],
    ['CANCELLED', { cancelledAt: NOW - 60 }, 'DOWN'],
    ['CANCELLED', { cancelledAt: NOW }, 'MAINTENANCE'],
    ['ONGOING', { impact: 'DEGRADED' }, 'DEGRADED'],
    ['ONGOING', { impact: 'UP' }, 'DOWN'],
    ['ONGOING', { maintenance: 'INACTIVE' }, 'DOWN'],
  ])('under a maintenance that is %s, %j, says %s', async (status, event, expected) => {
    const tag = await monitorWith('DD');
    const { rows } = await test.database.pool.query<{ id: number }>('select id from monitors');
    const window = { from: NOW - 300, to: NOW + 300, impact: 'MAINTENANCE', status };
    await addEvent(test.database.pool, rows[0]?.id ?? NaN, { ...window, ...event });
    await createIncident(test.api, { start_date_time: NOW - 300, monitors: [{ monitor_tag: tag }] });
    expect(await statusOf(tag)).toBe(expected);
  });

  it('never tells of monitors that are hidden or not active', async () => {
    const seen = await monitorWith('U');
    const hidden = await monitorWith('D', { is_hidden: 'YES', name: 'secret' });
    const inactive = await monitorWith('D', { status: 'INACTIVE', name: 'secret' });
    const neither = await monitorWith('D', { name: 'secret' });
    await test.api.patch(`/api/v4/monitors/${neither}`, { status: null });
    for (const tag of [hidden, inactive, neither])
      await createIncident(test.api, { title: 'secret', start_date_time: NOW - 60, monitors: [{ monitor_tag: tag }] });
    for (const query of ['', `?tag=${[seen, hidden, inactive, neither].join()}`]) {
      const answer = await publicly(PATH + query);
      expect(answer.body).toMatchObject({ status: 'UP', text: 'All Systems Operational', monitors: [{ tag: seen }] });
      for (const word of ['secret', hidden, inactive, neither]) expect(answer.text).not.toContain(word);
    }
    const nothing = { status: 'NO_DATA', text: 'No Status Available', monitors: [] };
    for (const tag of [hidden, inactive, neither, 'nope', '%00', "'"])
      expect(await look(`?tag=${tag}`)).toEqual(nothing);
  });

  it('shows only the monitors of the tags that are asked for', async () => {
    const [up, down] = [await monitorWith('U'), await monitorWith('D')];
    const tagsOf = ({ monitors }: Status): string[] => monitors.map(({ tag }) => tag);
    expect(tagsOf(await look(`?tag=${up}`))).toEqual([up]);
    expect((await look(`?tag=${up}`)).status).toBe('UP');
    expect(tagsOf(await look(`?tag=nope,%20${up}%20,${down},${up}`))).toEqual([down, up]);
    expect(tagsOf(await look('?tag='))).toEqual([down, up]);
  });

  it('is kept for a moment, and not sent again while it is true', async () => {
    const tag = await monitorWith('U');
    const { headers } = await publicly();
    const etag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toBe('public, max-age=10');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await publicly(PATH, { 'If-None-Match': known });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      expect(again.headers.get('cache-control')).toBe('public, max-age=10');
    }
    expect((await publicly(PATH, { 'If-None-Match': '"other"' })).status).toBe(200);
    const head = await test.api.request('HEAD', PATH, { authorization: null });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
    await write(tag, 1, 'DOWN');
    const changed = await publicly(PATH, { 'If-None-Match': etag });
    expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  });

  it('is only read', async () => {
    const refused = await test.api.post(PATH, {});
    expect(failureOf(refused)).toEqual([405, 'POST method not allowed']);
    expect(refused.headers.get('cache-control')).toBe('no-store');
  });

  it('asks the database as often for three hundred monitors as for one', async () => {
    await createMonitor(test.api, { confirmation_threshold: 2 });
    await test.database.pool.query(
      `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden, confirmation_threshold)
       select 'many-' || n, 'x', 'ACTIVE', 'TCP', 'NO', 'NO', 2 from generate_series(1, 299) n`,
    );
    await test.database.pool.query(
      `insert into data_points (monitor_id, minute, status, origin, latency_us, known)
       select id, to_timestamp($1 - 60 * n), 2, 1, 5, 1 from monitors, generate_series(1, 5) n`,
      [NOW],
    );
    const asked = vi.spyOn(pg.Client.prototype, 'query');
    try {
      expect((await look('?tag=many-1')).monitors).toHaveLength(1);
      const once = asked.mock.calls.length;
      expect((await look()).monitors).toHaveLength(300);
      expect(asked.mock.calls.length).toBe(2 * once);
    } finally {
      asked.mockRestore();
    }
  });
});

it('reads all monitors once at a time, and for nobody before he asked', async () => {
  const { pool } = test.database;
  const tag = await monitorWith('U');
  const holder = await pool.connect();
  const waiting = async (): Promise<number> => {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%data_points%'`,
    );
    return rows[0]?.count ?? NaN;
  };
  try {
    await holder.query('begin');
    // Whoever reads has his snapshot by then: monitors are looked at first.
    await holder.query('lock table data_points in access exclusive mode');
    const first = look();
    await vi.waitFor(async () => expect(await waiting()).toBe(1), 10_000);
    await pool.query(`update monitors set name = 'Renamed' where tag = $1`, [tag]);
    const later = Array.from({ length: 10 }, () => look());
    const badges = ['_/status', '_/dot'].map((path) => publicly(`/badge/${path}`));
    for (let look = 0; look < 15; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect(await waiting()).toBe(1);
    }
    await holder.query('rollback');
    expect((await first).monitors[0]?.name).not.toBe('Renamed');
    for (const { monitors } of await Promise.all(later)) expect(monitors.map(({ name }) => name)).toEqual(['Renamed']);
    for (const { status } of await Promise.all(badges)) expect(status).toBe(200);
    expect((await look()).monitors).toHaveLength(1);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
});
