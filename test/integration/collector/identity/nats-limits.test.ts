import { setTimeout as wait } from 'node:timers/promises';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { watchBucket } from '../../../../agent/bucket-watch.ts';
import type { AgentIdentity } from '../../../../agent/identity/identity-file.ts';
import { openNatsAuthority } from '../../../../identity/nats-accounts.ts';
import { bucketConsumerOf, inboxPrefixOf, subjectOfRequest } from '../../../../proto/definition-requests.ts';
import { natsAccess } from '../../../../proto/nats-access.ts';
import { startTestCollector, type TestCollector } from '../../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { connectAs, enrolTestAgent } from '../../../support/enrolled-agent.ts';
import { eventually } from '../../../support/eventually.ts';
import { startSecureNats, type TestNats } from '../../../support/nats.ts';
import { testAuthority, testIdentity } from '../../../support/test-identity.ts';

const LIMIT_MS = 20_000;
const MONITORS = 3000;
/** An agent that asks for a watch again sooner is refused. */
const ASKED_TOO_OFTEN_MS = 250;
let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let thief: AgentIdentity;
let neighbour: AgentIdentity;
const open: NatsConnection[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startSecureNats()]);
  collector = await startTestCollector(database.url, nats.url);
  thief = await enrolTestAgent(database.pool, collector.address, 'eu');
  neighbour = await enrolTestAgent(database.pool, collector.address, 'eu');
  await eventually('a bucket', LIMIT_MS, () => readsBucket(neighbour));
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

function refusalsOf(connection: NatsConnection): string[] {
  const refusals: string[] = [];
  void (async () => {
    for await (const status of connection.status()) if (status.type === 'error') refusals.push(String(status.error));
  })();
  return refusals;
}

/** Each with a definition of about two kilobytes. */
async function addMonitors(count: number): Promise<void> {
  const host = { type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 };
  await database.pool.query(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'TCP', $2::jsonb, 'NO', 'NO' from generate_series(1, $1::int) as n`,
    [count, JSON.stringify({ hosts: new Array(30).fill(host) })],
  );
}

/** Whether an agent sees what its region is to run. */
async function readsBucket(identity: AgentIdentity): Promise<boolean> {
  const connection = await connectAs(identity);
  try {
    const entries = await watchBucket(connection, identity.region, identity.agentId);
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
    const refusals = refusalsOf(connection);
    for (let number = 0; number < 100; number += 1)
      connection.subscribe(`${inboxPrefixOf(thief.agentId)}.${number}`, { callback: () => undefined });
    await Promise.race([connection.flush(), connection.closed()]).catch(() => undefined);
    await eventually(
      'a refusal',
      LIMIT_MS,
      () => connection.isClosed() || refusals.join().includes('maximum subscriptions'),
    );
  });

  it('has one consumer, however often it asks', async () => {
    const connection = await login(thief);
    for (let number = 0; number < 500; number += 1)
      connection.publish(subjectOfRequest('eu', thief.agentId, 'watch'), `w${number}`, {
        reply: `${inboxPrefixOf(thief.agentId)}.x`,
      });
    for (const subject of consumerSubjects('x')) connection.publish(subject, CONSUMER);
    await connection.flush();
    await eventually('a neighbour to read on', LIMIT_MS, () => readsBucket(neighbour));
    const theirs = [thief, neighbour].map(({ agentId }) => bucketConsumerOf('eu', agentId).name);
    const ofAgents = (await consumersOf('eu')).filter((one) => !one.startsWith('KV_WATCHER_'));
    expect(ofAgents.sort()).toEqual(theirs.sort());
  });

  // A reply with a wildcard, to what the server itself answers, ends nats-server 2.9.10 by a stack overflow.
  it('cannot end the server by where it has answers sent', async () => {
    const connection = await login(thief);
    const own = [
      subjectOfRequest('eu', thief.agentId, 'watch'),
      subjectOfRequest('eu', thief.agentId, 'manifest'),
      `farwatch.members.eu.${thief.agentId}`,
      `$JS.FC.KV_eu.agent-${thief.agentId}.x`,
    ];
    const replies = consumerSubjects('x').flatMap((subject) => [subject, `${subject}.>`, `${subject}.*`, '>']);
    for (const subject of [...own, ...consumerSubjects('x'), '$JS.API.DIRECT.GET.KV_eu.$KV.eu.manifest'])
      for (const reply of replies) connection.publish(subject, CONSUMER, { reply });
    await Promise.race([connection.flush(), connection.closed()]).catch(() => undefined);
    const { pid } = nats;
    await eventually('a neighbour to read on', LIMIT_MS, () => readsBucket(neighbour));
    expect(() => process.kill(pid, 0)).not.toThrow();
  });
});

const CONSUMER = JSON.stringify({
  stream_name: 'KV_eu',
  config: { deliver_policy: 'all', ack_policy: 'none', mem_storage: true, filter_subject: '$KV.eu.>' },
});

/** Ways to make a consumer (nats-server 2.9). */
function consumerSubjects(name: string): string[] {
  const [create, stream] = ['$JS.API.CONSUMER.CREATE', 'KV_eu'];
  const named = `${create}.${stream}.${name}`;
  return [`${create}.${stream}`, named, `${named}.$KV.eu.>`, `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${name}`];
}

describe('an agent', () => {
  it('follows a snapshot of more than the server sends unasked, and asks for nothing that it may not', async () => {
    await addMonitors(MONITORS);
    const connection = await login(neighbour);
    const refusals = refusalsOf(connection);
    const read = async (): Promise<number> => {
      const keys = new Set<string>();
      await wait(ASKED_TOO_OFTEN_MS);
      for await (const { key } of await watchBucket(connection, 'eu', neighbour.agentId)) {
        keys.add(key);
        if (keys.size === MONITORS + 1) break;
      }
      return keys.size;
    };
    // First while the collector writes it, then as it stands.
    expect(await read()).toBe(MONITORS + 1);
    expect(await read()).toBe(MONITORS + 1);
    expect(refusals).toEqual([]);
  });
});

/** As the region's account knows them. */
async function consumersOf(region: string): Promise<string[]> {
  const names: string[] = [];
  const manager = await jetstreamManager(await ownerOf(region));
  for await (const { name } of manager.consumers.list(`KV_${region}`)) names.push(name);
  return names;
}

/** Who may do everything in a region's account. */
async function ownerOf(region: string): Promise<NatsConnection> {
  const { jwt, seed } = await (await openNatsAuthority(testIdentity.natsSecret)).ownUser(region);
  const owner = await connect({
    servers: nats.url,
    ...natsAccess(nats.url, testAuthority.certificate, { jwt: () => jwt, seed }),
  });
  open.push(owner);
  return owner;
}

describe('the account of a region', () => {
  it('cannot fill the server with consumers, whoever makes them', async () => {
    const connection = await ownerOf('eu');
    const create = async (number: number): Promise<string> => {
      const config = { durable_name: `c${number}`, deliver_policy: 'last', ack_policy: 'none', mem_storage: true };
      const request = JSON.stringify({ stream_name: 'KV_eu', config: { ...config, filter_subject: '$KV.eu.m.1' } });
      const subject = `$JS.API.CONSUMER.DURABLE.CREATE.KV_eu.c${number}`;
      return (await connection.request(subject, request, { timeout: 10_000 })).string();
    };
    let refused = 0;
    for (let at = 0; at < 2400 && refused === 0; at += 100) {
      const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => create(at + index)));
      refused += answers.filter((text) => text.includes('maximum consumers limit')).length;
    }
    expect(refused).toBeGreaterThan(0);
  });
});
