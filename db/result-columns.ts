import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE } from '../core/outcome.ts';
import type { RegionalResult } from '../core/result.ts';

type Width = 'time' | 'int4' | 'int2' | 'text';

interface Column {
  name: string;
  width: Width;
  value(row: RegionalResult): number | string | null;
}

/** What a result is stored as: name, type and value of each column of `check_results`, in one place for both ways in. */
export const RESULT_COLUMNS: readonly Column[] = [
  { name: 'minute', width: 'time', value: (row) => row.minute },
  { name: 'monitor_id', width: 'int4', value: (row) => row.monitorId },
  { name: 'agent_id', width: 'int4', value: (row) => row.agentId },
  { name: 'revision', width: 'int4', value: (row) => row.revision },
  { name: 'latency_us', width: 'int4', value: (row) => row.latencyUs },
  { name: 'min_us', width: 'int4', value: (row) => row.packets && row.packets.minUs },
  { name: 'avg_us', width: 'int4', value: (row) => row.packets && row.packets.avgUs },
  { name: 'max_us', width: 'int4', value: (row) => row.packets && row.packets.maxUs },
  { name: 'deviation_us', width: 'int4', value: (row) => row.packets && row.packets.deviationUs },
  { name: 'region_id', width: 'int2', value: (row) => row.regionId },
  { name: 'status', width: 'int2', value: (row) => STATUS_CODE[row.status] },
  { name: 'origin', width: 'int2', value: (row) => ORIGIN_CODE[row.origin] },
  { name: 'cause', width: 'int2', value: (row) => CAUSE_CODE[row.cause] },
  { name: 'sent', width: 'int2', value: (row) => row.packets && row.packets.sent },
  { name: 'received', width: 'int2', value: (row) => row.packets && row.packets.received },
  { name: 'error', width: 'text', value: (row) => row.error },
];

const BYTES = { time: 8, int4: 4, int2: 2 } as const;
const SIGNATURE = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
/** PostgreSQL counts microseconds from 2000-01-01. */
const EPOCH_SECONDS = 946_684_800;
const FIXED_ROW_BYTES =
  2 + RESULT_COLUMNS.reduce((sum, { width }) => sum + 4 + (width === 'text' ? 0 : BYTES[width]), 0);

/**
 * The rows as PostgreSQL's binary COPY format ("File Formats" under COPY in its manual), columns in the order of
 * `RESULT_COLUMNS`. Throws a RangeError for a number that does not fit its column.
 */
export function encodeResults(rows: readonly RegionalResult[]): Buffer {
  const textBytes = rows.reduce((sum, { error }) => sum + (error === null ? 0 : Buffer.byteLength(error)), 0);
  const buffer = Buffer.allocUnsafe(SIGNATURE.length + rows.length * FIXED_ROW_BYTES + textBytes + 2);
  let at = SIGNATURE.copy(buffer);
  for (const row of rows) {
    at = buffer.writeInt16BE(RESULT_COLUMNS.length, at);
    for (const column of RESULT_COLUMNS) at = writeField(buffer, at, column.width, column.value(row));
  }
  return buffer.subarray(0, buffer.writeInt16BE(-1, at));
}

function writeField(buffer: Buffer, at: number, width: Width, value: number | string | null): number {
  if (value === null) return buffer.writeInt32BE(-1, at);
  if (typeof value === 'string') {
    const length = buffer.write(value, at + 4);
    buffer.writeInt32BE(length, at);
    return at + 4 + length;
  }
  if (width === 'int2') return buffer.writeInt16BE(value, buffer.writeInt32BE(2, at));
  if (width === 'int4') return buffer.writeInt32BE(value, buffer.writeInt32BE(4, at));
  return writeTime(buffer, buffer.writeInt32BE(8, at), value);
}

/** Two halves: a BigInt for every row would cost more than all other columns together. */
function writeTime(buffer: Buffer, at: number, seconds: number): number {
  const microseconds = (seconds - EPOCH_SECONDS) * 1e6;
  const high = Math.floor(microseconds / 2 ** 32);
  return buffer.writeUInt32BE(microseconds - high * 2 ** 32, buffer.writeInt32BE(high, at));
}

/** The rows as one array for each column, for `unnest`; times as unix seconds. */
export function resultArrays(rows: readonly RegionalResult[]): (number | string | null)[][] {
  return RESULT_COLUMNS.map((column) => rows.map((row) => column.value(row)));
}

const ARRAY_TYPE: Record<Width, string> = { time: 'int8', int4: 'int4', int2: 'int2', text: 'text' };

/** `unnest($1::int8[], ...) as i (minute, ...)` over `resultArrays`, with `minute` turned into a time. */
export const UNNEST_RESULTS = `(
  select to_timestamp(at) as ${RESULT_COLUMNS.map(({ name }) => name).join(', ')}
  from unnest(${RESULT_COLUMNS.map(({ width }, index) => `$${index + 1}::${ARRAY_TYPE[width]}[]`).join(', ')})
    as given (at, ${RESULT_COLUMNS.slice(1)
      .map(({ name }) => name)
      .join(', ')}))`;
