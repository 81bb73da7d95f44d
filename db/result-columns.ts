import { MINUTE_SECONDS } from '../core/minute.ts';
import { FIELD, FIELDS, NONE, type Field, type ResultBlock } from '../core/result-block.ts';

/** Bytes of the types that numbers are stored as. */
const INT2 = 2;
const INT4 = 4;
const TIME = 8;

interface NumberColumn {
  name: string;
  bytes: typeof INT2 | typeof INT4 | typeof TIME;
  field: Field;
}

/** What a result's numbers are stored as: name and type of each column of `check_results`, in one place for both ways in. */
const NUMBER_COLUMNS: readonly NumberColumn[] = [
  { name: 'minute', bytes: TIME, field: FIELD.minute },
  { name: 'monitor_id', bytes: INT4, field: FIELD.monitorId },
  { name: 'agent_id', bytes: INT4, field: FIELD.agentId },
  { name: 'revision', bytes: INT4, field: FIELD.revision },
  { name: 'latency_us', bytes: INT4, field: FIELD.latencyUs },
  { name: 'min_us', bytes: INT4, field: FIELD.minUs },
  { name: 'avg_us', bytes: INT4, field: FIELD.avgUs },
  { name: 'max_us', bytes: INT4, field: FIELD.maxUs },
  { name: 'deviation_us', bytes: INT4, field: FIELD.deviationUs },
  { name: 'region_id', bytes: INT2, field: FIELD.regionId },
  { name: 'status', bytes: INT2, field: FIELD.status },
  { name: 'origin', bytes: INT2, field: FIELD.origin },
  { name: 'cause', bytes: INT2, field: FIELD.cause },
  { name: 'sent', bytes: INT2, field: FIELD.sent },
  { name: 'received', bytes: INT2, field: FIELD.received },
];
/** The columns of `check_results`, in the order in which both ways in name them. */
export const RESULT_COLUMNS: readonly string[] = [...NUMBER_COLUMNS.map(({ name }) => name), 'error'];

const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** PostgreSQL counts microseconds from 2000-01-01. */
const EPOCH_SECONDS = 946_684_800;
const MOST_ROW_BYTES = 2 + NUMBER_COLUMNS.reduce((sum, { bytes }) => sum + 4 + bytes, 4);

/**
 * Results as PostgreSQL's binary COPY format ("File Formats" under COPY in its manual), columns in the order of
 * `RESULT_COLUMNS`.
 */
export function encodeResults({ numbers, errors }: ResultBlock): Buffer {
  const textBytes = errors.reduce((sum, error) => sum + (error === null ? 0 : Buffer.byteLength(error)), 0);
  const buffer = Buffer.allocUnsafe(SIGNATURE.length + errors.length * MOST_ROW_BYTES + textBytes + 2);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  let at = SIGNATURE.copy(buffer);
  for (let row = 0; row < errors.length; row++) {
    view.setInt16(at, RESULT_COLUMNS.length);
    at += 2;
    for (const { bytes, field } of NUMBER_COLUMNS)
      at = writeNumber(view, at, bytes, numbers[row * FIELDS + field] ?? NONE);
    at = writeText(buffer, at, errors[row] ?? null);
  }
  return buffer.subarray(0, buffer.writeInt16BE(-1, at));
}

/** Each field is its length in bytes and its value; a length of -1 is a null. */
function writeNumber(view: DataView, at: number, bytes: number, value: number): number {
  if (value === NONE) {
    view.setInt32(at, -1);
    return at + 4;
  }
  view.setInt32(at, bytes);
  if (bytes === INT2) view.setInt16(at + 4, value);
  else if (bytes === INT4) view.setInt32(at + 4, value);
  else writeTime(view, at + 4, value * MINUTE_SECONDS);
  return at + 4 + bytes;
}

/** Two halves: a BigInt for every row would cost more than all other columns together. */
function writeTime(view: DataView, at: number, seconds: number): void {
  const microseconds = (seconds - EPOCH_SECONDS) * 1e6;
  const high = Math.floor(microseconds / 2 ** 32);
  view.setInt32(at, high);
  view.setUint32(at + 4, microseconds - high * 2 ** 32);
}

function writeText(buffer: Buffer, at: number, text: string | null): number {
  if (text === null) return buffer.writeInt32BE(-1, at);
  const length = buffer.write(text, at + 4);
  return buffer.writeInt32BE(length, at) + length;
}

/** The results as one array for each column, for `unnest`; minutes are counted. */
export function resultArrays(results: ResultBlock): (number | string | null)[][] {
  const numbers = NUMBER_COLUMNS.map(({ field }) =>
    results.column(field).map((value) => (value === NONE ? null : value)),
  );
  return [...numbers, results.errors];
}

const ARRAYS = [...NUMBER_COLUMNS.map(({ bytes }) => (bytes === INT2 ? 'int2' : 'int4')), 'text'];

/** `unnest($1::int4[], ...) as i (minute, ...)` over `resultArrays`, with `minute` turned into a time. */
export const UNNEST_RESULTS = `(
  select to_timestamp(at * ${MINUTE_SECONDS}::float8) as ${RESULT_COLUMNS.join(', ')}
  from unnest(${ARRAYS.map((type, index) => `$${index + 1}::${type}[]`).join(', ')})
    as given (at, ${RESULT_COLUMNS.slice(1).join(', ')}))`;
