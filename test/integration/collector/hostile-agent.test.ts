import { createUser } from '@nats-io/nkeys';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createKey, requestCertificate } from '../../../identity/certificates.ts';
import { enrol, renew } from '../../../proto/enrolment.ts';
import { MAX_MESSAGE_BYTES, type AgentMessage, type Hello, type ResultBatch } from '../../../proto/messages.ts';
import { encodeResults } from '../../../proto/results-codec.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { eventually } from '../../support/eventually.ts';
import { openHostileScene, type HostileScene } from '../../support/hostile-scene.ts';
import { bytesOf, type RawAgent } from '../../support/raw-agent.ts';
import { testAuthority, tlsOf, unknownToken } from '../../support/test-identity.ts';

const LIMIT_MS = 20_000;
/** What the collector may grow by, whatever is thrown at it. */
const ALLOWED_MIB = 300;

let scene: HostileScene;
let before: number;
beforeAll(async () => {
  scene = await openHostileScene();
  before = scene.residentMib();
});
afterEach(async () => {
  // Whatever was done, the other agent's stream goes on.
  expect(await scene.tidy()).toEqual([expect.stringMatching(/stored|duplicate/)]);
});
afterAll(() => scene.end());

const helloOf = (change: Partial<Hello> = {}): Buffer =>
  bytesOf({
    body: 'hello',
    hello: { protocol: 1, region: 'eu', version: 'x', capabilities: [], epoch: '', bootId: '', ...change },
  });

const batchOf = (change: Partial<ResultBatch> = {}): Buffer =>
  bytesOf({
    body: 'results',
    results: { ...encodeResults(1, scene.witness.welcome.epoch, [scene.result()]), ...change },
  });

const OF_ANOTHER: [string, AgentMessage][] = [
  ['results', { body: 'results', results: encodeResults(1, '', []) }],
  ['a status', { body: 'status', status: agentStatus() }],
  [
    'an answer that nobody asked for',
    { body: 'checkAnswer', checkAnswer: { requestId: '1', outcome: '{}', error: '' } },
  ],
  ['absences', { body: 'absences', absences: { batch: 1, epoch: '', absences: [] } }],
  ['a goodbye', { body: 'leave', leave: {} }],
];

const INTERNAL = 13;
const DEADLINE_EXCEEDED = 4;
const FAILED_PRECONDITION = 9;
const RESOURCE_EXHAUSTED = 8;
const FIRST = 'the first message must be hello';

describe('a stream ends with a reason, and alone,', () => {
  it.each<[string, Buffer[], number, string]>([
    ...OF_ANOTHER.map(([what, message]): [string, Buffer[], number, string] => [
      `where it begins with ${what}`,
      [bytesOf(message)],
      FAILED_PRECONDITION,
      FIRST,
    ]),
    ['where it begins with nothing', [Buffer.alloc(0)], FAILED_PRECONDITION, FIRST],
    ['where it begins with what is not known', [Buffer.from([0xa2, 0x06, 1, 0x78])], FAILED_PRECONDITION, FIRST],
    [
      'where its protocol is none',
      [helloOf({ protocol: 0 })],
      FAILED_PRECONDITION,
      'protocol 0 is not spoken here, 1 is',
    ],
    ['where it says hello twice', [helloOf(), helloOf()], FAILED_PRECONDITION, 'hello came twice'],
    [
      'where its region is no text',
      [Buffer.from([0x0a, 7, 8, 1, 0x12, 3, 0xed, 0xa0, 0x80])],
      FAILED_PRECONDITION,
      'but it says',
    ],
    [
      'where its region is as long as a message may be',
      [helloOf({ region: '\u{1f600}'.repeat(1_000_000) })],
      FAILED_PRECONDITION,
      'but it says',
    ],
    ['where a message is garbage', [helloOf(), Buffer.from([0xff, 0xff, 1])], INTERNAL, 'Error deserializing request'],
    ['where a number never ends', [helloOf(), Buffer.alloc(100, 0xff)], INTERNAL, 'Error deserializing request'],
    // results (2) { minute (4), packed, 300 bytes long, of which 2 are there }
    [
      'where a column is longer than its message',
      [helloOf(), Buffer.from([0x12, 5, 0x22, 0xac, 0x02, 1, 1])],
      INTERNAL,
      'Error deserializing',
    ],
    [
      'where a message is too long',
      [helloOf(), Buffer.alloc(MAX_MESSAGE_BYTES + 1)],
      RESOURCE_EXHAUSTED,
      'larger than max',
    ],
  ])('%s', async (_, messages, code, details) => {
    const agent = scene.open();
    for (const bytes of messages) agent.write(bytes);
    const end = await agent.ended;
    expect(end).toMatchObject({ code, details: expect.stringContaining(details) as string });
    expect(end.details.length).toBeLessThan(300);
    expect(end.details).not.toMatch(/node_modules|\.[jt]s:\d/);
  });

  it('where nobody knows its key', async () => {
    expect(await scene.open(await unknownToken()).ended).toMatchObject({
      code: 16,
      details: 'unknown or revoked agent',
    });
  });

  it('where it says nothing for ten seconds', async () => {
    const silent = scene.open();
    expect(await silent.ended).toMatchObject({ code: DEADLINE_EXCEEDED, details: 'no hello' });
  });

  it('and each of these is counted', async () => {
    for (const reason of [
      'failed_precondition',
      'deadline_exceeded',
      'internal',
      'resource_exhausted',
      'unauthenticated',
    ])
      expect([reason, await scene.counted('refusals_total', { reason })]).not.toEqual([reason, 0]);
  });
});

