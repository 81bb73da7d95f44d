/**
 * Bytes a point and bytes a result, plain and compressed, all indexes and metadata counted. TimescaleDB compresses; on
 * plain PostgreSQL there is only the plain figure.
 */
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { engineOf } from '../../db/engine.ts';
import { TIME_RELATIONS, minutesInSpans, spanStart, type TimeRelation } from '../../db/engines/engine.ts';
import { makeRoom } from '../../db/room.ts';
import { addBenchMonitors, openBenchDatabase, say, writeHistory } from './bench-database.ts';

const { values: options } = parseArgs({
  options: { monitors: { type: 'string', default: '100' }, days: { type: 'string', default: '30' } },
});
const MONITORS = Number(options.monitors);
const DAYS = Number(options.days);

const closers: (() => Promise<unknown> | void)[] = [];
try {
  const { pool } = await openBenchDatabase(closers);
  const engine = await engineOf(pool);
  const ids = await addBenchMonitors(pool, MONITORS);
  // Whole spans, so that everything can be compressed.
  const end = spanStart('data_points', Date.now() / 1000);
  const range = { from: end - DAYS * 86_400, to: end };
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
} finally {
  for (const close of closers.reverse()) await close();
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
