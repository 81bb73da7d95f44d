import { crc32, inflateRawSync } from 'node:zlib';
import type { AcceptedAbsence, Measured } from './ledger.ts';

/** What an agent has put on its disk. Absences and results in the order in which they were written. */
export interface SpoolContent {
  results: (Measured & Placed)[];
  absences: AcceptedAbsence[];
}

/** How a result was given its minute. */
interface Placed {
  /** Null: by the service's clock. Else by the wall clock, with what it would take to place it anew, milliseconds. */
  provisional: { usedOffsetMs: number; startedMs: number } | null;
}

const HEADER_BYTES = 512;
const RECORD_HEAD = 16;
const RESULTS = 1;
const ABSENCES = 2;
const STATUSES = ['', 'UNKNOWN', 'UP', 'DEGRADED', 'DOWN'] as const;

/**
 * Reads a segment of an agent's spool as an auditor does: by a reader of its own, which shares nothing with the agent's
 * but the format. A record counts where its checksum is right; everything else in the file is passed over.
 */
export function decodeSegment(bytes: Buffer): SpoolContent {
  const content: SpoolContent = { results: [], absences: [] };
  for (let at = HEADER_BYTES; at + RECORD_HEAD <= bytes.length;) {
    const end = at + RECORD_HEAD + bytes.readUInt32LE(at + 2);
    const isRecord =
      bytes.readUInt16BE(at) === 0xf5a7 &&
      end <= bytes.length &&
      crc32(bytes.subarray(at + 10, end)) === bytes.readUInt32LE(at + 6);
    if (isRecord) readRecord(bytes.subarray(at + RECORD_HEAD, end), content);
    at = isRecord ? end : at + 1;
  }
  return content;
}

function readRecord(payload: Buffer, content: SpoolContent): void {
  const head = cursor(payload);
  const [kind, flags] = [head.byte(), head.byte()];
  const [rows, firstMinute] = [head.number(), head.number() * 60];
  // The last minute, which the rows say again.
  head.number();
  const body = (flags & 2) === 0 ? head : cursor(inflateRawSync(payload.subarray(head.at())));
  if (kind === RESULTS) content.results.push(...readResults(body, rows, firstMinute, (flags & 1) !== 0));
  else if (kind === ABSENCES) content.absences.push(...times(rows, () => readAbsence(body)));
  else throw new Error(`a record of unknown kind ${kind}`);
}

function readAbsence(body: Cursor): AcceptedAbsence {
  const from = body.number() * 60;
  const to = from + body.number() * 60;
  return { from, to, reason: body.text() };
}

function readResults(body: Cursor, rows: number, firstMinute: number, isProvisional: boolean): SpoolContent['results'] {
  const keys = readKeys(body, rows, firstMinute);
  const kinds = times(body.number(), () => times(4, () => body.byte()));
  const answers = body.column(rows).map((kind) => kinds[kind] ?? []);
  const has = (row: number, part: number): boolean => ((answers[row]?.[3] ?? 0) & part) !== 0;
  const latencies = times(rows, (row) => (has(row, 4) ? body.number() : null));
  const texts = times(body.number(), () => body.text());
  const withText = times(rows, (row) => row).filter((row) => has(row, 2));
  const textOf = new Map(body.column(withText.length).map((text, index) => [withText[index], texts[text] ?? '']));
  const packets = readPackets(
    body,
    times(rows, (row) => row).filter((row) => has(row, 1)),
  );
  const placedAt = isProvisional ? readPlaces(body, rows) : [];
  return times(rows, (row) => ({
    ...keys(row),
    status: STATUSES[answers[row]?.[0] ?? 0] || 'UNKNOWN',
    latencyUs: latencies[row] ?? null,
    error: textOf.get(row) ?? null,
    ...(packets.get(row) ?? { sent: null, received: null }),
    provisional: placedAt[row] ?? null,
  }));
}

function readKeys(body: Cursor, rows: number, firstMinute: number) {
  const minutes = sums(body.column(rows), firstMinute / 60);
  const differences = times(rows, () => body.signed());
  const monitors = sums(differences, 0);
  const revisions = body.column(rows);
  return (row: number): Pick<Measured, 'monitorId' | 'minute' | 'revision'> => ({
    monitorId: monitors[row] ?? 0,
    minute: (minutes[row] ?? 0) * 60,
    revision: revisions[row] ?? 0,
  });
}

function readPlaces(body: Cursor, rows: number): Placed['provisional'][] {
  const usedOffsetMs = body.signed();
  const differences = times(rows, () => body.signed());
  return sums(differences, 0).map((startedMs) => ({ usedOffsetMs, startedMs }));
}

function readPackets(body: Cursor, rows: readonly number[]): Map<number, { sent: number; received: number }> {
  const sent = body.column(rows.length);
  const lost = body.column(rows.length);
  return new Map(
    rows.map((row, index) => {
      const received = (sent[index] ?? 0) - (lost[index] ?? 0);
      // Average, least and most as differences, and the deviation.
      if (received > 0) times(4, () => body.number());
      return [row, { sent: sent[index] ?? 0, received }];
    }),
  );
}

interface Cursor {
  at(): number;
  byte(): number;
  /** Seven bits a byte, the lowest first. */
  number(): number;
  /** The same with the sign in the lowest bit. */
  signed(): number;
  text(): string;
  /** Numbers one by one, or as pairs of a number and how often it stands there. */
  column(length: number): number[];
}

function cursor(bytes: Buffer): Cursor {
  let at = 0;
  const byte = (): number => bytes.readUInt8(at++);
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const next = byte();
      value += (next % 128) * factor;
      if (next < 128) return value;
    }
  };
  return {
    at: () => at,
    byte,
    number,
    signed() {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    },
    text() {
      const length = number();
      at += length;
      return bytes.toString('utf8', at - length, at);
    },
    column(length) {
      const values: number[] = [];
      const isRuns = byte() === 1;
      while (values.length < length) {
        const value = number();
        for (let left = isRuns ? number() : 1; left > 0; left -= 1) values.push(value);
      }
      return values;
    },
  };
}

function times<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function sums(differences: readonly number[], first: number): number[] {
  let sum = first;
  return differences.map((difference) => (sum += difference));
}
