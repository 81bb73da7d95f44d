import { fileURLToPath } from 'node:url';
import { loadSync } from '@grpc/proto-loader';
import { describe, expect, it } from 'vitest';
import { STATUS_CODE, CAUSE_CODE, ORIGIN_CODE } from '../../../core/outcome.ts';
import { ROW_ANSWERS } from '../../../core/result.ts';
import { AGENT_BODY, COLLECTOR_BODY, type FieldShape, type MessageShape } from '../../../proto/messages.ts';
import { collectorService } from '../../../proto/wire.ts';

/** What proto-loader says of a field and a type (descriptor.proto). */
interface FieldDescriptor {
  name: string;
  label: string;
  type: string;
  typeName: string;
  oneofIndex: number | null;
}
interface TypeDescriptor {
  field: FieldDescriptor[];
  value: { name: string; number: number }[];
}

const file = loadSync('farwatch/v1/collector.proto', {
  includeDirs: [fileURLToPath(new URL('../../../proto/', import.meta.url))],
});
// Everything in the package but the service is a message or an enum.
const typeOf = (name: string) => (file[`farwatch.v1.${name}`] as unknown as { type: TypeDescriptor }).type;

/** The table that a message of the file would have. */
function shapeOf(name: string): MessageShape {
  return Object.fromEntries(typeOf(name).field.map((field) => [field.name, fieldShape(field)]));
}

function fieldShape({ type, label, typeName }: FieldDescriptor): FieldShape {
  const repeated = label === 'LABEL_REPEATED';
  if (type === 'TYPE_MESSAGE') return repeated ? [shapeOf(typeName)] : shapeOf(typeName);
  if (type === 'TYPE_STRING') return repeated ? 'texts' : 'text';
  expect(['TYPE_UINT32', 'TYPE_UINT64', 'TYPE_INT64', 'TYPE_ENUM']).toContain(type);
  return repeated ? 'numbers' : 'number';
}

const codesOf = (name: string, prefix: string) =>
  Object.fromEntries(
    typeOf(name)
      .value.filter(({ name }) => !name.endsWith('_UNSPECIFIED'))
      .map(({ name, number }) => [name.replace(prefix, ''), number]),
  );

describe('the tables of messages.ts', () => {
  it.each([
    ['AgentMessage', AGENT_BODY],
    ['CollectorMessage', COLLECTOR_BODY],
  ])('are those of %s in the .proto, field by field', (name, body) => {
    expect(body).toEqual(shapeOf(name));
    for (const field of typeOf(name).field) expect(field.oneofIndex).toBe(0);
  });

  it('and the codes of core are those of its enums', () => {
    expect(codesOf('Status', 'STATUS_')).toEqual(STATUS_CODE);
    expect(codesOf('Cause', 'CAUSE_')).toEqual(CAUSE_CODE);
    expect({ ...codesOf('Origin', 'ORIGIN_'), MANUAL: ORIGIN_CODE.MANUAL }).toEqual(ORIGIN_CODE);
    const answers = Object.fromEntries(ROW_ANSWERS.map((answer, code) => [answer.toUpperCase(), code]));
    expect(codesOf('RowAnswer', 'ROW_ANSWER_')).toEqual(answers);
  });
});

describe('a message', () => {
  const { requestDeserialize, responseSerialize, responseDeserialize } = collectorService().Stream;

  it('is read past fields that this version does not know', () => {
    // hello (1) = { protocol (1): 1, field 200: "x" }, then field 300 of the envelope: 7.
    const hello = [0x08, 1, 0xc2, 0x0c, 1, 0x78];
    const bytes = Buffer.from([0x0a, hello.length, ...hello, 0xe0, 0x12, 7]);
    expect(requestDeserialize(bytes)).toMatchObject({ body: 'hello', hello: { protocol: 1, region: '' } });
  });

  it('has no body where this version does not know it', () => {
    // field 100, length-delimited: "x".
    expect(requestDeserialize(Buffer.from([0xa2, 0x06, 1, 0x78])).body).toBeUndefined();
  });

  it('keeps enum values that this version does not know', () => {
    // results (2) = { status (6), packed: 2, 99 }.
    const message = requestDeserialize(Buffer.from([0x12, 4, 0x32, 2, 2, 99]));
    expect(message).toMatchObject({ body: 'results', results: { status: [2, 99], batch: 0, texts: [] } });
  });

  it('carries 64-bit clocks as numbers', () => {
    const welcome = {
      protocol: 1,
      agentId: 1,
      regionId: 2,
      epoch: 'e',
      maxInFlight: 8,
      clockUs: 1_800_000_000_123_456,
      timeline: 't',
    };
    const received = responseDeserialize(responseSerialize({ body: 'welcome', welcome }));
    expect(received).toMatchObject({ body: 'welcome', welcome });
  });
});
