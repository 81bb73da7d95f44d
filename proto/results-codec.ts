import { MINUTE_SECONDS } from '../core/minute.ts';
import {
  CAUSE_CODE,
  MAX_ERROR_LENGTH,
  MAX_LATENCY_US,
  ORIGIN_CODE,
  STATUS_CODE,
  type Cause,
  type CheckOrigin,
  type PacketStats,
  type Status,
} from '../core/outcome.ts';
import { codesOf, type CheckResult } from '../core/result.ts';
import type { ResultBatch } from './messages.ts';

/** More rows make a batch malformed: what a collector holds in memory is counted in batches. */
export const MAX_BATCH_ROWS = 10_000;

const MAX_ID = 2_147_483_647;
/** The storage's small integer. */
const MAX_PACKETS = 32_767;

/** A row that cannot be stored, and why. */
export interface InvalidRow {
  invalid: string;
}

/** What a batch holds: a result or a reason for each row, or nothing that could be told apart as rows. */
export type DecodedBatch = { rows: (CheckResult | InvalidRow)[] } | { malformed: string };

/**
 * Results as one columnar message. `batch` names it in its acknowledgement; `epoch` is that of the database whose
 * definitions they were measured under.
 */
export function encodeResults(batch: number, epoch: string, results: readonly CheckResult[]): ResultBatch {
  const texts = createDictionary();
  const message = emptyBatch(batch, epoch);
  const withPackets = results.some((result) => result.packets !== null);
  for (const result of results) {
    const codes = codesOf(result);
    message.monitorId.push(result.monitorId);
    message.minute.push(result.minute / MINUTE_SECONDS);
    message.revision.push(result.revision);
    message.status.push(codes.status);
    message.cause.push(codes.cause);
    message.origin.push(codes.origin);
    message.latencyUs.push(plusOne(result.latencyUs));
    message.text.push(texts.indexOf(result.error));
    if (withPackets) pushPackets(message, result.packets ?? NO_PACKETS);
  }
  message.texts = texts.texts;
  return message;
}

function emptyBatch(batch: number, epoch: string): ResultBatch {
  return {
    batch,
    epoch,
    monitorId: [],
    minute: [],
    revision: [],
    status: [],
    cause: [],
    origin: [],
    latencyUs: [],
    text: [],
    texts: [],
    packetsSent: [],
    packetsReceived: [],
    minUs: [],
    avgUs: [],
    maxUs: [],
    deviationUs: [],
  };
}

const NO_PACKETS: PacketStats = { sent: 0, received: 0, minUs: null, avgUs: null, maxUs: null, deviationUs: null };

function pushPackets(message: ResultBatch, packets: PacketStats): void {
  message.packetsSent.push(packets.sent);
  message.packetsReceived.push(packets.received);
  message.minUs.push(plusOne(packets.minUs));
  message.avgUs.push(plusOne(packets.avgUs));
  message.maxUs.push(plusOne(packets.maxUs));
  message.deviationUs.push(plusOne(packets.deviationUs));
}

/** Numbers the distinct texts it is asked for from 1; null is 0. */
export function createDictionary(): { texts: string[]; indexOf(text: string | null): number } {
  const texts: string[] = [];
  const known = new Map<string, number>();
  return {
    texts,
    indexOf(text) {
      if (text === null) return 0;
      let index = known.get(text);
      if (index === undefined) {
        index = texts.push(text);
        known.set(text, index);
      }
      return index;
    },
  };
}

const STATUSES = namesByCode<Status>(STATUS_CODE);
const CAUSES = namesByCode<Cause>(CAUSE_CODE);
const ORIGINS = namesByCode<CheckOrigin>({
  REALTIME: ORIGIN_CODE.REALTIME,
  API: ORIGIN_CODE.API,
  TIMEOUT: ORIGIN_CODE.TIMEOUT,
  ERROR: ORIGIN_CODE.ERROR,
});

function namesByCode<N extends string>(codes: Record<N, number>): (N | undefined)[] {
  const names: (N | undefined)[] = [];
  // Object.keys forgets that the keys are the record's.
  for (const name of Object.keys(codes) as N[]) names[codes[name]] = name;
  return names;
}

/**
 * The results of a batch, each row checked by itself. A cause or origin this side does not know is read as the one that
 * its status implies, a status it does not know makes the row invalid. Columns of different lengths, or more than
 * `MAX_BATCH_ROWS`, make the batch malformed. Error texts are cut at `MAX_ERROR_LENGTH`.
 */
