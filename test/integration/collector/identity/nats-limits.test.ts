import { Kvm } from '@nats-io/kv';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentIdentity } from '../../../../agent/identity/identity-file.ts';
import { inboxPrefixOf } from '../../../../proto/nats-access.ts';
import { startTestCollector, type TestCollector } from '../../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { connectAs, enrolTestAgent } from '../../../support/enrolled-agent.ts';
import { eventually } from '../../../support/eventually.ts';
import { startSecureNats, type TestNats } from '../../../support/nats.ts';

const LIMIT_MS = 20_000;
let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let thief: AgentIdentity;
let neighbour: AgentIdentity;
let far: AgentIdentity;
const open: NatsConnection[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startSecureNats()]);
  collector = await startTestCollector(database.url, nats.url);
  thief = await enrolTestAgent(database.pool, collector.address, 'eu');
  neighbour = await enrolTestAgent(database.pool, collector.address, 'eu');
  far = await enrolTestAgent(database.pool, collector.address, 'us');
  for (const identity of [neighbour, far]) await eventually('a bucket', LIMIT_MS, () => readsBucket(identity));
});
afterAll(async () => {
  for (const connection of open) await connection.close();
  await collector.stop();
  await nats.stop();
  await database.drop();
});

async function login(identity: AgentIdentity): Promise<NatsConnection> {
  const connection = await connectAs(identity, { reconnect: false });
  open.push(connection);
  return connection;
}

/** Whether an agent sees what its region is to run. */
async function readsBucket(identity: AgentIdentity): Promise<boolean> {
  const connection = await connectAs(identity);
  try {
    const entries = await (await new Kvm(jetstream(connection)).open(identity.region)).watch();
    for await (const { key } of entries) if (key === 'manifest') return true;
    return false;
  } catch {
    return false;
  } finally {
    await connection.close();
  }
}

describe('a stolen key of an agent', () => {
  it('loses its connection where it says more than an agent has to say', async () => {
    const connection = await login(thief);
    expect(connection.info?.max_payload).toBe(16_384);
    // The client keeps to what it was told; a thief does not.
    Object.assign(connection.info ?? {}, { max_payload: 1 << 20 });
    connection.publish(`farwatch.members.eu.${thief.agentId}`, 'x'.repeat(20_000));
    expect(String(await connection.closed())).toContain('Maximum Payload Violation');
  });

  it('cannot listen to subjects without end', async () => {
    const connection = await login(thief);
    const refusals: string[] = [];
    void (async () => {
      for await (const status of connection.status()) if (status.type === 'error') refusals.push(String(status.error));
    })();
    for (let number = 0; number < 100; number += 1)
      connection.subscribe(`${inboxPrefixOf(thief.agentId)}.${number}`, { callback: () => undefined });
    await Promise.race([connection.flush(), connection.closed()]).catch(() => undefined);
    await eventually(
      'a refusal',
      LIMIT_MS,
      () => connection.isClosed() || refusals.join().includes('maximum subscriptions'),
    );
  });

  it('cannot fill the server with consumers, and other regions read on', async () => {
    const connection = await login(thief);
    const create = async (number: number): Promise<string> => {
      const config = {
        durable_name: `c${number}`,
        deliver_policy: 'last',
        ack_policy: 'none',
        filter_subject: '$KV.eu.m.1',
      };
      const request = { stream_name: 'KV_eu', config: { ...config, name: `c${number}`, mem_storage: true } };
      const subject = `$JS.API.CONSUMER.CREATE.KV_eu.c${number}.$KV.eu.m.1`;
      return (await connection.request(subject, JSON.stringify(request), { timeout: 10_000 })).string();
    };
    let refused = 0;
    for (let at = 0; at < 2400 && refused === 0; at += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => create(at + index)));
      refused += answers.filter((text) => text.includes('maximum consumers limit')).length;
    }
    expect(refused).toBeGreaterThan(0);
    expect(await readsBucket(far)).toBe(true);
  });
});