describe('a stream goes on', () => {
  it('with a protocol of the future, enum values and fields that nobody knows yet', async () => {
    const agent = scene.open();
    const future = Buffer.concat([bytesOf({ body: 'status', status: agentStatus() }), Buffer.from([0xe0, 0x12, 7])]);
    for (const bytes of [helloOf({ protocol: 4_294_967_295 }), Buffer.from([0xa2, 0x06, 1, 0x78]), future])
      agent.write(bytes);
    agent.write(batchOf({ cause: [99], origin: [99] }));
    await eventually('the acknowledgement', LIMIT_MS, () => agent.received.some(({ body }) => body === 'ack'));
  });

  it('however absurd what it says of itself is, which is stored bounded', async () => {
    const agent = scene.open(await scene.agentOf('absurd', 'eu'));
    const many = Array.from({ length: 9_000 }, (_, number) => `${number} \0\ud800 ${'x'.repeat(80)}`);
    agent.write(helloOf({ capabilities: many, version: 'v'.repeat(1_000_000), epoch: 'e'.repeat(1_000_000) }));
    const counters = many.map((name) => ({ name, value: 2 ** 53 }));
    const status = agentStatus({
      ...{
        problems: many.slice(0, 1000),
        counters: counters.slice(0, 5000),
        unknownLastHour: [{ name: '__proto__', value: 1 }],
      },
      ...{
        oldestMinute: 4_294_967_295,
        clockKnown: 1,
        clockOffsetUs: -(2 ** 53),
        spoolBytes: 2 ** 53,
        generation: 2 ** 53,
      },
      epoch: '\0'.repeat(1000),
    });
    agent.write(bytesOf({ body: 'status', status }));
    const stored = await eventually('its state', LIMIT_MS, async () => {
      const { rows } = await scene.database.pool.query<{
        size: number;
        version: string;
        state: { problems?: string[] };
      }>(`select length(status::text) as size, version, status as state from agents where name = 'absurd'`);
      return rows[0]?.state.problems?.length === 20 && rows[0];
    });
    expect(stored.size).toBeLessThan(50_000);
    expect(stored.version).toHaveLength(60);
  });
});

describe('memory stays bounded', () => {
  it('while an agent opens one stream after another, of which the newest are kept', async () => {
    const agents = Array.from({ length: 40 }, () => {
      const agent = scene.open();
      agent.write(helloOf());
      return agent;
    });
    const ends = new Map<RawAgent, { code: number; details: string }>();
    for (const agent of agents) void agent.ended.then((end) => ends.set(agent, end));
    await eventually(
      () => `all but three to end, ${ends.size} have`,
      LIMIT_MS,
      () => ends.size >= agents.length - 3,
    );
    expect(ends.size).toBeLessThan(agents.length);
    for (const { details } of ends.values()) expect(details).toMatch(/too many streams|[Cc]onnection|ECONNRESET/);
    expect(await scene.counted('streams', { region: 'eu' })).toBeLessThanOrEqual(5);
  });

  it('while an agent sends messages that would be sixty times as large in memory', async () => {
    // A status of two million bytes: counters without a name.
    const heavy = Buffer.concat([
      Buffer.from([0x22, 0x80, 0x89, 0x7a]),
      Buffer.alloc(2_000_000, Buffer.from([0x42, 0])),
    ]);
    for (let number = 0; number < 5; number += 1) {
      const agent = scene.open();
      agent.write(helloOf());
      for (let again = 0; again < 5; again += 1) agent.write(heavy);
      expect(await agent.ended).toMatchObject({ code: INTERNAL });
    }
  });

  it('while an agent sends without waiting', async () => {
    const agent = scene.open();
    agent.write(helloOf());
    for (let number = 0; number < 2000; number += 1) agent.write(batchOf({ batch: number }));
    await eventually(
      'acknowledgements',
      LIMIT_MS,
      () => agent.received.filter(({ body }) => body === 'ack').length > 1000,
    );
  });

  it('while strangers guess', async () => {
    const request = {
      secret: 'f'.repeat(64),
      certificateRequest: await requestCertificate(await createKey()),
      natsUser: createUser().getPublicKey(),
    };
    const guess = () => enrol(scene.address, testAuthority.certificate, request).catch((error: unknown) => error);
    for (const end of await Promise.all(Array.from({ length: 50 }, guess)))
      expect(end).toMatchObject({ code: 'PERMISSION_DENIED', message: 'the invitation is unknown or has expired' });
    await expect(
      renew(scene.address, tlsOf(await unknownToken()), { certificateRequest: 'x'.repeat(100_000) }),
    ).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
  });

  it('over all of this', async () => {
    await eventually(
      () => `less than ${ALLOWED_MIB} MiB more, it is ${scene.residentMib() - before}`,
      LIMIT_MS,
      () => scene.residentMib() - before < ALLOWED_MIB,
    );
  });
});

it('the log of all this holds no secret, no stack of what peers did, and nothing that broke', () => {
  const text = JSON.stringify(scene.collector.log);
  expect(text).not.toMatch(/PRIVATE KEY|f{64}|BEGIN CERTIFICATE/);
  expect(scene.collector.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  expect(text.length).toBeLessThan(1 << 20);
});
