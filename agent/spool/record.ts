import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MINUTE_SECONDS, type Minute } from '../../core/minute.ts';
import type { CheckResult } from '../../core/result.ts';
import { ByteReader, ByteWriter } from './bytes.ts';
import { decodeColumns, encodeColumns, type Provisional } from './result-columns.ts';

/** Minutes in which the agent was stopped, asleep or unborn: `from` inside, `to` outside. */
export interface AbsentMinutes {
  from: Minute;
  to: Minute;
  reason: string;
}

/** What one record of the spool holds. */
export type SpoolRecord =
  | { kind: 'results'; results: CheckResult[]; provisional: Provisional | null }
  | { kind: 'absences'; absences: AbsentMinutes[] };

/** What can be known of a record without reading its rows. */
export interface RecordSummary {
  kind: SpoolRecord['kind'];
  rows: number;
  firstMinute: Minute;
  lastMinute: Minute;
  /** Its minutes were named by the wall clock and may be others. */
  isProvisional: boolean;
}

export function countRows(record: SpoolRecord): number {
  return record.kind === 'results' ? record.results.length : record.absences.length;
}

/** The first minute of a record, which has a row at least. */
export function firstMinuteOf(record: SpoolRecord): Minute {
  const rows =
    record.kind === 'results' ? record.results.map(({ minute }) => minute) : record.absences.map(({ from }) => from);
  return rows.reduce((least, minute) => Math.min(least, minute), Infinity);
}

/** What is left of a record where UNKNOWN rows are given up; absences stay. */
export function withoutUnknown(record: SpoolRecord): SpoolRecord {
  if (record.kind !== 'results') return record;
  const rows = record.results.flatMap((result, row) => (result.status === 'UNKNOWN' ? [] : [row]));
  const { provisional } = record;
  const startedMs = rows.map((row) => provisional?.startedMs[row] ?? 0);
  return {
    kind: 'results',
    results: rows.flatMap((row) => record.results[row] ?? []),
    provisional: provisional && { ...provisional, startedMs },
  };
}

const KIND_RESULTS = 1;
const KIND_ABSENCES = 2;
const FLAG_PROVISIONAL = 1;
const FLAG_DEFLATED = 2;
/** Rows without texts do not get smaller. */
const DEFLATE_FROM_BYTES = 512;

/** A record's bytes. Rows are sorted by minute and monitor first: neighbours then differ by little. */
export function encodeRecord(record: SpoolRecord): Buffer {
  return record.kind === 'results'
    ? encodeResults(record.results, record.provisional)
    : encodeAbsences(record.absences);
}

/** Reads a record. @throws RangeError or a zlib error where the bytes are none. */
export function decodeRecord(bytes: Buffer): SpoolRecord {
  const reader = new ByteReader(bytes);
  const { summary, flags } = readHead(reader);
  const body = (flags & FLAG_DEFLATED) === 0 ? reader : new ByteReader(inflateRawSync(reader.rest()));
  if (summary.kind === 'absences') return { kind: 'absences', absences: decodeAbsences(body, summary.rows) };
  return { kind: 'results', ...decodeColumns(body, summary.rows, summary.firstMinute, summary.isProvisional) };
}

/** Reads only a record's head. @throws RangeError where the bytes are none. */
export function summarise(bytes: Buffer): RecordSummary {
  return readHead(new ByteReader(bytes)).summary;
}

function encodeResults(results: readonly CheckResult[], provisional: Provisional | null): Buffer {
  const body = new ByteWriter();
  const { firstMinute, lastMinute } = encodeColumns(body, results, provisional);
  const flags = provisional === null ? 0 : FLAG_PROVISIONAL;
  return join(KIND_RESULTS, flags, { rows: results.length, firstMinute, lastMinute }, body.bytes());
}

type Extent = Pick<RecordSummary, 'rows' | 'firstMinute' | 'lastMinute'>;

function join(kind: number, flags: number, summary: Extent, body: Buffer): Buffer {
  const packed = body.length >= DEFLATE_FROM_BYTES ? deflateRawSync(body, { level: 3 }) : body;
  const deflated = packed.length < body.length;
  const head = new ByteWriter();
  head.byte(kind);
  head.byte(deflated ? flags | FLAG_DEFLATED : flags);
  head.unsigned(summary.rows);
  head.unsigned(summary.firstMinute / MINUTE_SECONDS);
  head.unsigned((summary.lastMinute - summary.firstMinute) / MINUTE_SECONDS);
  return Buffer.concat([head.bytes(), deflated ? packed : body]);
}

function readHead(reader: ByteReader): { summary: RecordSummary; flags: number } {
  const kind = reader.byte();
  if (kind !== KIND_RESULTS && kind !== KIND_ABSENCES) throw new RangeError('unknown kind of record');
  const flags = reader.byte();
  const rows = reader.unsigned();
  const firstMinute = reader.unsigned() * MINUTE_SECONDS;
  const lastMinute = firstMinute + reader.unsigned() * MINUTE_SECONDS;
  const isProvisional = (flags & FLAG_PROVISIONAL) !== 0;
  const named = kind === KIND_RESULTS ? 'results' : 'absences';
  return { summary: { kind: named, rows, firstMinute, lastMinute, isProvisional }, flags };
}

function encodeAbsences(absences: readonly AbsentMinutes[]): Buffer {
  const body = new ByteWriter();
  for (const { from, to, reason } of absences) {
    body.unsigned(from / MINUTE_SECONDS);
    body.unsigned((to - from) / MINUTE_SECONDS);
    body.text(reason);
  }
  const firstMinute = Math.min(...absences.map(({ from }) => from));
  const lastMinute = Math.max(...absences.map(({ to }) => to)) - MINUTE_SECONDS;
  return join(KIND_ABSENCES, 0, { rows: absences.length, firstMinute, lastMinute }, body.bytes());
}

function decodeAbsences(body: ByteReader, count: number): AbsentMinutes[] {
  return Array.from({ length: count }, () => {
    const from = body.unsigned() * MINUTE_SECONDS;
    return { from, to: from + body.unsigned() * MINUTE_SECONDS, reason: body.text() };
  });
}
