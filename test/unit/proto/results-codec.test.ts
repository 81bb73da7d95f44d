import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_ERROR_LENGTH,
  MAX_LATENCY_US,
  type Cause,
  type CheckOrigin,
  type PacketStats,
  type Status,
} from '../../../core/outcome.ts';
import type { CheckResult } from '../../../core/result.ts';
import { MAX_MESSAGE_BYTES, type ResultBatch } from '../../../proto/messages.ts';
import { decodeResults, encodeResults, MAX_BATCH_ROWS, MOST_SENT_ROWS } from '../../../proto/results-codec.ts';
import { collectorService } from '../../../proto/wire.ts';

const result = (fields: Partial<CheckResult> = {}): CheckResult => ({
  monitorId: 7,
  minute: 1_800_000_000,
  revision: 3,
  status: 'UP',
  cause: 'NONE',
  origin: 'REALTIME',
  latencyUs: 1234,
  error: null,
  packets: null,
  ...fields,
});

const latency = fc.integer({ min: 0, max: MAX_LATENCY_US });
const anyPackets: fc.Arbitrary<PacketStats> = fc
  .record({
    sent: fc.integer({ min: 1, max: 32_767 }),
    received: fc.nat(32_767),
    minUs: fc.option(latency),
    avgUs: fc.option(latency),
    maxUs: fc.option(latency),
    deviationUs: fc.option(latency),
  })
  .map((packets) => ({ ...packets, received: Math.min(packets.received, packets.sent) }));
const anyResult: fc.Arbitrary<CheckResult> = fc
  .record({
    monitorId: fc.integer({ min: 1, max: 2_147_483_647 }),
    minute: fc.nat(2_147_483_647).map((count) => count * 60),
    revision: fc.integer({ min: 1, max: 2_147_483_647 }),
    status: fc.constantFrom<Status>('UP', 'DOWN', 'DEGRADED', 'UNKNOWN'),
    cause: fc.constantFrom<Cause>('NONE', 'TARGET', 'RESOLVER', 'AGENT'),
    origin: fc.constantFrom<CheckOrigin>('REALTIME', 'API', 'TIMEOUT', 'ERROR'),
    latencyUs: latency,
    error: fc.option(
      fc.string({ unit: 'grapheme', maxLength: 100 }).filter((text) => text !== '' && !text.includes('\0')),
    ),
    packets: fc.option(anyPackets),
  })
  .map((row) => (row.status === 'UNKNOWN' ? { ...row, latencyUs: null } : row));

/** Through the bytes of the wire and back. */
function travel(message: ResultBatch): ResultBatch {
  const { requestSerialize, requestDeserialize } = collectorService().Stream;
  const received = requestDeserialize(requestSerialize({ body: 'results', results: message }));
  if (received.body !== 'results') throw new Error('another body');
  return received.results;
}

const SENDER = { regionId: 3, agentId: 5 };

/** Each row as a result of its sender, or why it is none. */
const rowsOf = (message: ResultBatch) => {
  const decoded = decodeResults(message, SENDER);
  if ('malformed' in decoded) throw new Error(decoded.malformed);
  const { results, faults } = decoded;
  const valid = results.rows().map((row) => results.result(row));
  return message.monitorId.map((_, row) => (faults.has(row) ? { invalid: faults.get(row) } : valid.shift()));
};

