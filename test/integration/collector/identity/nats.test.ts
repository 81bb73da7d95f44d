import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { AgentIdentity } from '../../../../agent/identity/identity-file.ts';
import { revokeAgent } from '../../../../db/agents.ts';
import { createAuthority, openAuthority } from '../../../../identity/certificates.ts';
import { openNatsAuthority } from '../../../../identity/nats-accounts.ts';
import { inboxPrefixOf, natsAccess } from '../../../../proto/nats-access.ts';
import { startTestCollector, type TestCollector } from '../../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { connectAs, enrolTestAgent } from '../../../support/enrolled-agent.ts';
import { eventually } from '../../../support/eventually.ts';
import { startSecureNats, type TestNats } from '../../../support/nats.ts';
import { testAuthority, testIdentity } from '../../../support/test-identity.ts';

const LIMIT_MS = 20_000;
let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let eu: AgentIdentity;
let neighbour: AgentIdentity;
let us: AgentIdentity;
/** Everything that may be done in a region's account: what tests look with at what came of an attack. */
let euOwner: NatsConnection;
let usOwner: NatsConnection;
const open: NatsConnection[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startSecureNats()]);
  collector = await startTestCollector(database.url, nats.url);
  eu = await enrolTestAgent(database.pool, collector.address, 'eu');
  neighbour = await enrolTestAgent(database.pool, collector.address, 'eu');
  us = await enrolTestAgent(database.pool, collector.address, 'us');
  euOwner = await owner('eu');
  usOwner = await owner('us');
  const typeData = { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }] };
  await database.pool.query(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
     values ('one', 'one', 'ACTIVE', 'TCP', $1, 'NO', 'NO')`,
    [JSON.stringify(typeData)],
  );
  for (const [connection, region] of [
    [euOwner, 'eu'],
    [usOwner, 'us'],
  ] as const)
    await eventually(`the bucket of ${region}`, LIMIT_MS, async () =>
      (await keysOf(connection, region)).includes('m.1'),
    );
});
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});
afterAll(async () => {
  await euOwner.close();
  await usOwner.close();
  await collector.stop();
  await nats.stop();
  await database.drop();
});

async function owner(region: string): Promise<NatsConnection> {
  const { jwt, seed } = await (await openNatsAuthority(testIdentity.natsSecret)).ownUser(region);
  const access = natsAccess(nats.url, testAuthority.certificate, { jwt: () => jwt, seed });
  return eventually(`the account of ${region}`, LIMIT_MS, () =>
    connect({ servers: nats.url, ...access, maxReconnectAttempts: -1, ignoreAuthErrorAbort: true }).catch(() => null),
  );
}

async function keysOf(connection: NatsConnection, region: string): Promise<string[]> {
  const kv = await new Kvm(jetstream(connection)).open(region);
  const keys: string[] = [];
  // An absent bucket has no keys.
  const found = await kv.keys().catch(() => []);
  for await (const key of found) keys.push(key);
  return keys;
}

/** An agent whose key was stolen, with all that the server told it that it may not. */
async function thief(identity: AgentIdentity = eu): Promise<{ connection: NatsConnection; refusals: string[] }> {
  const connection = await connectAs(identity);
  open.push(connection);
  const refusals: string[] = [];
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error') refusals.push(String(status.error.message));
  })();
  return { connection, refusals };
}

describe('an agent on the bus', () => {
  it('reads the definitions of its region, hears its neighbours and speaks for itself', async () => {
    const { connection, refusals } = await thief();
    const kv = await new Kvm(jetstream(connection)).open('eu');
    const seen: string[] = [];
    const entries = await kv.watch();
    void (async () => {
      for await (const { key } of entries) seen.push(key);
    })();
    await eventually('the definitions', LIMIT_MS, () => seen.includes('m.1') && seen.includes('manifest'));
    const other = await thief(neighbour);
    const heard: string[] = [];
    other.connection.subscribe('farwatch.members.eu.*', { callback: (_, { subject }) => void heard.push(subject) });
    await other.connection.flush();
    connection.publish(`farwatch.members.eu.${eu.agentId}`, 'x');
    await eventually('the heartbeat', LIMIT_MS, () => heard.includes(`farwatch.members.eu.${eu.agentId}`));
    expect([refusals, other.refusals]).toEqual([[], []]);
    entries.stop();
  });
});

describe('a stolen key of an agent', () => {
  it.each([
    ['speak for its neighbour', () => `farwatch.members.eu.${neighbour.agentId}`],
    ['speak in another region', () => `farwatch.members.us.${us.agentId}`],
    ['speak in its own name in another region', () => `farwatch.members.us.${eu.agentId}`],
    ['write a definition', () => '$KV.eu.m.1'],
    ['write a definition of another region', () => '$KV.us.m.1'],
    ['get a message', () => '$JS.API.STREAM.MSG.GET.KV_eu'],
    ['get a message of another region', () => '$JS.API.STREAM.MSG.GET.KV_us'],
    ['get a message directly', () => '$JS.API.DIRECT.GET.KV_us.$KV.us.m.1'],
    ['list streams', () => '$JS.API.STREAM.LIST'],
    ['list names of streams', () => '$JS.API.STREAM.NAMES'],
    ['look at a stream and its subjects', () => '$JS.API.STREAM.INFO.KV_us'],
    ['look at its own stream', () => '$JS.API.STREAM.INFO.KV_eu'],
    ['purge a stream', () => '$JS.API.STREAM.PURGE.KV_eu'],
    ['purge a stream of another region', () => '$JS.API.STREAM.PURGE.KV_us'],
    ['delete a stream', () => '$JS.API.STREAM.DELETE.KV_eu'],
    ['delete a message', () => '$JS.API.STREAM.MSG.DELETE.KV_eu'],
    ['make a stream', () => '$JS.API.STREAM.CREATE.other'],
    ['change a stream', () => '$JS.API.STREAM.UPDATE.KV_eu'],
    ['take a snapshot of a stream', () => '$JS.API.STREAM.SNAPSHOT.KV_us'],
    ['make a consumer of another region', () => '$JS.API.CONSUMER.CREATE.KV_us.x.>'],
    ['make a durable consumer', () => '$JS.API.CONSUMER.DURABLE.CREATE.KV_eu.x'],
    ['list consumers', () => '$JS.API.CONSUMER.LIST.KV_eu'],
    ['delete a consumer', () => '$JS.API.CONSUMER.DELETE.KV_eu.x'],
    ['pull from a consumer', () => '$JS.API.CONSUMER.MSG.NEXT.KV_eu.x'],
    ['look at the account', () => '$JS.API.INFO'],
    ['ask the system for accounts', () => '$SYS.REQ.CLAIMS.LIST'],
    ['change an account', () => '$SYS.REQ.CLAIMS.UPDATE'],
    ['answer into a foreign inbox', () => `${inboxPrefixOf(neighbour.agentId)}.x`],
  ])('may not %s', async (_what, subjectOf) => {
    const { connection, refusals } = await thief();
    const subject = subjectOf();
    connection.publish(subject, '{}', { reply: `${inboxPrefixOf(eu.agentId)}.answer` });
    await connection.flush();
    await eventually('a refusal', LIMIT_MS, () => refusals.some((text) => text.includes(`"${subject}"`)));
  });

  it.each([
    ['everything', () => '>'],
    ["its neighbour's inbox", () => `${inboxPrefixOf(neighbour.agentId)}.>`],
    ["everybody's inboxes", () => '_INBOX.>'],
    ['the agents of another region', () => 'farwatch.members.us.*'],
    ['the definitions of another region', () => '$KV.us.>'],
    ['definitions past JetStream', () => '$KV.eu.>'],
    ['what others ask JetStream', () => '$JS.API.>'],
    ['events of JetStream', () => '$JS.EVENT.>'],
    ['the system', () => '$SYS.>'],
  ])('may not listen to %s', async (_what, subjectOf) => {
    const { connection, refusals } = await thief();
    connection.subscribe(subjectOf(), { callback: () => undefined });
    await connection.flush();
    await eventually('a refusal', LIMIT_MS, () => refusals.some((text) => text.includes(`"${subjectOf()}"`)));
  });

  it('cannot have a consumer of its own bucket read, or write, the bucket of another region', async () => {
    const { connection } = await thief();
    const before = await lastSequence(usOwner, 'us');
    const config = { deliver_policy: 'all', ack_policy: 'none', replay_policy: 'instant' };
    const answers: string[] = [];
    for (const [stream, filter, deliver] of [
      ['KV_us', '$KV.us.>', `${inboxPrefixOf(eu.agentId)}.x`],
      ['KV_eu', '$KV.us.>', `${inboxPrefixOf(eu.agentId)}.x`],
      ['KV_eu', '$KV.eu.m.1', '$KV.us.m.1'],
      ['KV_eu', '$KV.eu.m.1', '$JS.API.STREAM.PURGE.KV_us'],
      ['KV_eu', '$KV.eu.m.1', '$JS.API.STREAM.DELETE.KV_us'],
      ['KV_eu', '$KV.eu.m.1', `farwatch.members.us.${us.agentId}`],
    ] as const) {
      const request = {
        stream_name: stream,
        config: { ...config, name: 'x', filter_subject: filter, deliver_subject: deliver },
      };
      const subject = `$JS.API.CONSUMER.CREATE.KV_eu.x.${filter}`;
      const answer = await connection.request(subject, JSON.stringify(request), { timeout: 2000 }).catch(String);
      answers.push(typeof answer === 'string' ? answer : answer.string());
      // The same with the answer sent to where a foreign region is told what to do.
      for (const reply of ['$KV.us.m.1', '$JS.API.STREAM.PURGE.KV_us', '$JS.API.STREAM.DELETE.KV_us'])
        connection.publish(subject, JSON.stringify(request), { reply });
    }
    await connection.flush();
    // Everything that was sent has been done when the last request is answered.
    await connection.request('$JS.API.CONSUMER.CREATE.KV_eu.y', '{}', { timeout: 2000 }).catch(() => undefined);
    expect(answers[0]).toContain('error');
    expect(answers.join()).not.toContain('$KV.us.m.1"}');
    expect(await lastSequence(usOwner, 'us')).toBe(before);
    expect(await keysOf(usOwner, 'us')).toEqual(expect.arrayContaining(['m.1', 'manifest']));
  });

  it('can break the bucket of its own region for seconds only', async () => {
    const { connection } = await thief();
    const request = {
      stream_name: 'KV_eu',
      config: {
        name: 'z',
        deliver_policy: 'all',
        ack_policy: 'none',
        deliver_subject: `${inboxPrefixOf(eu.agentId)}.z`,
      },
    };
    for (const reply of ['$KV.eu.m.1', '$KV.eu.manifest', '$JS.API.STREAM.PURGE.KV_eu'])
      connection.publish('$JS.API.CONSUMER.CREATE.KV_eu.z.$KV.eu.m.1', JSON.stringify(request), { reply });
    await connection.flush();
    await eventually('the definitions, whole again', LIMIT_MS, async () => {
      const kv = await new Kvm(jetstream(euOwner)).open('eu');
      const [value, manifest] = [await kv.get('m.1'), await kv.get('manifest')];
      return value?.string().includes('"monitorId":1') && manifest?.string().includes('"count":1');
    });
  });
});

async function lastSequence(connection: NatsConnection, region: string): Promise<number> {
  const manager = await jetstreamManager(connection);
  return (await manager.streams.info(`KV_${region}`)).state.last_seq;
}

describe('a login', () => {
  it('needs TLS 1.3, a server of the authority, and credentials', async () => {
    const other = await openAuthority(await createAuthority());
    await expect(connectAs({ ...eu, authority: other.certificate })).rejects.toThrow(/certificate/);
    await expect(connect({ servers: nats.url, tls: { ca: testAuthority.certificate } })).rejects.toThrow();
    await expect(connectAs({ ...eu, nats: { ...eu.nats, jwt: us.nats.jwt } })).rejects.toThrow(/Authorization/);
    await expect(connectAs({ ...eu, nats: { ...eu.nats, seed: us.nats.seed } })).rejects.toThrow(/Authorization/);
  });

  it('is not made to a server that speaks TLS 1.2 at most', async () => {
    // Debian's server takes 1.2 as well, and cannot be told not to: it is the client that wants 1.3.
    const { tls } = natsAccess(nats.url, testAuthority.certificate, { jwt: () => '', seed: Buffer.alloc(0) });
    expect(tls).toMatchObject({ minVersion: 'TLSv1.3' });
    const socket = connectTcp(Number(new URL(nats.url).port), '127.0.0.1');
    await new Promise((resolve) => socket.once('data', resolve));
    const secure = connectTls({ socket, rejectUnauthorized: false });
    await new Promise((resolve) => secure.once('secureConnect', resolve));
    expect(secure.getProtocol()).toBe('TLSv1.3');
    secure.destroy();
  });
});

describe('a revoked agent', () => {
  let victim: AgentIdentity;
  beforeEach(async () => {
    victim = await enrolTestAgent(database.pool, collector.address, 'eu');
  });

  it('loses its connection within five seconds, and is refused over restarts of NATS, even one that lost everything', async () => {
    const connection = await connectAs(victim, { reconnect: false });
    const begun = performance.now();
    await revokeAgent(database.pool, victim.name);
    await connection.closed();
    expect(performance.now() - begun).toBeLessThan(5000);
    await expect(connectAs(victim)).rejects.toThrow(/Authorization/);
    await nats.restart();
    await expect(connectAs(victim)).rejects.toThrow(/Authorization/);
    await nats.kill9();
    rmSync(join(nats.storeDir, 'accounts'), { recursive: true });
    await nats.restart();
    const again = await eventually('another agent', LIMIT_MS, () => connectAs(neighbour).catch(() => null));
    await expect(connectAs(victim)).rejects.toThrow(/Authorization/);
    await again.close();
  });

  it('is refused by a collector that was away when it was revoked', async () => {
    const connection = await connectAs(victim, { reconnect: false });
    await collector.stop();
    await revokeAgent(database.pool, victim.name);
    collector = await startTestCollector(database.url, nats.url);
    await connection.closed();
    await expect(connectAs(victim)).rejects.toThrow(/Authorization/);
  });
});
