import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readManifest, watchBucket } from '../../../../agent/bucket-watch.ts';
import { enrolAgent } from '../../../../agent/identity/enrol.ts';
import { readIdentityFile, type AgentIdentity } from '../../../../agent/identity/identity-file.ts';
import { createLiveIdentity } from '../../../../agent/identity/renewal.ts';
import { revokeAgent } from '../../../../db/agents.ts';
import { createAuthority, openAuthority } from '../../../../identity/certificates.ts';
import { openNatsAuthority } from '../../../../identity/nats-accounts.ts';
import { inboxPrefixOf, subjectOfRequest } from '../../../../proto/definition-requests.ts';
import { natsAccess } from '../../../../proto/nats-access.ts';
import { createLogger } from '../../../../runtime/logger.ts';
import { startTestCollector, type TestCollector } from '../../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { connectAs, enrolTestAgent, inviteAgent } from '../../../support/enrolled-agent.ts';
import { eventually } from '../../../support/eventually.ts';
import { FORBIDDEN_TO_HEAR, FORBIDDEN_TO_SAY } from '../../../support/forbidden-subjects.ts';
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
    const seen: string[] = [];
    const entries = await watchBucket(connection, 'eu', eu.agentId);
    void (async () => {
      for await (const { key } of entries) seen.push(key);
    })();
    await eventually('the definitions', LIMIT_MS, () => seen.includes('m.1') && seen.includes('manifest'));
    expect(await readManifest(connection, 'eu', eu.agentId)).toContain('"count":1');
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
  const agents = () => ({ eu: eu.agentId, neighbour: neighbour.agentId, us: us.agentId });

  it.each(FORBIDDEN_TO_SAY)('may not %s', async (_what, subjectOf) => {
    const { connection, refusals } = await thief();
    const subject = subjectOf(agents());
    connection.publish(subject, '{}', { reply: `${inboxPrefixOf(eu.agentId)}.answer` });
    await connection.flush();
    await eventually('a refusal', LIMIT_MS, () => refusals.some((text) => text.includes(`"${subject}"`)));
  });

  it.each(FORBIDDEN_TO_HEAR)('may not listen to %s', async (_what, subjectOf) => {
    const { connection, refusals } = await thief();
    connection.subscribe(subjectOf(agents()), { callback: () => undefined });
    await connection.flush();
    await eventually('a refusal', LIMIT_MS, () => refusals.some((text) => text.includes(`"${subjectOf(agents())}"`)));
  });

  it('cannot have anything written but into its own inboxes, whatever it asks for', async () => {
    const { connection } = await thief();
    const before = await Promise.all([lastSequence(euOwner, 'eu'), lastSequence(usOwner, 'us')]);
    const heard: string[] = [];
    for (const owner of [euOwner, usOwner])
      owner.subscribe('>', { callback: (_, { subject }) => void heard.push(subject) });
    const foreign = [
      ...['$KV.eu.m.1', '$KV.us.m.1', '$JS.API.STREAM.PURGE.KV_eu', '$JS.API.STREAM.DELETE.KV_us'],
      ...['$JS.API.CONSUMER.CREATE.KV_eu.x.$KV.eu.>', `${inboxPrefixOf(neighbour.agentId)}.x`],
      ...[`${inboxPrefixOf(eu.agentId)}.>`, `${inboxPrefixOf(eu.agentId)}.*`, inboxPrefixOf(eu.agentId)],
    ];
    for (const reply of foreign) {
      for (const what of ['watch', 'manifest', 'other'] as const) {
        connection.publish(subjectOfRequest('eu', eu.agentId, what as 'watch'), 'w', { reply });
        connection.publish(`farwatch.members.eu.${eu.agentId}`, 'w', { reply });
        connection.publish(`$JS.FC.KV_eu.agent-${eu.agentId}.x`, 'w', { reply });
      }
    }
    // What is chosen for a watch is part of a subject, too.
    for (const watch of ['', '>', '*', 'x.>', 'x.$KV.eu.m.1', 'x y', 'x\r\n', 'x'.repeat(37)])
      await expect(watchAs(connection, watch)).rejects.toThrow('no such watch');
    // Everything that was sent has been done when the last request is answered.
    await watchAs(connection, 'w');
    expect(heard.filter((subject) => foreign.includes(subject))).toEqual([]);
    expect(await Promise.all([lastSequence(euOwner, 'eu'), lastSequence(usOwner, 'us')])).toEqual(before);
  });
});

/** Asks for a watch as nobody does in good faith; rejects with what the collector says. */
async function watchAs(connection: NatsConnection, watch: string): Promise<void> {
  const ask = async (): Promise<{ problem?: string }> =>
    (await connection.request(subjectOfRequest('eu', eu.agentId, 'watch'), watch)).json<{ problem?: string }>();
  const { problem } = await eventually('an answer that is not for haste', LIMIT_MS, async () => {
    const said = await ask();
    return said.problem === 'this is asked too often' ? null : said;
  });
  if (problem !== undefined) throw new Error(problem);
}

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
});

describe('a login whose time is over', () => {
  it('is ended, and the agent comes back with the one that it was given meanwhile', async () => {
    const shortLived = await startTestCollector(database.url, nats.url, 8000);
    const folder = mkdtempSync(join(tmpdir(), 'farwatch-renew-'));
    const path = join(folder, 'identity.json');
    const identity = await enrolAgent(await inviteAgent(database.pool, shortLived.address, 'eu'), path);
    const logger = createLogger('agent', 'silent');
    const live = createLiveIdentity({ identity, path, collector: shortLived.address, logger });
    const end = new AbortController();
    const keeping = live.keep(end.signal);
    const connection = await connect({ servers: nats.url, ...live.natsAccess(nats.url), maxReconnectAttempts: -1 });
    const events: string[] = [];
    void (async () => {
      for await (const { type } of connection.status()) events.push(type);
    })();
    await eventually('the end of the first login, and the next', LIMIT_MS, () => events.includes('reconnect'));
    expect(live.current().nats.jwt).not.toBe(identity.nats.jwt);
    expect((await readIdentityFile(path))?.nats.jwt).toBe(live.current().nats.jwt);
    expect(connection.isClosed()).toBe(false);
    // The server ends a login when its last second begins, and refuses it when that second is over.
    await eventually('the refusal of the first login', LIMIT_MS, () => isRefused(identity));
    end.abort();
    await keeping;
    await connection.close();
    await shortLived.stop();
    rmSync(folder, { recursive: true });
  });
});

async function isRefused(identity: AgentIdentity): Promise<boolean> {
  try {
    await (await connectAs(identity)).close();
    return false;
  } catch (error) {
    expect(String(error)).toMatch(/Authorization|Expired/);
    return true;
  }
}

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