export function decodeResults(message: ResultBatch): DecodedBatch {
  const count = message.monitorId.length;
  if (count > MAX_BATCH_ROWS) return { malformed: `more than ${MAX_BATCH_ROWS} rows` };
  if (rowColumns(message).some((column) => column.length !== count)) return { malformed: 'columns differ in length' };
  const packets = packetColumns(message);
  const withPackets = packets.some((column) => column.length > 0);
  if (withPackets && packets.some((column) => column.length !== count))
    return { malformed: 'packet columns differ in length' };
  // NUL is valid UTF-8 that PostgreSQL cannot store.
  const texts = message.texts.map((text) => text.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '\ufffd'));
  const rows: (CheckResult | InvalidRow)[] = new Array<CheckResult | InvalidRow>(count);
  for (let row = 0; row < count; row++) rows[row] = decodeRow(message, row, texts, withPackets);
  return { rows };
}

function rowColumns(message: ResultBatch): number[][] {
  return [
    message.minute,
    message.revision,
    message.status,
    message.cause,
    message.origin,
    message.latencyUs,
    message.text,
  ];
}

function packetColumns(message: ResultBatch): number[][] {
  return [
    message.packetsSent,
    message.packetsReceived,
    message.minUs,
    message.avgUs,
    message.maxUs,
    message.deviationUs,
  ];
}

/** The value of a column whose length has been checked; 0, which no valid row can have where it matters, beyond it. */
function at(column: readonly number[], row: number): number {
  return column[row] ?? 0;
}

function decodeRow(
  message: ResultBatch,
  row: number,
  texts: readonly string[],
  withPackets: boolean,
): CheckResult | InvalidRow {
  const status = STATUSES[at(message.status, row)];
  if (status === undefined) return { invalid: 'status' };
  const latencyUs = minusOne(at(message.latencyUs, row));
  const text = at(message.text, row);
  const fault = faultOf(message, row, latencyUs, texts.length) ?? latencyFault(status, latencyUs);
  if (fault !== null) return { invalid: fault };
  const packets = withPackets ? decodePackets(message, row) : null;
  if (packets === 'invalid') return { invalid: 'packets' };
  return {
    monitorId: at(message.monitorId, row),
    minute: at(message.minute, row) * MINUTE_SECONDS,
    revision: at(message.revision, row),
    status,
    cause: CAUSES[at(message.cause, row)] ?? impliedCause(status),
    origin: ORIGINS[at(message.origin, row)] ?? 'REALTIME',
    latencyUs,
    error: text === 0 ? null : (texts[text - 1] ?? null),
    packets,
  };
}

function faultOf(message: ResultBatch, row: number, latencyUs: number | null, texts: number): string | null {
  const monitorId = at(message.monitorId, row);
  if (monitorId === 0 || monitorId > MAX_ID) return 'monitor id';
  const revision = at(message.revision, row);
  if (revision === 0 || revision > MAX_ID) return 'revision';
  if (latencyUs !== null && latencyUs > MAX_LATENCY_US) return 'latency';
  return at(message.text, row) > texts ? 'text' : null;
}

/** A known answer has a latency, an unknown one has none. */
function latencyFault(status: Status, latencyUs: number | null): string | null {
  return (status === 'UNKNOWN') === (latencyUs === null) ? null : 'latency';
}

function impliedCause(status: Status): Cause {
  if (status === 'UP') return 'NONE';
  return status === 'UNKNOWN' ? 'AGENT' : 'TARGET';
}

function decodePackets(message: ResultBatch, row: number): PacketStats | null | 'invalid' {
  const sent = at(message.packetsSent, row);
  if (sent === 0) return null;
  const received = at(message.packetsReceived, row);
  const minUs = minusOne(at(message.minUs, row));
  const avgUs = minusOne(at(message.avgUs, row));
  const maxUs = minusOne(at(message.maxUs, row));
  const deviationUs = minusOne(at(message.deviationUs, row));
  const longest = Math.max(minUs ?? 0, avgUs ?? 0, maxUs ?? 0, deviationUs ?? 0);
  if (sent > MAX_PACKETS || received > sent || longest > MAX_LATENCY_US) return 'invalid';
  return { sent, received, minUs, avgUs, maxUs, deviationUs };
}

function plusOne(value: number | null): number {
  return value === null ? 0 : value + 1;
}

function minusOne(value: number): number | null {
  return value === 0 ? null : value - 1;
}
