import { MINUTE_SECONDS, type Minute } from '../../core/minute.ts';
import {
  CAUSE_CODE,
  ORIGIN_CODE,
  STATUS_CODE,
  type Cause,
  type CheckOrigin,
  type PacketStats,
  type Status,
} from '../../core/outcome.ts';
import type { CheckResult } from '../../core/result.ts';
import type { ByteReader, ByteWriter } from './bytes.ts';

/** How results were placed in their minutes before the database's clock was known. */
export interface Provisional {
  /** The wall clock's distance to the monotonic clock when they were placed, milliseconds. */
  usedOffsetMs: number;
  /** When each result's check began, on the monotonic clock of the boot, milliseconds. */
  startedMs: number[];
}

/**
 * Writes results column by column, sorted by minute and monitor, since neighbours then differ by little. Returns the
 * minutes they lie in.
 */
export function encodeColumns(
  body: ByteWriter,
  results: readonly CheckResult[],
  provisional: Provisional | null,
): { firstMinute: Minute; lastMinute: Minute } {
  const order = orderOf(results);
  const rows = order === null ? results : order.flatMap((index) => results[index] ?? []);
  const firstMinute = rows[0]?.minute ?? 0;
  writeKeys(body, rows, firstMinute);
  writeAnswers(body, rows);
  writePackets(body, rows);
  if (provisional !== null) {
    const { startedMs } = provisional;
    const started = order === null ? startedMs : order.map((index) => startedMs[index] ?? 0);
    writeProvisional(body, provisional.usedOffsetMs, started);
  }
  return { firstMinute, lastMinute: rows.at(-1)?.minute ?? 0 };
}

/** The places of the rows in the order of a record; null where they are in that order. */
function orderOf(rows: readonly CheckResult[]): number[] | null {
  const compare = (a: number, b: number): number => {
    const [one, other] = [rows[a], rows[b]];
    return one === undefined || other === undefined ? 0 : compareRows(one, other);
  };
  if (rows.every((_, index) => compare(index - 1, index) <= 0)) return null;
  return [...rows.keys()].sort(compare);
}

/** The order of rows in a record. */
export function compareRows(a: CheckResult, b: CheckResult): number {
  return a.minute - b.minute || a.monitorId - b.monitorId;
}

function writeKeys(body: ByteWriter, rows: readonly CheckResult[], first: Minute): void {
  let minute = first;
  const minutes = rows.map((row) => {
    const ahead = (row.minute - minute) / MINUTE_SECONDS;
    minute = row.minute;
    return ahead;
  });
  body.column(minutes);
  let previous = 0;
  for (const { monitorId } of rows) {
    body.signed(monitorId - previous);
    previous = monitorId;
  }
  body.column(rows.map((row) => row.revision));
}

/** Status, cause, origin and which optional parts a row has repeat: rows name one of a few combinations. */
function writeAnswers(body: ByteWriter, rows: readonly CheckResult[]): void {
  const classes = new Map<number, number>();
  const combinations: number[][] = [];
  const texts = new Map<string, number>();
  const indexes = rows.map((row) => {
    const { status, cause, origin, packets, error } = row;
    const parts = (packets === null ? 0 : 1) + (error === null ? 0 : 2) + (row.latencyUs === null ? 0 : 4);
    if (error !== null && !texts.has(error)) texts.set(error, texts.size);
    const codes = [STATUS_CODE[status], CAUSE_CODE[cause], ORIGIN_CODE[origin], parts];
    // Each is a byte.
    const key = codes.reduce((sum, code) => sum * 256 + code, 0);
    const known = classes.get(key);
    if (known !== undefined) return known;
    classes.set(key, combinations.length);
    return combinations.push(codes) - 1;
  });
  body.unsigned(combinations.length);
  for (const code of combinations.flat()) body.byte(code);
  body.column(indexes);
  for (const { latencyUs } of rows) if (latencyUs !== null) body.unsigned(latencyUs);
  body.unsigned(texts.size);
  for (const text of texts.keys()) body.text(text);
  body.column(rows.flatMap(({ error }) => (error === null ? [] : [texts.get(error) ?? 0])));
}

function writePackets(body: ByteWriter, rows: readonly CheckResult[]): void {
  const measured: { packets: PacketStats; latencyUs: number | null }[] = [];
  for (const { packets, latencyUs } of rows) if (packets !== null) measured.push({ packets, latencyUs });
  body.column(measured.map(({ packets }) => packets.sent));
  body.column(measured.map(({ packets }) => packets.sent - packets.received));
  for (const { packets, latencyUs } of measured) {
    if (packets.received === 0) continue;
    const { minUs, avgUs, maxUs, deviationUs } = packets;
    const mean = avgUs ?? 0;
    body.signed(mean - (latencyUs ?? 0));
    body.signed(mean - (minUs ?? 0));
    body.signed((maxUs ?? 0) - mean);
    body.unsigned(deviationUs ?? 0);
  }
}

