import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { floorMinute } from '../../../../core/minute.ts';
import type { Monitor } from '../../../../core/monitor.ts';
import { createAgent } from '../../../../db/agents.ts';
import type { RegionalResult } from '../../../../core/result.ts';
import type { Answer } from '../../../support/api-client.ts';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { storeResults } from '../../../support/monitoring-fixture.ts';

const DAY = 86_400;
/** A full hour a day ago: everything around it can be written. */
const T = Math.floor(Date.now() / 1000 / 3600) * 3600 - DAY;

let test: TestApi;
let regionId = 0;
let agentId = 0;
beforeAll(async () => {
  test = await startApi();
  const created = await createAgent(test.database.pool, 'eu-1', 'eu');
  if (!('agent' in created)) throw new Error(created.problem);
  ({ regionId, id: agentId } = created.agent);
});
afterAll(() => test.stop());

let monitor: Monitor;
let path = '';
beforeEach(async () => {
  monitor = await createMonitor(test.api);
  path = `/api/v4/monitors/${monitor.tag}/data`;
});

interface Point {
  timestamp: number;
  latency: number;
}

const write = (from: number, to: number, fields: object = {}): Promise<Answer> =>
  test.api.patch(path, { start_ts: from, end_ts: to, status: 'UP', latency: 1.5, ...fields });

async function read(from: number | string, to: number | string, rest = ''): Promise<Point[]> {
  const answer = await test.api.get(`${path}?start_ts=${from}&end_ts=${to}${rest}`);
  expect(answer.status, answer.text).toBe(200);
  // Held against the document by the client.
  return (answer.body as { data: Point[] }).data;
}

describe('PATCH and GET /monitors/{tag}/data', () => {
  it('writes and reads a half-open range, with exactly the keys of the specification', async () => {
    const answer = await write(T, T + 300);
    expect(answer.text).toBe('{"message":"Monitoring data updated successfully","updated_count":5}');
    const points = await read(T - 60, T + 600);
    expect(points.map(({ timestamp }) => timestamp)).toEqual([T, T + 60, T + 120, T + 180, T + 240]);
    const [first] = points;
    expect(JSON.stringify(first)).toBe(
      `{"monitor_tag":"${monitor.tag}","timestamp":${T},"status":"UP","latency":1.5,"type":"MANUAL"}`,
    );
    expect(await read(T + 60, T + 120)).toHaveLength(1);
  });

  it('takes a pair inside one minute for that minute', async () => {
    expect((await write(T + 5, T + 6)).body).toMatchObject({ updated_count: 1 });
    expect(await read(T + 58, T + 59)).toMatchObject([{ timestamp: T }]);
    expect((await write(T + 59, T + 61)).body).toMatchObject({ updated_count: 1 });
    expect(await read(T, T + 120)).toHaveLength(1);
  });

  it('overwrites what is there, and reads an empty range as none', async () => {
    expect(await read(T, T + 60)).toEqual([]);
    await write(T, T + 120);
    await write(T + 60, T + 180, { status: 'DOWN', latency: 0 });
    expect(await read(T, T + 180)).toMatchObject([
      { status: 'UP' },
      { status: 'DOWN', latency: 0 },
      { status: 'DOWN' },
    ]);
  });

  it('keeps three decimals of a millisecond and the largest latency, whatever the deviation', async () => {
    await write(T, T + 60, { latency: 0.1234 });
    await write(T + 60, T + 3660, { latency: 2_147_483, deviation: 2_147_483 });
    const [first, ...rest] = await read(T, T + 3660);
    expect(first?.latency).toBe(0.123);
    expect(rest).toHaveLength(60);
    expect(Math.max(...rest.map(({ latency }) => latency))).toBeLessThanOrEqual(2_147_483);
    expect(Math.min(...rest.map(({ latency }) => latency))).toBeGreaterThanOrEqual(0);
  });

  it('spreads latencies by whole milliseconds within the deviation, never below zero', async () => {
    await write(T, T + 200 * 60, { latency: 1.25, deviation: 3 });
    const latencies = new Set((await read(T, T + 200 * 60)).map(({ latency }) => latency));
    expect([...latencies].sort((a, b) => a - b)).toEqual([0, 0.25, 1.25, 2.25, 3.25, 4.25]);
  });

  it('writes up to 366 days at once, from the edge of retention to 366 days ahead', async () => {
    const now = floorMinute(Date.now() / 1000);
    expect((await write(now - 10, now + 360 * DAY)).status).toBe(200);
    expect((await write(T, T + 366 * DAY + 60)).status).toBe(400);
    expect((await write(now - 399 * DAY, now - 399 * DAY + 60)).status).toBe(200);
  });

  it('reads leading digits, drops fractions, and takes any range, whatever else stands in the query', async () => {
    await write(T, T + 60);
    expect(await read(`${T}.9`, `${T + 60}abc`, '&other=1&start_ts=9')).toHaveLength(1);
    for (const [from, to] of [
      [0, '9'.repeat(400)],
      ['-99999999999999999999', 8e15],
      [-5, T + 60],
    ] as const)
      expect(await read(from, to)).toMatchObject([{ timestamp: T }]);
    expect(await read(8e15, 9e15)).toEqual([]);
  });
});

