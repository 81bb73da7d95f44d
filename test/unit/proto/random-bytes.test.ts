import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stateOf } from '../../../collector/agent-state.ts';
import { agentState } from '../../../core/agent-state.ts';
import { isMinute } from '../../../core/minute.ts';
import { FIELD } from '../../../core/result-block.ts';
import { decodeAck } from '../../../proto/ack-codec.ts';
import { decodeDefinition, decodeManifest } from '../../../proto/kv.ts';
import { decodeHeartbeat, encodeHeartbeat, MAX_HEARTBEAT_BYTES, memberOfSubject } from '../../../proto/members.ts';
import type { AgentMessage, CollectorMessage, UnknownMessage } from '../../../proto/messages.ts';
import { decodeResults } from '../../../proto/results-codec.ts';
import { createValueVerifier } from '../../../proto/signed-value.ts';
import { collectorService, enrolmentService } from '../../../proto/wire.ts';
import { testDefinitionsKey, testSigner } from '../../support/test-identity.ts';

const { requestDeserialize, responseDeserialize } = collectorService().Stream;

/** Bytes that look like a message of this kind (the field of its `oneof`), or like none. */
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 300 }),
  fc
    .tuple(fc.integer({ min: 1, max: 6 }), fc.uint8Array({ maxLength: 120 }))
    .map(([field, body]) => Uint8Array.from([field * 8 + 2, body.length, ...body])),
  // Fields with plausible tags, numbers of any length.
  fc
    .tuple(
      fc.integer({ min: 1, max: 6 }),
      fc.array(fc.tuple(fc.nat(17), fc.constantFrom(0, 2), fc.bigInt(0n, 2n ** 64n - 1n)), { maxLength: 8 }),
    )
    .map(([field, parts]) => {
      const body = parts.flatMap(([number, kind, value]) => [
        number * 8 + kind,
        ...(kind === 2 ? [1, 1] : varint(value)),
      ]);
      return Uint8Array.from([field * 8 + 2, ...varint(BigInt(body.length)), ...body]);
    }),
);

function varint(value: bigint): number[] {
  const low = Number(value & 127n);
  return value < 128n ? [low] : [low | 128, ...varint(value >> 7n)];
}

function read<T>(deserialize: (bytes: Buffer) => T, given: Uint8Array): T | undefined {
  try {
    return deserialize(Buffer.from(given));
  } catch (error) {
    // What grpc-js answers with a status; only an Error can be.
    expect(error).toBeInstanceOf(Error);
    return undefined;
  }
}

describe('any bytes', () => {
  it('that an agent sends are a message whose rows can all be stored, or none', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const message: AgentMessage | UnknownMessage | undefined = read(requestDeserialize, given);
        if (message?.body === 'status') {
          const state = stateOf(message.status, { capabilities: [], certificateExpires: 0 });
          expect(agentState.safeParse(JSON.parse(JSON.stringify(state))).error).toBeUndefined();
        }
        if (message?.body !== 'results') return;
        const decoded = decodeResults(message.results, { regionId: 3, agentId: 5 });
        if ('malformed' in decoded) return;
        for (const row of decoded.results.rows()) {
          const result = decoded.results.result(row);
          expect(result).toMatchObject({ regionId: 3, agentId: 5 });
          expect(isMinute(result.minute)).toBe(true);
          expect(result.latencyUs === null).toBe(result.status === 'UNKNOWN');
          expect(decoded.results.number(row, FIELD.monitorId)).toBeGreaterThan(0);
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('that a collector sends are a message or none, and acknowledge each row in some way', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        const message: CollectorMessage | UnknownMessage | undefined = read(responseDeserialize, given);
        if (message?.body !== 'ack') return;
        const answers = decodeAck(message.ack, 5);
        expect(answers).toHaveLength(5);
        for (const { answer } of answers) expect(['stored', 'duplicate', 'dropped', 'retry']).toContain(answer);
      }),
      { numRuns: 3000 },
    );
  });

  it('that strangers send are a request or none', () => {
    fc.assert(
      fc.property(bytes, (given) => {
        read(enrolmentService().Enrol.requestDeserialize, given);
        read(collectorService().Renew.requestDeserialize, given);
      }),
      { numRuns: 1000 },
    );
  });

  const json = fc.oneof(
    fc.json(),
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify({ v: 1, epoch: 'e', monitorId: 7, revision: 1, versions: value })),
  );

  it('in a bucket are a definition, one that stops only itself, or nothing', () => {
    fc.assert(
      fc.property(json, (text) => {
        const stored = decodeDefinition('m.7', text);
        decodeManifest(text);
        if (stored !== null) expect(stored.definition === null).toBe(stored.problem !== null);
      }),
      { numRuns: 2000 },
    );
  });

  it('that neighbours say are a heartbeat or none', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          json.map((text) => Buffer.from(text)),
          fc.uint8Array({ maxLength: 100 }),
        ),
        fc.string(),
        (payload, subject) => {
          const beat = decodeHeartbeat(payload);
          if (beat !== null) expect(decodeHeartbeat(Buffer.from(encodeHeartbeat(beat)))).toEqual(beat);
          memberOfSubject(subject);
        },
      ),
      { numRuns: 2000 },
    );
    expect(decodeHeartbeat(Buffer.alloc(MAX_HEARTBEAT_BYTES + 1, ' '))).toBeNull();
  });

  it('are not signed, whatever is changed in what is', async () => {
    const verifier = createValueVerifier(testDefinitionsKey);
    const sealed = testSigner.seal('eu', 'm.7', '{"v":1}');
    expect(await verifier.open('eu', 'm.7', sealed)).toBe('{"v":1}');
    await fc.assert(
      fc.asyncProperty(fc.nat(sealed.length - 1), fc.string({ minLength: 1, maxLength: 1 }), async (at, character) => {
        fc.pre(sealed[at] !== character);
        const forged = sealed.slice(0, at) + character + sealed.slice(at + 1);
        // The last digit of a signature has bits that say nothing.
        fc.pre(
          !Buffer.from(forged.slice(0, 86), 'base64url').equals(Buffer.from(sealed.slice(0, 86), 'base64url')) ||
            at > 86,
        );
        expect(await verifier.open('eu', 'm.7', forged)).toBeNull();
      }),
      { numRuns: 300 },
    );
  });
});
