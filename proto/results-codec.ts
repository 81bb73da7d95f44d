import { MINUTE_SECONDS } from '../core/minute.ts';
import {
  CAUSE_CODE,
  MAX_ERROR_LENGTH,
  MAX_LATENCY_US,
  ORIGIN_CODE,
  STATUS_CODE,
  type PacketStats,
} from '../core/outcome.ts';
import { codesOf, type CheckResult } from '../core/result.ts';
import { FIELD, FIELDS, NONE, ResultBlock } from '../core/result-block.ts';
import type { ResultBatch } from './messages.ts';

/** More rows make a batch malformed: what a collector holds in memory is counted in batches. */
export const MAX_BATCH_ROWS = 10_000;

/** So many rows fit a message whatever they say: each may bring a text of its own, in characters of three bytes. */
export const MOST_SENT_ROWS = 2500;

/** The storage's integer. */
const MAX_INTEGER = 2_147_483_647;
/** The storage's small integer. */
const MAX_PACKETS = 32_767;
/** The longest time, as it stands on the wire. */
const LONGEST = MAX_LATENCY_US + 1;

/** The agent a batch came from. */
export interface Sender {
  regionId: number;
  agentId: number;
}

/**
 * What a batch holds: the rows that can be stored, in their order, and for each other row why not; or nothing that could
 * be told apart as rows.
 */
export type DecodedBatch = { results: ResultBlock; faults: ReadonlyMap<number, string> } | { malformed: string };

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

/**
 * The results of a batch as those of the agent that sent it, each row checked by itself. A cause or origin this side does
 * not know is read as the one that its status implies, a status it does not know makes the row invalid. Columns of
 * different lengths, or more than `MAX_BATCH_ROWS`, make the batch malformed. Error texts are cut at `MAX_ERROR_LENGTH`.
 */
export function decodeResults(message: ResultBatch, { regionId, agentId }: Sender): DecodedBatch {
  const count = message.monitorId.length;
  if (count > MAX_BATCH_ROWS) return { malformed: `more than ${MAX_BATCH_ROWS} rows` };
  if (rowColumns(message).some((column) => column.length !== count)) return { malformed: 'columns differ in length' };
  const packets = packetColumns(message);
  const withPackets = packets.some((column) => column.length > 0);
  if (withPackets && packets.some((column) => column.length !== count))
    return { malformed: 'packet columns differ in length' };
  // NUL is valid UTF-8 that PostgreSQL cannot store.
  const texts = message.texts.map((text) => text.slice(0, MAX_ERROR_LENGTH).replaceAll('\0', '\ufffd'));
  const numbers = new Int32Array(count * FIELDS);
  const errors: (string | null)[] = [];
  const faults = new Map<number, string>();
  for (let row = 0; row < count; row++) {
    const fault = faultOf(message, row, texts.length);
    if (fault !== null) {
      faults.set(row, fault);
      continue;
    }
    const to = errors.length * FIELDS;
    numbers[to + FIELD.regionId] = regionId;
    numbers[to + FIELD.agentId] = agentId;
    readOutcome(message, row, numbers, to);
    readPackets(message, row, numbers, to);
    errors.push(texts[at(message.text, row) - 1] ?? null);
  }
  return { results: new ResultBlock(numbers.subarray(0, errors.length * FIELDS), errors), faults };
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

/** Why a row cannot be stored; null where it can. */
function faultOf(message: ResultBatch, row: number, texts: number): string | null {
  const status = at(message.status, row);
  if (status < STATUS_CODE.UNKNOWN || status > STATUS_CODE.DOWN) return 'status';
  if (!isId(at(message.monitorId, row))) return 'monitor id';
  if (!isId(at(message.revision, row))) return 'revision';
  if (at(message.minute, row) > MAX_INTEGER) return 'minute';
  const latency = at(message.latencyUs, row);
  // A known answer has a latency, an unknown one has none.
  if (latency > LONGEST || (status === STATUS_CODE.UNKNOWN) !== (latency === 0)) return 'latency';
  if (at(message.text, row) > texts) return 'text';
  return arePacketsValid(message, row) ? null : 'packets';
}

function isId(value: number): boolean {
  return value > 0 && value <= MAX_INTEGER;
}

function arePacketsValid(message: ResultBatch, row: number): boolean {
  const sent = at(message.packetsSent, row);
  return (
    sent === 0 ||
    (sent <= MAX_PACKETS &&
      at(message.packetsReceived, row) <= sent &&
      at(message.minUs, row) <= LONGEST &&
      at(message.avgUs, row) <= LONGEST &&
      at(message.maxUs, row) <= LONGEST &&
      at(message.deviationUs, row) <= LONGEST)
  );
}

function readOutcome(message: ResultBatch, row: number, numbers: Int32Array, to: number): void {
  const status = at(message.status, row);
  const cause = at(message.cause, row);
  const origin = at(message.origin, row);
  numbers[to + FIELD.monitorId] = at(message.monitorId, row);
  numbers[to + FIELD.minute] = at(message.minute, row);
  numbers[to + FIELD.revision] = at(message.revision, row);
  numbers[to + FIELD.status] = status;
  numbers[to + FIELD.cause] = cause >= CAUSE_CODE.NONE && cause <= CAUSE_CODE.AGENT ? cause : impliedCause(status);
  numbers[to + FIELD.origin] =
    origin >= ORIGIN_CODE.REALTIME && origin <= ORIGIN_CODE.ERROR ? origin : ORIGIN_CODE.REALTIME;
  numbers[to + FIELD.latencyUs] = minusOne(at(message.latencyUs, row));
}

function impliedCause(status: number): number {
  if (status === STATUS_CODE.UP) return CAUSE_CODE.NONE;
  return status === STATUS_CODE.UNKNOWN ? CAUSE_CODE.AGENT : CAUSE_CODE.TARGET;
}

function readPackets(message: ResultBatch, row: number, numbers: Int32Array, to: number): void {
  const sent = at(message.packetsSent, row);
  if (sent === 0) {
    numbers.fill(NONE, to + FIELD.sent, to + FIELD.deviationUs + 1);
    return;
  }
  numbers[to + FIELD.sent] = sent;
  numbers[to + FIELD.received] = at(message.packetsReceived, row);
  numbers[to + FIELD.minUs] = minusOne(at(message.minUs, row));
  numbers[to + FIELD.avgUs] = minusOne(at(message.avgUs, row));
  numbers[to + FIELD.maxUs] = minusOne(at(message.maxUs, row));
  numbers[to + FIELD.deviationUs] = minusOne(at(message.deviationUs, row));
}

/** Zero has its own place on the wire because absent fields have it; in a block `NONE` does. */
function minusOne(value: number): number {
  return value === 0 ? NONE : value - 1;
}

function plusOne(value: number | null): number {
  return value === null ? 0 : value + 1;
}
