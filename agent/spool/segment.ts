import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { syncFolder } from '../durable-file.ts';

/** What all records of a segment share. */
export interface SegmentHeader {
  /** Of the database whose definitions the results were measured under; empty: none known yet. */
  epoch: string;
  /** Of the machine's boot in which they were measured. */
  bootId: string;
}

/** Where a record stands in its file. */
export interface RecordPlace {
  seq: number;
  start: number;
  end: number;
}

/** A segment file, read. */
export interface ScannedSegment {
  /** Null where both copies are damaged: the records are then without an owner. */
  header: SegmentHeader | null;
  records: RecordPlace[];
  /** Stretches of bytes that are no record, other than the torn tail. */
  damaged: number;
  /** Where the last whole record ends: what follows is a torn tail. */
  end: number;
}

const headerSchema = z.object({ epoch: z.string(), bootId: z.string() });

/** The header stands twice, so that no single fault takes the whole segment. */
const COPY_BYTES = 256;
const HEADER_BYTES = 2 * COPY_BYTES;
/** crc (4), length (2). */
const COPY_HEAD = 6;

const MARK = Buffer.from([0xf5, 0xa7]);
/** mark (2), payload length (4), crc over sequence and payload (4), sequence (6). */
const RECORD_HEAD = 16;
const SEQ_AT = 10;
/** No record is longer: a length beyond is damage. */
const MAX_PAYLOAD = 4 * 1024 * 1024;

/** A record as it stands in the file. */
export function frameRecord(seq: number, payload: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(RECORD_HEAD + payload.length);
  MARK.copy(frame);
  frame.writeUInt32LE(payload.length, 2);
  frame.writeUIntLE(seq, SEQ_AT, 6);
  payload.copy(frame, RECORD_HEAD);
  frame.writeUInt32LE(crc32(frame.subarray(SEQ_AT)), 6);
  return frame;
}

/** Framed records in runs of at most `most` bytes; a longer one stands alone. */
export function withinBytes<T extends { frame: Buffer }>(framed: readonly T[], most: number): T[][] {
  const runs: T[][] = [];
  let bytes = Infinity;
  for (const one of framed) {
    bytes += one.frame.length;
    if (bytes <= most) runs.at(-1)?.push(one);
    else {
      runs.push([one]);
      bytes = one.frame.length;
    }
  }
  return runs;
}

/** The payload of a record found by `scanSegment`. */
export function payloadOf(bytes: Buffer, { start, end }: RecordPlace): Buffer {
  return bytes.subarray(start + RECORD_HEAD, end);
}

/** Finds the records of a segment; damaged stretches are passed over. */
export function scanSegment(bytes: Buffer): ScannedSegment {
  const scanned: ScannedSegment = { header: readHeader(bytes), records: [], damaged: 0, end: HEADER_BYTES };
  let at = HEADER_BYTES;
  let damage = false;
  while (at < bytes.length) {
    const place = recordAt(bytes, at);
    if (place === null) {
      damage = true;
      const next = bytes.indexOf(MARK, at + 1);
      if (next < 0) break;
      at = next;
      continue;
    }
    if (damage) scanned.damaged += 1;
    damage = false;
    scanned.records.push(place);
    scanned.end = at = place.end;
  }
  return scanned;
}

function recordAt(bytes: Buffer, start: number): RecordPlace | null {
  if (start + RECORD_HEAD > bytes.length || !bytes.subarray(start, start + 2).equals(MARK)) return null;
  const length = bytes.readUInt32LE(start + 2);
  const end = start + RECORD_HEAD + length;
  if (length > MAX_PAYLOAD || end > bytes.length) return null;
  if (crc32(bytes.subarray(start + SEQ_AT, end)) !== bytes.readUInt32LE(start + 6)) return null;
  return { seq: bytes.readUIntLE(start + SEQ_AT, 6), start, end };
}

export function headerBytes(header: SegmentHeader): Buffer {
  const json = Buffer.from(JSON.stringify(header));
  if (json.length > COPY_BYTES - COPY_HEAD) throw new RangeError('segment header is too long');
  const block = Buffer.alloc(HEADER_BYTES);
  for (const at of [0, COPY_BYTES]) {
    block.writeUInt32LE(crc32(json), at);
    block.writeUInt16LE(json.length, at + 4);
    json.copy(block, at + COPY_HEAD);
  }
  return block;
}

function readHeader(bytes: Buffer): SegmentHeader | null {
  return headerCopy(bytes, 0) ?? headerCopy(bytes, COPY_BYTES);
}

function headerCopy(bytes: Buffer, at: number): SegmentHeader | null {
  if (bytes.length < at + COPY_HEAD) return null;
  const start = at + COPY_HEAD;
  const json = bytes.subarray(start, start + bytes.readUInt16LE(at + 4));
  if (crc32(json) !== bytes.readUInt32LE(at)) return null;
  return headerSchema.safeParse(JSON.parse(json.toString('utf8'))).data ?? null;
}

/** The open end of a spool: a segment that records are appended to. */
export interface SegmentWriter {
  readonly bytes: number;
  /** Appends framed records and returns when they are on the disk. After an error nobody knows what the file holds. */
  append(frames: Buffer): Promise<void>;
  close(): Promise<void>;
}

/** Creates a segment file with its header. A file that it could not finish the next start clears away, if not this call. */
export async function createSegment(path: string, header: SegmentHeader): Promise<SegmentWriter> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(headerBytes(header));
    await syncFolder(dirname(path));
  } catch (error) {
    await Promise.allSettled([file.close(), discardFile(path)]);
    throw error;
  }
  return segmentWriter(file);
}

function segmentWriter(file: FileHandle): SegmentWriter {
  let bytes = HEADER_BYTES;
  return {
    get bytes() {
      return bytes;
    },
    async append(frames) {
      let written = 0;
      while (written < frames.length) {
        const { bytesWritten } = await file.write(frames, written, frames.length - written, bytes + written);
        written += bytesWritten;
      }
      await file.datasync();
      bytes += frames.length;
    },
    close: () => file.close(),
  };
}

/** A segment file's bytes as far as they are whole. */
export async function readSegment(path: string): Promise<Buffer> {
  return readFile(path);
}

/** Puts other content in a segment's place: after a crash it holds the old or the new. */
export async function replaceSegment(path: string, content: Buffer): Promise<void> {
  const next = `${path}.new`;
  try {
    const file = await open(next, 'w', 0o600);
    try {
      await file.writeFile(content);
      await file.datasync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await discardFile(next);
    throw error;
  }
}

/** Removes a file that nobody needs; a disk that does not let go of it is asked again at the next start. */
export async function discardFile(path: string): Promise<void> {
  await Promise.allSettled([rm(path, { force: true })]);
}