function writeProvisional(body: ByteWriter, usedOffsetMs: number, startedMs: readonly number[]): void {
  body.signed(Math.round(usedOffsetMs));
  let previous = 0;
  for (const started of startedMs) {
    body.signed(Math.round(started) - previous);
    previous = Math.round(started);
  }
}

interface Answer extends Pick<CheckResult, 'status' | 'cause' | 'origin' | 'latencyUs' | 'error'> {
  hasPackets: boolean;
}

/** Reads what `encodeColumns` wrote. @throws RangeError where the bytes are none. */
export function decodeColumns(
  body: ByteReader,
  count: number,
  firstMinute: Minute,
  isProvisional: boolean,
): { results: CheckResult[]; provisional: Provisional | null } {
  const minutes = body.column(count);
  const ids = Array.from({ length: count }, () => body.signed());
  const revisions = body.column(count);
  const answers = readAnswers(body, count);
  const packets = readPackets(body, answers);
  let minute = firstMinute;
  let monitorId = 0;
  const results = answers.map(({ status, cause, origin, latencyUs, error }, row): CheckResult => {
    minute += at(minutes, row) * MINUTE_SECONDS;
    monitorId += at(ids, row);
    const revision = at(revisions, row);
    return { monitorId, minute, revision, status, cause, origin, latencyUs, error, packets: packets[row] ?? null };
  });
  return { results, provisional: isProvisional ? readProvisional(body, count) : null };
}

function readAnswers(body: ByteReader, count: number): Answer[] {
  const classes = Array.from({ length: body.unsigned() }, () => readClass(body));
  const rows = body.column(count).map((index) => {
    const found = classes[index];
    if (found === undefined) throw new RangeError('unknown class of row');
    return found;
  });
  const answers = rows.map(({ status, cause, origin, parts }): Answer => {
    const latencyUs = (parts & 4) === 0 ? null : body.unsigned();
    return { status, cause, origin, latencyUs, error: null, hasPackets: (parts & 1) !== 0 };
  });
  const texts = Array.from({ length: body.unsigned() }, () => body.text());
  const withText = answers.filter((_, row) => ((rows[row]?.parts ?? 0) & 2) !== 0);
  const chosen = body.column(withText.length);
  withText.forEach((answer, index) => (answer.error = texts[at(chosen, index)] ?? ''));
  return answers;
}

function readClass(body: ByteReader): { status: Status; cause: Cause; origin: CheckOrigin; parts: number } {
  const status = nameOf(STATUS_CODE, body.byte());
  const cause = nameOf(CAUSE_CODE, body.byte());
  const origin = nameOf(ORIGIN_CODE, body.byte());
  if (origin === 'MANUAL') throw new RangeError('no check is MANUAL');
  return { status, cause, origin, parts: body.byte() };
}

function nameOf<N extends string>(codes: Record<N, number>, code: number): N {
  // Object.keys forgets that the keys are the record's.
  const name = (Object.keys(codes) as N[]).find((key) => codes[key] === code);
  if (name === undefined) throw new RangeError('unknown code');
  return name;
}

function readPackets(body: ByteReader, answers: readonly Answer[]): (PacketStats | null)[] {
  const measured: number[] = [];
  answers.forEach(({ hasPackets }, row) => {
    if (hasPackets) measured.push(row);
  });
  const sent = body.column(measured.length);
  const lost = body.column(measured.length);
  const packets = new Array<PacketStats | null>(answers.length).fill(null);
  measured.forEach((row, index) => {
    const counts = { sent: at(sent, index), received: at(sent, index) - at(lost, index) };
    packets[row] = readStats(body, counts, answers[row]?.latencyUs ?? 0);
  });
  return packets;
}

/** Hundreds of millions of rows are read after an outage: one literal is several times as fast as spread parts. */
function readStats(
  body: ByteReader,
  { sent, received }: Pick<PacketStats, 'sent' | 'received'>,
  latencyUs: number,
): PacketStats {
  if (received === 0) return { sent, received, minUs: null, avgUs: null, maxUs: null, deviationUs: null };
  const avgUs = latencyUs + body.signed();
  const minUs = avgUs - body.signed();
  const maxUs = avgUs + body.signed();
  return { sent, received, minUs, avgUs, maxUs, deviationUs: body.unsigned() };
}

function readProvisional(body: ByteReader, count: number): Provisional {
  const usedOffsetMs = body.signed();
  let started = 0;
  return { usedOffsetMs, startedMs: Array.from({ length: count }, () => (started += body.signed())) };
}

/** The value of a column whose length is known. */
function at(column: readonly number[], row: number): number {
  return column[row] ?? 0;
}
