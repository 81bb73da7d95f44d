const INT4_OID = 23;
const HEAD_BYTES = 20;

/**
 * Integers as an `int4[]` parameter in PostgreSQL's binary format (array_recv): as text each number would be written,
 * escaped and parsed again, which costs as much as looking up what it names.
 */
export function int4Array(values: readonly number[]): Buffer {
  const buffer = Buffer.allocUnsafe(HEAD_BYTES + values.length * 8);
  const view = new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  // One dimension, no nulls, elements of this type; its length, and its first index.
  [values.length === 0 ? 0 : 1, 0, INT4_OID, values.length, 1].forEach((head, index) => view.setInt32(index * 4, head));
  values.forEach((value, index) => {
    view.setInt32(HEAD_BYTES + index * 8, 4);
    view.setInt32(HEAD_BYTES + index * 8 + 4, value);
  });
  return values.length === 0 ? buffer.subarray(0, 12) : buffer;
}
