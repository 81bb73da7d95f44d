import { AGENT_BODY } from './messages.ts';
import { MAX_BATCH_ROWS } from './results-codec.ts';

/** Texts or absences, one for each row, and what else a message consists of. */
const MAX_PARTS = 2 * MAX_BATCH_ROWS;
/** A row's number takes five bytes at most. */
const MAX_COLUMN_BYTES = 5 * MAX_BATCH_ROWS + 1000;
const RESULTS = 2;
/** The bodies of a message are its fields from 1 on. */
const BODIES = Object.keys(AGENT_BODY).length;

/**
 * Whether these bytes can be an agent's message, as far as a glance at their form (protobuf encoding: tags, lengths)
 * tells: decoded, four megabytes of empty parts would take sixty times that memory, and seconds.
 */
export function isPlausible(bytes: Uint8Array): boolean {
  let parts = 0;
  return everyPart(bytes, 0, bytes.length, (field, from, to) => {
    parts += 1;
    // What this version does not know is passed over by the decoder too.
    if (from < 0 || field > BODIES || parts > MAX_PARTS) return parts <= MAX_PARTS;
    return everyPart(bytes, from, to, (_, start, end) => {
      parts += 1;
      return parts <= MAX_PARTS && (field !== RESULTS || start < 0 || end - start <= MAX_COLUMN_BYTES);
    });
  });
}

/** `from` is negative where the field is a plain number. */
type Look = (field: number, from: number, to: number) => boolean;

/** Shows each field between two places until `look` has seen enough; false too where they are no fields. */
function everyPart(bytes: Uint8Array, from: number, to: number, look: Look): boolean {
  let at = from;
  const varint = (): number => {
    let value = 0;
    for (let weight = 1; at < to; weight *= 128) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 127) * weight;
      if (byte < 128) return value;
    }
    return NaN;
  };
  /** The length of what follows a tag. Groups are no part of this form of messages, and can be nested without end. */
  const lengthOf = (kind: number): number => {
    if (kind === TEXT) return varint();
    if (kind === NUMBER) return varint() * 0;
    return FIXED[kind] ?? NaN;
  };
  while (at < to) {
    const tag = varint();
    const length = lengthOf(tag % 8);
    const start = tag % 8 === TEXT ? at : -1;
    at += length;
    // What is no number is not less either.
    if (!(at <= to) || !look(Math.floor(tag / 8), start, at)) return false;
  }
  return true;
}

const NUMBER = 0;
const TEXT = 2;
/** Bytes of numbers that have the same length always, by the kind in their tag. */
const FIXED: Record<number, number | undefined> = { 1: 8, 5: 4 };
