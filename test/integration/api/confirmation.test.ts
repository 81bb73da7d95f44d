import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMonitor } from '../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';
import { stopClock } from '../../support/monitoring-fixture.ts';
import { parseXml } from '../../support/xml.ts';

/** In the middle of an hour, so that an hour's counts and its single minutes both come in. */
const NOW = Math.floor(Date.now() / 3_600_000) * 3600 + 600;
const FIRST = NOW - 7 * 60;

let test: TestApi;
beforeAll(async () => {
  test = await startApi();
  await stopClock(test.database.pool, NOW);
});
afterAll(() => test.stop());

interface Shown {
  badges: string[];
  status: string;
  summary: { up: number; down: number };
  data: string[];
}

/** What each surface shows of a monitor. */
async function shown(tag: string): Promise<Shown> {
  const badge = async (path: string): Promise<string> =>
    parseXml((await test.api.request('GET', `/badge/${path}`, { authorization: null })).text).attributes[
      'aria-label'
    ] ?? '';
  const body = async <T>(path: string): Promise<T> => {
    const answer = await test.api.get(path);
    expect(answer.status, answer.text).toBe(200);
    // Held against the document by the client.
    return answer.body as T;
  };
  const monitor = `/api/v4/monitors/${tag}`;
  const range = `start_ts=${FIRST}&end_ts=${NOW}`;
  const { summary } = await body<{ summary: Shown['summary'] }>(`${monitor}/summary?${range}`);
  const { data } = await body<{ data: { status: string }[] }>(`${monitor}/data?${range}`);
  const { status } = await body<{ status: string }>(`/api/v4/status?tag=${tag}`);
  return {
    badges: await Promise.all([`${tag}/status`, `${tag}/dot`, `${tag}/uptime`, '_/status'].map(badge)),
    status,
    summary: { up: summary.up, down: summary.down },
    data: data.map(({ status }) => status),
  };
}

it('a change that is not confirmed is seen in the points alone, and from its first minute on once it is', async () => {
  const { tag } = await createMonitor(test.api, { name: 'Shop', confirmation_threshold: 3 });
  const write = async (place: number, status: string): Promise<void> => {
    const answer = await test.api.patch(`/api/v4/monitors/${tag}/data/${FIRST + 60 * place}`, { status, latency: 1 });
    expect(answer.status, answer.text).toBe(200);
  };
  const measured = ['UP', 'UP', 'UP', 'DOWN', 'DOWN'];
  for (const [place, status] of measured.entries()) await write(place, status);
  expect(await shown(tag)).toEqual({
    badges: ['Shop: UP', 'Shop: UP', 'Shop 90d: 100%', 'Status: UP'],
    status: 'UP',
    summary: { up: 5, down: 0 },
    data: measured,
  });
  await write(5, 'DOWN');
  expect(await shown(tag)).toEqual({
    badges: ['Shop: DOWN', 'Shop: DOWN', 'Shop 90d: 50%', 'Status: DOWN'],
    status: 'DOWN',
    summary: { up: 3, down: 3 },
    data: [...measured, 'DOWN'],
  });
});
