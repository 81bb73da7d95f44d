import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMonitor, failureOf } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

const DAY = 86_400;
/** A full hour a day ago. */
const T = Math.floor(Date.now() / 1000 / 3600) * 3600 - DAY;

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
});
afterAll(() => test.stop());

let path = '';
beforeEach(async () => {
  path = `/api/v4/monitors/${(await createMonitor(test.api)).tag}/data`;
});

const VALID = 'start_ts and end_ts must be valid integers (UTC timestamps in seconds)';
const REQUIRED = 'Both start_ts and end_ts query parameters are required';

describe('what GET /monitors/{tag}/data refuses', () => {
  it.each([
    ['', REQUIRED],
    ['?start_ts=5', REQUIRED],
    ['?start_ts=&end_ts=6', REQUIRED],
    ['?start_ts=x', REQUIRED],
    ['?start_ts=x&end_ts=5', VALID],
    ['?start_ts=5&end_ts=NaN', VALID],
    ['?start_ts=5&end_ts=%00', VALID],
    ['?start_ts=5&end_ts=5', 'start_ts must be less than end_ts'],
    ['?start_ts=6&end_ts=5', 'start_ts must be less than end_ts'],
    ['?start_ts=5&end_ts=6&region=mars', "Region 'mars' does not exist"],
    ['?start_ts=5&end_ts=6&region=%00', "Region '\0' does not exist"],
  ])('%s', async (query, message) => {
    expect(failureOf(await test.api.get(path + query))).toEqual([400, message]);
  });
});

const BOTH = 'start_ts and end_ts are required';
const NUMBERS = 'start_ts and end_ts must be numbers (UTC timestamps in seconds)';
const STATUS = 'status is required and must be one of: UP, DOWN, DEGRADED';
const LATENCY = 'latency is required and must be a non-negative number';
const RANGE = { start_ts: T, end_ts: T + 60 };
const EDGE = 'Points can be written from the edge of what retention keeps to 366 days ahead only';

describe('what PATCH /monitors/{tag}/data refuses', () => {
  it.each([
    [{}, BOTH],
    [{ start_ts: 'x' }, BOTH],
    [{ start_ts: null, end_ts: 5 }, NUMBERS],
    [{ start_ts: 5, end_ts: '6' }, NUMBERS],
    [{ start_ts: 5, end_ts: 6.5 }, NUMBERS],
    [{ start_ts: 5, end_ts: 1e30 }, NUMBERS],
    [{ start_ts: 6, end_ts: 6, status: 'x' }, 'start_ts must be less than end_ts'],
    [RANGE, STATUS],
    [{ ...RANGE, status: 'up' }, STATUS],
    [{ ...RANGE, status: 'UNKNOWN', latency: -1 }, STATUS],
    [{ ...RANGE, status: 'UP' }, LATENCY],
    [{ ...RANGE, status: 'UP', latency: '5' }, LATENCY],
    [{ ...RANGE, status: 'UP', latency: -0.1 }, LATENCY],
    [{ ...RANGE, status: 'UP', latency: null }, LATENCY],
    [{ ...RANGE, status: 'UP', latency: 2_147_483.001 }, 'latency must be at most 2147483 milliseconds'],
    [{ ...RANGE, status: 'UP', latency: 1, deviation: -1 }, 'deviation must be a non-negative number'],
    [{ ...RANGE, status: 'UP', latency: 1, deviation: '1' }, 'deviation must be a non-negative number'],
    [{ start_ts: T, end_ts: T + 367 * DAY, status: 'UP', latency: 1 }, 'The range must cover at most 366 days'],
    [{ start_ts: 0, end_ts: 60, status: 'UP', latency: 1 }, EDGE],
    [{ start_ts: -60, end_ts: 0, status: 'UP', latency: 1 }, EDGE],
    [{ start_ts: T + 366 * DAY, end_ts: T + 368 * DAY, status: 'UP', latency: 1 }, EDGE],
    [{ start_ts: 9e15, end_ts: 9e15 + 5, status: 'UP', latency: 1 }, EDGE],
  ])('%j', async (json, message) => {
    expect(failureOf(await test.api.patch(path, json))).toEqual([400, message]);
    expect((await test.api.get(`${path}?start_ts=0&end_ts=9000000000000`)).body).toEqual({ data: [] });
  });

  it('a latency that is no finite number', async () => {
    const raw = `{"start_ts":${T},"end_ts":${T + 60},"status":"UP","latency":1e999}`;
    expect(failureOf(await test.api.request('PATCH', path, { raw }))).toEqual([400, LATENCY]);
  });
});
