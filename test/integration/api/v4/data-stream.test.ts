import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createMonitor } from '../../../support/api-monitors.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';

const DAYS = 120;
const FROM = Math.floor(Date.now() / 86_400_000) * 86_400 - (DAYS + 1) * 86_400;
const TO = FROM + DAYS * 86_400;
const MEBIBYTE = 1024 * 1024;

let test: TestApi;
let path = '';
beforeAll(async () => {
  test = await startApi();
  const { tag } = await createMonitor(test.api);
  const body = { start_ts: FROM, end_ts: TO, status: 'UP', latency: 20, deviation: 10 };
  expect((await test.api.patch(`/api/v4/monitors/${tag}/data`, body)).body).toMatchObject({
    updated_count: DAYS * 1440,
  });
  path = `/api/v4/monitors/${tag}/data?start_ts=${FROM}&end_ts=${TO}`;
});
afterAll(() => test.stop());

function open(): Promise<IncomingMessage> {
  const headers = { authorization: `Bearer ${test.key}` };
  return new Promise((resolve, reject) => {
    httpRequest(test.api.base + path, { headers, agent: false }, resolve)
      .on('error', reject)
      .end();
  });
}

it('sends months of points whole and in order', async () => {
  const { data } = (await test.api.get(path)).body as { data: { timestamp: number }[] };
  expect(data).toHaveLength(DAYS * 1440);
  expect(data.every(({ timestamp }, index) => timestamp === FROM + index * 60)).toBe(true);
});

it('begins long before it ends, and holds little of it at any time', async () => {
  global.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  const started = performance.now();
  let firstByte = 0;
  let bytes = 0;
  for await (const chunk of await open()) {
    firstByte ||= performance.now() - started;
    bytes += (chunk as Buffer).length;
    peak = Math.max(peak, process.memoryUsage().rss);
  }
  const whole = performance.now() - started;
  expect(bytes).toBeGreaterThan(15 * MEBIBYTE);
  expect(firstByte).toBeLessThan(whole / 2);
  expect(peak - before).toBeLessThan(64 * MEBIBYTE);
});

it('keeps neither statement nor connection for clients that stand still', async () => {
  // More of them than the pool has connections.
  const still = await Promise.all(Array.from({ length: 8 }, open));
  const running = async (): Promise<number> => {
    const { rows } = await test.database.pool.query<{ count: number }>(
      `select count(*) from pg_stat_activity
       where datname = current_database() and application_name = 'api-history' and state <> 'idle'`,
    );
    return rows[0]?.count ?? NaN;
  };
  const deadline = Date.now() + 20_000;
  while ((await running()) > 0) expect(Date.now()).toBeLessThan(deadline);
  expect((await test.api.get(path)).status).toBe(200);
  for (const answer of still) answer.destroy();
});