describe('a batch of results', () => {
  it('comes back from the bytes of the wire as it was', () => {
    fc.assert(
      fc.property(fc.array(anyResult, { maxLength: 50 }), fc.nat(), (results, batch) => {
        const received = travel(encodeResults(batch, 'life-1', results));
        expect(received.batch).toBe(batch);
        expect(received.epoch).toBe('life-1');
        expect(rowsOf(received)).toEqual(results.map((row) => ({ ...row, ...SENDER })));
      }),
      { numRuns: 500 },
    );
  });

  it('holds each text once and no packet columns where no row has packets', () => {
    const message = encodeResults(1, 'e', [
      result({ error: 'refused' }),
      result({ error: 'refused' }),
      result({ error: 'timeout' }),
      result(),
    ]);
    expect(message.texts).toEqual(['refused', 'timeout']);
    expect(message.text).toEqual([1, 1, 2, 0]);
    expect(message.packetsSent).toEqual([]);
  });

  it.each<[string, Partial<ResultBatch>]>([
    ['monitor id', { monitorId: [0, 7] }],
    ['monitor id', { monitorId: [2_147_483_648, 7] }],
    ['revision', { revision: [0, 3] }],
    ['minute', { minute: [2_147_483_648, 30_000_000] }],
    ['status', { status: [0, 2] }],
    ['status', { status: [99, 2] }],
    ['latency', { latencyUs: [MAX_LATENCY_US + 2, 1] }],
    ['latency', { latencyUs: [0, 1] }],
    ['latency', { status: [1, 2] }],
    ['text', { text: [1, 0] }],
  ])('refuses a row for its %s and keeps the others', (reason, columns) => {
    const message = { ...encodeResults(1, 'e', [result(), result()]), ...columns };
    const [bad, good] = rowsOf(message);
    expect(bad).toEqual({ invalid: reason });
    expect(good).toMatchObject({ monitorId: 7 });
  });

  it.each<[string, Partial<PacketStats>]>([
    ['more replies than packets', { sent: 3, received: 4 }],
    ['more packets than can be stored', { sent: 32_768, received: 0 }],
    ['a round trip beyond the longest', { maxUs: MAX_LATENCY_US + 1 }],
  ])('refuses a row with %s', (_name, fields) => {
    const packets = { sent: 3, received: 3, minUs: 1, avgUs: 2, maxUs: 3, deviationUs: 1, ...fields };
    expect(rowsOf(encodeResults(1, 'e', [result({ packets }), result()]))[0]).toEqual({ invalid: 'packets' });
  });

  it('reads a cause or origin it does not know as the one the status implies', () => {
    const message = {
      ...encodeResults(1, 'e', [
        result(),
        result({ status: 'DOWN', cause: 'RESOLVER' }),
        result({ status: 'UNKNOWN', latencyUs: null }),
      ]),
      cause: [99, 99, 0],
      origin: [99, 0, 5],
    };
    expect(rowsOf(travel(message))).toMatchObject([
      { cause: 'NONE', origin: 'REALTIME' },
      { cause: 'TARGET', origin: 'REALTIME' },
      { cause: 'AGENT', origin: 'REALTIME' },
    ]);
  });

  it('cuts long texts and replaces what the database cannot store', () => {
    const [row] = rowsOf(encodeResults(1, 'e', [result({ error: `a\0b${'x'.repeat(1000)}` })]));
    expect(row).toMatchObject({ error: `a\ufffdb${'x'.repeat(MAX_ERROR_LENGTH - 3)}` });
  });

  it.each<[string, (message: ResultBatch) => void]>([
    ['columns differ in length', (message) => message.minute.pop()],
    ['columns differ in length', (message) => message.text.push(0)],
    ['packet columns differ in length', (message) => message.avgUs.push(1)],
    ['packet columns differ in length', (message) => message.packetsSent.push(1, 1)],
  ])('is malformed where its %s', (reason, damage) => {
    const message = encodeResults(1, 'e', [result(), result()]);
    damage(message);
    expect(decodeResults(message, SENDER)).toEqual({ malformed: reason });
  });

  it('is malformed with more rows than a batch may have', () => {
    const results = Array.from({ length: MAX_BATCH_ROWS + 1 }, () => result());
    expect(decodeResults(encodeResults(1, 'e', results), SENDER)).toHaveProperty('malformed');
    expect(rowsOf(encodeResults(1, 'e', results.slice(1)))).toHaveLength(MAX_BATCH_ROWS);
  });
});

it('fits a message with as many rows as are sent, whatever they say', () => {
  const packets = { sent: 32_767, received: 32_767, minUs: MAX_LATENCY_US, avgUs: MAX_LATENCY_US };
  const results = Array.from({ length: MOST_SENT_ROWS }, (_, row) =>
    result({
      ...{ monitorId: 2 ** 31 - 1, revision: 2 ** 31 - 1, latencyUs: MAX_LATENCY_US },
      error: String.fromCodePoint(0x4e00 + row).repeat(MAX_ERROR_LENGTH),
      packets: { ...packets, maxUs: MAX_LATENCY_US, deviationUs: MAX_LATENCY_US },
    }),
  );
  const message = encodeResults(2 ** 31 - 1, 'e'.repeat(36), results);
  const bytes = collectorService().Stream.requestSerialize({ body: 'results', results: message }).length;
  expect(bytes).toBeLessThan(MAX_MESSAGE_BYTES);
  expect(bytes).toBeGreaterThan(0.8 * MAX_MESSAGE_BYTES);
});