const EDGE = 'Points can be written from the edge of what retention keeps to 366 days ahead only';

describe('/monitors/{tag}/data/{timestamp}', () => {
  it('writes the named fields and keeps the others, MANUAL from then on', async () => {
    const { rows } = await test.database.pool.query<{ at: number }>(
      "select extract(epoch from now() - interval '1 hour')::int8 as at",
    );
    const minute = floorMinute(rows[0]?.at ?? 0);
    await ingest(minute, { status: 'DEGRADED', latencyUs: 2500 });
    const at = `${path}/${minute}`;
    expect((await test.api.get(at)).body).toMatchObject({
      data: { status: 'DEGRADED', latency: 2.5, type: 'REALTIME' },
    });
    const point = { monitor_tag: monitor.tag, timestamp: minute, latency: 2.5, type: 'MANUAL' };
    expect((await test.api.patch(at, {})).body).toEqual({ data: { ...point, status: 'DEGRADED' } });
    expect((await test.api.patch(at, { status: 'UP' })).body).toEqual({ data: { ...point, status: 'UP' } });
    expect((await test.api.patch(at, { latency: 7 })).text).toBe(
      JSON.stringify({
        data: { monitor_tag: monitor.tag, timestamp: minute, status: 'UP', latency: 7, type: 'MANUAL' },
      }),
    );
    expect((await test.api.get(`${path}/${minute + 59}.7x`)).body).toMatchObject({
      data: { timestamp: minute, latency: 7 },
    });
  });

  it('makes a point where there is none: default_status, else UP, and latency 0', async () => {
    expect((await test.api.patch(`${path}/${T + 30}`, {})).body).toMatchObject({
      data: { timestamp: T, status: 'UP', latency: 0, type: 'MANUAL' },
    });
    for (const [default_status, status] of [
      ['DOWN', 'DOWN'],
      [null, 'UP'],
    ] as const) {
      const { tag } = await createMonitor(test.api);
      await test.api.patch(`/api/v4/monitors/${tag}`, { default_status });
      expect((await test.api.patch(`/api/v4/monitors/${tag}/data/${T}`, {})).body).toMatchObject({ data: { status } });
    }
  });

  it.each(['x', 'NaN', '-', '%20', '.5'])('refuses the timestamp %s', async (timestamp) => {
    const message = 'Timestamp must be a valid integer (UTC timestamp in seconds)';
    for (const method of ['GET', 'PATCH'])
      expect(
        failureOf(await test.api.request(method, `${path}/${timestamp}`, { json: method === 'GET' ? undefined : {} })),
      ).toEqual([...[400, message]]);
  });

  it.each([0, 61, -1, T + 61, 99_999_999_999_999, 1e21])('finds nothing at %s', async (timestamp) => {
    const minute = floorMinute(timestamp);
    expect(failureOf(await test.api.get(`${path}/${timestamp.toLocaleString('en', { useGrouping: false })}`))).toEqual([
      ...[404, `No monitoring data found for monitor '${monitor.tag}' at timestamp ${minute}`],
    ]);
  });

  it.each([
    [{ status: null }, 'status must be one of: UP, DOWN, DEGRADED'],
    [{ status: 'UNKNOWN' }, 'status must be one of: UP, DOWN, DEGRADED'],
    [{ latency: null }, 'latency must be a non-negative number'],
    [{ latency: -1 }, 'latency must be a non-negative number'],
    [{ latency: '1' }, 'latency must be a non-negative number'],
    [{ latency: 2_147_484 }, 'latency must be at most 2147483 milliseconds'],
  ])('refuses to write %j', async (json, message) => {
    expect(failureOf(await test.api.patch(`${path}/${T}`, json))).toEqual([400, message]);
  });

  it.each([0, -60, 99_999_999_999_999, T + 368 * DAY])('refuses to write at %s', async (timestamp) => {
    expect(failureOf(await test.api.patch(`${path}/${timestamp}`, {}))).toEqual([400, EDGE]);
  });
});

