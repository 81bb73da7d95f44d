import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writePagesHistory } from '../../bench/page-history.ts';
import { fetchPlain } from '../../support/fetch-plain.ts';
import { startApi, type TestApi } from '../../support/api-server.ts';

const DAYS = 90;
const KB = 1024;

let test: TestApi;
beforeAll(async () => {
  test = await startApi({ withPages: true });
  const now = Math.floor(Date.now() / 60_000) * 60;
  await writePagesHistory(test.database.pool, now, { monitors: 100, rawDays: 1, rolledDays: DAYS });
  // Names and what is told of them take their share.
  await test.database.pool.query(
    `update monitors set name = 'Gateway ' || md5(tag), description = 'Takes orders of region ' || md5('d' || tag)`,
  );
  // What is in trouble has more to tell: half of them, for some minutes, not all as long.
  await test.database.pool.query(
    `update data_points set status = case monitor_id % 2 when 0 then 4 else 2 end
     where minute >= to_timestamp($1) - (1 + monitor_id % 40) * interval '1 minute'`,
    [now],
  );
  const monitors = Array.from({ length: 100 }, (_, at) => `m${at + 1}`);
  await test.api.patch('/api/v4/pages/~home', { monitors });
}, 300_000);
afterAll(() => test.stop());

it.each([
  ['br', brotliDecompressSync],
  ['gzip', gunzipSync],
] as const)(
  'of a hundred monitors and ninety days is at most 60 KB until it can be painted, by %s',
  async (coding, decode) => {
    const page = await fetchPlain(`${test.api.base}/`, { 'Accept-Encoding': coding, Accept: 'text/html' });
    expect(page.headers['content-encoding']).toBe(coding);
    const html = decode(page.body).toString();
    expect(html.match(/<a class="days"/g)).toHaveLength(100);
    expect(html.match(/class="monitor-since"/g)).toHaveLength(50);
    const sheets = [...html.matchAll(/<link rel="stylesheet" href="([^"]+)"/g)].map(([, path]) => path);
    const scripts = [...html.matchAll(/<script (?!type="module")/g)];
    expect([sheets.length, scripts.length]).toEqual([1, 0]);
    const sheet = await fetchPlain(`${test.api.base}${sheets[0]}`, { 'Accept-Encoding': coding });
    expect(sheet.headers['content-encoding']).toBe(coding);
    expect(page.body.length + sheet.body.length).toBeLessThanOrEqual(60 * KB);
  },
  60_000,
);
