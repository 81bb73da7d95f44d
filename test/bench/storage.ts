/**
 * Bytes a point and bytes a result, plain and compressed, all indexes and metadata counted; and how long it takes to
 * overwrite a compressed year of one monitor of several by hand, and to delete it. TimescaleDB compresses; on plain
 * PostgreSQL there are only the plain figures.
 */
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { engineOf } from '../../db/engine.ts';
import { DAY_SECONDS, TIME_RELATIONS, minutesInSpans, spanStart, type TimeRelation } from '../../db/engines/engine.ts';
import { deleteMonitor } from '../../db/monitors.ts';
import { overwriteRange } from '../../db/points.ts';
import { purgeDeleted } from '../../db/purge.ts';
import { makeRoom } from '../../db/room.ts';
import {
  addBenchMonitors,
  closing,
  makeBenchDatabase,
  openBenchServer,
  say,
  writeHistory,
  type BenchDatabase,
  type Closers,
} from './bench-database.ts';

const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '100' },
    days: { type: 'string', default: '30' },
    'year-monitors': { type: 'string', default: '20' },
  },
});
const MONITORS = Number(options.monitors);
const DAYS = Number(options.days);
const YEAR_MONITORS = Number(options['year-monitors']);
const YEAR_DAYS = 365;

const closers: Closers = [];
await closing(closers, async () => {
  const adminUrl = await openBenchServer(closers);
  await measureBytes(await makeBenchDatabase(adminUrl, 'bytes', closers));
  await measureYear(await makeBenchDatabase(adminUrl, 'year', closers));
});

async function measureBytes({ pool }: BenchDatabase): Promise<void> {
  const engine = await engineOf(pool);
  const ids = await addBenchMonitors(pool, MONITORS);
  // Whole spans, so that everything can be compressed.
  const end = spanStart('data_points', Date.now() / 1000);
  const range = { from: end - DAYS * DAY_SECONDS, to: end };
  for (const relation of TIME_RELATIONS) await makeRoom(pool, relation, minutesInSpans(relation, range));
  await writeHistory(pool, ids, end, DAYS);
  await writeResults(pool);
  say(
    `engine ${engine.name}, ${MONITORS} monitors, ${DAYS} days, latencies of microsecond resolution without constant runs`,
  );
  const plain = await measure(pool);
  for (const relation of TIME_RELATIONS) await engine.compressBefore(pool, relation, end, 10_000);
  const compressed = await measure(pool);
  for (const relation of TIME_RELATIONS) {
    const after = engine.name === 'timescale' ? `, ${compressed[relation].toFixed(2)} compressed` : '';
    say(`${relation}: ${plain[relation].toFixed(1)} bytes a row plain${after}`);
  }
}

/** Changes one monitor's whole year, which lies in compressed chunks beside those of others. */
async function measureYear({ pool }: BenchDatabase): Promise<void> {
  const engine = await engineOf(pool);
  const ids = await addBenchMonitors(pool, YEAR_MONITORS);
  const end = spanStart('data_points', Date.now() / 1000);
  const range = { from: end - YEAR_DAYS * DAY_SECONDS, to: end };
  await makeRoom(pool, 'data_points', minutesInSpans('data_points', range));
  await writeHistory(pool, ids, end, YEAR_DAYS);
  const compressAll = (): Promise<number> => engine.compressBefore(pool, 'data_points', end, 10_000);
  const spans = await compressAll();
  say(`a year of ${YEAR_MONITORS} monitors, ${spans} spans of it compressed`);
  const [overwritten = 0, deleted = 0] = ids;
  const byHand = { status: 'DEGRADED', latencyUs: 1000, deviationUs: 500 } as const;
  await tellSeconds('one monitor overwritten', () => overwriteRange(pool, overwritten, range, byHand));
  await tellSeconds('compressed again', compressAll);
  await tellSeconds('one monitor deleted, answered', () => deleteMonitor(pool, deleted));
  await tellSeconds('its rows removed, first pass', () => purgeDeleted(pool));
  await tellSeconds('its rows removed, second pass', () => purgeDeleted(pool));
  const { rows } = await pool.query<{ left: number }>(
    `select (select count(*) from data_points where monitor_id = $1) + (select count(*) from purges where not done) as left`,
    [deleted],
  );
  if (rows[0]?.left !== 0) throw new Error('the deleted monitor left something behind');
}

async function tellSeconds(what: string, work: () => Promise<unknown>): Promise<void> {
  const begun = performance.now();
  await work();
  say(`${what}: ${((performance.now() - begun) / 1000).toFixed(3)} s`);
}

/** One region's view of the last day before the end, with packet statistics, made from the points. */
async function writeResults(pool: pg.Pool): Promise<void> {
  await pool.query(
    `insert into check_results (minute, monitor_id, agent_id, revision, latency_us, min_us, avg_us, max_us, deviation_us,
       region_id, status, origin, cause, sent, received)
     select minute, monitor_id, 1, 1, latency_us, latency_us - (200 * random())::int, latency_us,
       latency_us + (900 * random())::int, (300 * random())::int, 1, status, 1, 1, 3, 3
     from data_points where minute >= (select max(minute) from data_points) - interval '1 day' order by minute, monitor_id`,
  );
}

/** Bytes a row: heap, indexes and everything the engine keeps beside them. */
async function measure(pool: pg.Pool): Promise<Record<TimeRelation, number>> {
  const sizeOf = {
    timescale: 'hypertable_size($1::regclass)',
    partitions: '(select sum(pg_total_relation_size(relid)) from pg_partition_tree($1::regclass))',
  }[(await engineOf(pool)).name];
  const sizes = { check_results: 0, data_points: 0 };
  for (const relation of TIME_RELATIONS) {
    const { rows } = await pool.query<{ size: number }>(
      `select ${sizeOf}::float8 / (select count(*) from ${relation}) as size`,
      [relation],
    );
    sizes[relation] = rows[0]?.size ?? NaN;
  }
  return sizes;
}