describe('?region=', () => {
  it('shows one region’s view, UNKNOWN with its cause included', async () => {
    const minute = floorMinute(Date.now() / 1000) - 3600;
    const error = 'offline: said "no"\n\\';
    await ingest(minute, { status: 'UNKNOWN', latencyUs: null, cause: 'AGENT', error });
    await ingest(minute + 60, { status: 'UP', latencyUs: 1234 });
    expect(await read(minute, minute + 120, '&region=eu')).toEqual([
      {
        ...{ monitor_tag: monitor.tag, timestamp: minute, status: 'UNKNOWN', latency: null },
        type: 'REALTIME',
        cause: 'AGENT',
        error,
        agent: 'eu-1',
      },
      {
        ...{ monitor_tag: monitor.tag, timestamp: minute + 60, status: 'UP', latency: 1.234 },
        type: 'REALTIME',
        cause: 'NONE',
        error: null,
        agent: 'eu-1',
      },
    ]);
    expect(await read(minute, minute + 120)).toMatchObject([{ timestamp: minute + 60, status: 'UP' }]);
  });

  it('names the agent that counts where two of the region measured the same minute', async () => {
    const other = await createAgent(test.database.pool, 'eu-2', 'eu');
    if (!('agent' in other)) throw new Error(other.problem);
    const minute = floorMinute(Date.now() / 1000) - 3600;
    const counts = async (): Promise<unknown> => (await read(minute, minute + 60, '&region=eu')).map(view);
    const view = (point: Point & { agent?: string; status?: string }): unknown[] => [point.agent, point.status];
    await ingest(minute, { status: 'UNKNOWN', latencyUs: null, cause: 'AGENT', error: 'late: x' });
    await ingest(minute, { status: 'DOWN', latencyUs: 0, agentId: other.agent.id });
    expect(await counts()).toEqual([['eu-2', 'DOWN']]);
    await ingest(minute, { status: 'UP', latencyUs: 5 });
    expect(await counts()).toEqual([['eu-1', 'UP']]);
  });
});

describe('the order of checks', () => {
  it('is the monitor, then the timestamp, then JSON, then the fields', async () => {
    const missing = "Monitor with tag 'nope' not found";
    const gone = '/api/v4/monitors/nope/data';
    for (const answer of [
      await test.api.get(gone),
      await test.api.get(`${gone}/x`),
      await test.api.request('PATCH', gone, { raw: '{' }),
      await test.api.request('PATCH', `${gone}/x`, { raw: '{' }),
    ])
      expect(failureOf(answer)).toEqual([404, missing]);
    const both = await test.api.request('PATCH', `${path}/x`, { raw: '{' });
    expect(failureOf(both)).toEqual([400, 'Timestamp must be a valid integer (UTC timestamp in seconds)']);
    expect(failureOf(await test.api.request('PATCH', path, { raw: '{' }))).toEqual([400, 'Invalid JSON body']);
  });
});

describe('DELETE /monitors/{tag}', () => {
  it('removes the monitor at once; a reused tag starts empty', async () => {
    await write(T, T + 600);
    const address = `/api/v4/monitors/${monitor.tag}`;
    expect((await test.api.delete(address)).body).toEqual({ message: `Monitor '${monitor.tag}' deleted successfully` });
    expect(failureOf(await test.api.get(path))).toEqual([404, `Monitor with tag '${monitor.tag}' not found`]);
    expect((await test.api.delete(address)).status).toBe(404);
    await createMonitor(test.api, { tag: monitor.tag });
    expect(await read(T, T + 600)).toEqual([]);
  });
});

async function ingest(minute: number, fields: object): Promise<void> {
  const result = {
    ...{ monitorId: monitor.id, minute, revision: 1, regionId, agentId, status: 'UP', latencyUs: 1, cause: 'NONE' },
    ...{ origin: 'REALTIME', error: null, packets: null, ...fields },
  };
  // A well-formed result, put together of parts.
  const answers = await storeResults(test.database.pool, [result as RegionalResult]);
  expect(answers).toEqual(['stored']);
}
