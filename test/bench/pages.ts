/**
 * What a visitor of a status page waits for: a page of a hundred monitors and one of a thousand, over a year of roll-ups and
 * seven raw days of a thousand monitors. First what making a view takes; then the real program over HTTP, at a steady pace
 * while what it keeps grows old and is renewed; what is sent, and what a browser makes of it.
 */
import { parseArgs } from 'node:util';
import type pg from 'pg';
import type { Browser } from 'playwright-core';
import { readPageView } from '../../api/services/page-view.ts';
import { timeZoneOf } from '../../api/services/visitor-days.ts';
import { createPage } from '../../api/services/write-page.ts';
import { HOUR_SECONDS } from '../../core/minute.ts';
import { newPage } from '../../core/page.ts';
import { inTransaction, openPool } from '../../db/client.ts';
import { createCountBook } from '../../db/count-book.ts';
import { readCurrentStatuses } from '../../db/current-status.ts';
import { engineOf } from '../../db/engine.ts';
import { openBrowser } from '../support/browser.ts';
import buildPrograms from '../support/build-programs.ts';
import { startSourceProgram } from '../support/source-program.ts';
import { closing, median, openBenchDatabase, say, type Closers } from './bench-database.ts';
import { writePagesHistory } from './page-history.ts';
import { measureBytes, measurePaint, measureRush, measureVisits } from './page-visits.ts';

const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    rawDays: { type: 'string', default: '7' },
    rolledDays: { type: 'string', default: '365' },
    rounds: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '180' },
  },
});
const MONITORS = Number(options.monitors);
const ROUNDS = Number(options.rounds);
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'] as const;
/** About what a phone of some years is beside this machine. */
const SLOWER = 4;

const closers: Closers = [];
await closing(closers, run);

async function run(): Promise<void> {
  const { url, pool } = await openBenchDatabase(closers);
  const to = Math.floor(Date.now() / 60_000) * 60;
  const ids = await writePagesHistory(pool, to, {
    monitors: MONITORS,
    rawDays: Number(options.rawDays),
    rolledDays: Number(options.rolledDays),
  });
  // Nobody measures any more: it stays the minute after the last point.
  await pool.query(
    `create or replace function service_now() returns timestamptz language sql volatile as $$ select to_timestamp(${to + 30}) $$`,
  );
  const { name } = await engineOf(pool);
  say(`engine ${name}, ${ids.length} monitors, ${options.rolledDays} days of hours, ${options.rawDays} raw days`);
  const api = openPool({ url, name: 'bench-api', max: 10, statementTimeoutMs: 60_000 });
  closers.push(() => api.end());
  const sizes = [...new Set([Math.min(100, MONITORS), MONITORS])];
  for (const size of sizes) await measureLooks(api, await addPage(pool, size), size);
  await measureStatus(api);
  buildPrograms();
  const browser = await openBrowser();
  closers.push(() => browser.close());
  for (const size of sizes) await measureServed(url, `/of-${size}`, browser);
  // Each row has to say since when.
  await pool.query('update data_points set status = 4 where minute >= to_timestamp($1)', [to - 5 * HOUR_SECONDS]);
  say('everything down for five hours');
  for (const size of sizes) await measureLooks(api, `of-${size}`, size);
}

/** By a server of its own: what one page leaves in its memory must not help the next. */
async function measureServed(url: string, path: string, browser: Browser): Promise<void> {
  const env = { DATABASE_URL: url, API_LISTEN: '127.0.0.1:0', LOG_LEVEL: 'info', RATE_LIMIT_PER_ADDRESS: '0' };
  const server = startSourceProgram('api', env);
  try {
    const port = Number((await server.logged('address')).split(':').at(-1));
    await measureVisits(port, path, Number(options.seconds));
    await measureRush(port, path, 5);
    await measureBytes(port, path);
    for (const slower of [1, SLOWER]) await measurePaint(browser, port, path, slower);
  } finally {
    await server.stop();
  }
}

/** A page of monitors that lie as far from each other as they can. */
async function addPage(pool: pg.Pool, size: number): Promise<string> {
  const step = Math.floor(MONITORS / size);
  const monitors = Array.from({ length: size }, (_, at) => `m${at * step + 1}`);
  const page_path = `of-${size}`;
  await createPage(pool, newPage.parse({ page_path, page_title: 'x', page_header: 'x', monitors }));
  return page_path;
}

/** What making a view takes. */
async function measureLooks(pool: pg.Pool, path: string, size: number): Promise<void> {
  const book = createCountBook();
  const look = (zone: string): Promise<number> =>
    timed(() =>
      inTransaction(pool, async (client) => {
        await client.query('set transaction isolation level repeatable read, read only');
        return readPageView(client, book, path, timeZoneOf(zone));
      }),
    );
  for (const zone of ZONES) {
    const first = await look(zone);
    const later: number[] = [];
    for (let round = 0; round < ROUNDS; round++) later.push(await look(zone));
    say(`${size} monitors, ${zone}: first view ${ms(first)}, later ones median ${ms(median(later))}`);
  }
}

async function measureStatus(pool: pg.Pool): Promise<void> {
  const all: number[] = [];
  const one: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    all.push(await timed(() => readCurrentStatuses(pool, undefined)));
    one.push(await timed(() => readCurrentStatuses(pool, ['m7'])));
  }
  say(`/status: of ${MONITORS} monitors median ${ms(median(all))}, of one tag ${ms(median(one))}`);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}
