import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { MinuteRange } from '../core/minute.ts';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE } from '../core/outcome.ts';
import { AHEAD_DAYS } from './retention.ts';
import { DAY_SECONDS, SPAN_SECONDS } from './engines/engine.ts';

/** Which points to read: a monitor's consolidated ones, or one region's view of it. */
interface PointSelection {
  monitorId: number;
  /** What the items call the monitor. */
  tag: string;
  /** Half-open. */
  range: MinuteRange;
  /** null: the consolidated points. */
  regionId: number | null;
}

/** The first slice is small, so that the first byte leaves early; later ones are read while the one before is sent. */
const FIRST_SLICE_SECONDS = DAY_SECONDS / 2;
const SLICE_SECONDS = 14 * DAY_SECONDS;

/**
 * The points of a range as JSON text in pieces, ascending: objects joined by commas, nothing where there are none. Items
 * have exactly the members of specification 2.4, those of a region's view `cause`, `error` and `agent` besides. The text is built
 * by the database. It is read in slices of two weeks, each whole before its first piece is given out, and at most one is
 * read ahead: however slowly a client takes them, no statement stays open, no lock is held, and memory is bounded. Ends
 * early, without an error, when the caller stops iterating.
 */
export async function* streamPoints(pool: pg.Pool, selection: PointSelection): AsyncGenerator<Buffer> {
  const slices = slicesOf(await existingPart(pool, selection.range));
  let ahead = readNext();
  let started = false;
  for (;;) {
    const pieces = await ahead;
    if (pieces === null) return;
    ahead = readNext();
    // Whoever awaits it hears of its failure; an iteration that is given up has no one to tell.
    ahead.catch(() => undefined);
    for (const piece of pieces) {
      // Every line begins with the comma that joins it to the one before.
      yield started ? piece : piece.subarray(1);
      started = true;
    }
  }

  async function readNext(): Promise<Buffer[] | null> {
    const slice = slices.next();
    return slice.done ? null : readSlice(pool, selection, slice.value);
  }
}

/** Nothing is stored beyond what retention keeps or more than 366 days ahead: a range of centuries ends there. */
async function existingPart(pool: pg.Pool, range: MinuteRange): Promise<MinuteRange> {
  const { rows } = await pool.query<{ now: number; days: number }>(
    `select extract(epoch from service_now())::int8 as now,
       coalesce((select max(value::int) from system where key in ('retention_points_days', 'retention_results_days')), 0)
         as days`,
  );
  const { now = 0, days = 0 } = rows[0] ?? {};
  const kept = Math.max(days, 400) * DAY_SECONDS + 2 * SPAN_SECONDS.data_points;
  const ahead = (AHEAD_DAYS + 1) * DAY_SECONDS;
  return { from: Math.max(range.from, now - kept), to: Math.min(range.to, now + ahead) };
}

function* slicesOf(range: MinuteRange): Generator<MinuteRange> {
  let length = FIRST_SLICE_SECONDS;
  for (let from = range.from; from < range.to; from += length, length = SLICE_SECONDS) {
    yield { from, to: Math.min(from + length, range.to) };
  }
}

async function readSlice(pool: pg.Pool, selection: PointSelection, slice: MinuteRange): Promise<Buffer[]> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    const pieces: Buffer[] = [];
    // A readable's chunks are buffers: it was given no encoding.
    for await (const piece of client.query(copyTo(copySql(selection, slice)))) pieces.push(piece as Buffer);
    return pieces;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    throw failure;
  } finally {
    client.release(failure);
  }
}

/** Each code's name at its own place of an SQL array. */
function namesSql(codes: Record<string, number>): string {
  const names = Object.entries(codes).sort(([, a], [, b]) => a - b);
  return `(array[${names.map(([name]) => `'${name}'`).join(',')}])`;
}

const JSON_TAIL = `',"status":"' || ${namesSql(STATUS_CODE)}[status] || '","latency":'
  || coalesce((latency_us / 1000::float8)::text, 'null') || ',"type":"' || ${namesSql(ORIGIN_CODE)}[origin]`;

/**
 * COPY takes no parameters: numbers are checked, and the tag is a JSON text inside an SQL literal. Quote and delimiter
 * are bytes that JSON never holds unescaped, so that nothing is quoted.
 */
function copySql({ monitorId, tag, regionId }: PointSelection, slice: MinuteRange): string {
  for (const number of [monitorId, regionId ?? 0, slice.from, slice.to]) {
    if (!Number.isSafeInteger(number)) throw new TypeError(`not an integer: ${number}`);
  }
  const head = `,{"monitor_tag":${JSON.stringify(tag)},"timestamp":`.replaceAll("'", "''");
  const place = `monitor_id = ${monitorId} and minute >= to_timestamp(${slice.from}) and minute < to_timestamp(${slice.to})`;
  const text = `'${head}' || date_part('epoch', minute)::int8 || ${JSON_TAIL}`;
  const query =
    regionId === null
      ? `select ${text} || '"}' from data_points where ${place} order by minute`
      : `select ${text} || '","cause":"' || ${namesSql(CAUSE_CODE)}[cause] || '","error":' || coalesce(to_json(error)::text, 'null')
           || ',"agent":' || coalesce((select to_json(name)::text from agents where id = agent_id), 'null') || '}'
         from check_results where ${place} and region_id = ${regionId} order by minute`;
  return `copy (${query}) to stdout (format csv, quote e'\\x01', delimiter e'\\x02')`;
}
