/**
 * What pages read: a page of a hundred monitors and one of a thousand, over a year of roll-ups and seven raw days of a
 * thousand monitors. First looks read everything, later ones what has changed since; then what a visitor waits for where
 * views are kept for seconds, and `/status` with its figures.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { readPageView } from '../../api/services/page-view.ts';
import { createSiteViews } from '../../api/services/site-views.ts';
import { timeZoneOf } from '../../api/services/visitor-days.ts';
import { createPage } from '../../api/services/write-page.ts';
import { newPage } from '../../core/page.ts';
import { inTransaction, openPool } from '../../db/client.ts';
import { createCountBook } from '../../db/count-book.ts';
import { readCurrentStatuses } from '../../db/current-status.ts';
import { engineOf } from '../../db/engine.ts';
import { median, openBenchDatabase, say, type Closers } from './bench-database.ts';
import { writePagesHistory } from './page-history.ts';

const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '1000' },
    rawDays: { type: 'string', default: '7' },
    rolledDays: { type: 'string', default: '365' },
    rounds: { type: 'string', default: '30' },
    seconds: { type: 'string', default: '20' },
  },
});
const MONITORS = Number(options.monitors);
const ROUNDS = Number(options.rounds);
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata'] as const;
/** A visitor every so many milliseconds. */
const VISIT_MS = 20;

const closers: Closers = [];
try {
  await run();
} finally {
  for (const close of closers.reverse()) await close();
}

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
  for (const size of new Set([Math.min(100, MONITORS), MONITORS])) {
    const path = await addPage(pool, size);
    await measureLooks(api, path, size);
    await measureVisits(api, path, size);
  }
  await measureStatus(api);
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

/** What visitors wait for, one after another at a steady pace, each from one of the zones. */
async function measureVisits(pool: pg.Pool, path: string, size: number): Promise<void> {
  const views = createSiteViews(pool);
  for (const zone of ZONES) await views.statusPage(path, zone);
  const waits: number[] = [];
  const end = performance.now() + Number(options.seconds) * 1000;
  for (let visit = 0; performance.now() < end; visit++) {
    waits.push(await timed(() => views.statusPage(path, ZONES[visit % ZONES.length] ?? 'UTC')));
    await sleep(VISIT_MS);
  }
  waits.sort((a, b) => a - b);
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? NaN;
  say(
    `${size} monitors, ${waits.length} visits: median ${ms(median(waits))}, p99 ${ms(p99)}, max ${ms(waits.at(-1) ?? NaN)}`,
  );
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
