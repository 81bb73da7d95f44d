import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { createUser } from '@nats-io/nkeys';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enrolAgent } from '../../../../agent/identity/enrol.ts';
import { readIdentityFile } from '../../../../agent/identity/identity-file.ts';
import { createLiveIdentity } from '../../../../agent/identity/renewal.ts';
import type { Invitation } from '../../../../core/invitation.ts';
import { revokeAgent } from '../../../../db/agents.ts';
import { createAuthority, createKey, openAuthority, requestCertificate } from '../../../../identity/certificates.ts';
import { openAgentStream } from '../../../../proto/agent-stream.ts';
import { enrol, renew } from '../../../../proto/enrolment.ts';
import { COLLECTOR_NAME } from '../../../../proto/server-names.ts';
import { collectorService } from '../../../../proto/wire.ts';
import { createLogger } from '../../../../runtime/logger.ts';
import { startTestCollector, type TestCollector } from '../../../support/collector.ts';
import { startCountingCollector } from '../../../support/counting-collector.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { inviteAgent, tlsOfIdentity } from '../../../support/enrolled-agent.ts';
import { eventually } from '../../../support/eventually.ts';
import { tcpResult } from '../../../support/check-results.ts';
import { startNats, type TestNats } from '../../../support/nats.ts';
import { issueAgentTls, testAgentTls, testAuthority, testServerTls } from '../../../support/test-identity.ts';
import { connectWireAgentBy } from '../../../support/wire-agent.ts';

let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let folder: string;

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  collector = await startTestCollector(database.url, nats.url);
  folder = mkdtempSync(join(tmpdir(), 'farwatch-enrol-'));
});
afterAll(async () => {
  await collector.stop();
  await nats.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
});

let count = 0;
const freshPath = (): string => join(folder, `agent-${(count += 1)}.json`);

const invite = (region = 'eu', lifetimeSeconds = 60): Promise<Invitation> =>
  inviteAgent(database.pool, collector.address, region, lifetimeSeconds);

describe('an invitation', () => {
  it('makes a host an agent, which is welcomed as what it was invited to be', async () => {
    const path = freshPath();
    const identity = await enrolAgent(await invite('eu'), path);
    expect(await readIdentityFile(path)).toEqual(identity);
    const agent = await connectWireAgentBy(tlsOfIdentity(identity), { address: collector.address, region: 'eu' });
    expect(agent.welcome.agentId).toBe(identity.agentId);
    await agent.close();
  });

  it('serves one agent only', async () => {
    const invitation = await invite();
    await enrolAgent(invitation, freshPath());
    await expect(enrolAgent(invitation, freshPath())).rejects.toMatchObject({
      ...{ code: 'PERMISSION_DENIED', message: 'the invitation has been used' },
    });
  });

  it('serves once more whoever lost the answer', async () => {
    const invitation = await invite();
    const key = await createKey();
    const request = {
      secret: invitation.secret,
      certificateRequest: await requestCertificate(key),
      natsUser: createUser().getPublicKey(),
    };
    const first = await enrol(collector.address, testAuthority.certificate, request);
    const second = await enrol(collector.address, testAuthority.certificate, request);
    expect(second.agentId).toBe(first.agentId);
    const other = { ...request, certificateRequest: await requestCertificate(await createKey()) };
    await expect(enrol(collector.address, testAuthority.certificate, other)).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });

  it('ends', async () => {
    const invitation = await invite('eu', 0);
    await expect(enrolAgent(invitation, freshPath())).rejects.toMatchObject({
      ...{ code: 'PERMISSION_DENIED', message: 'the invitation is unknown or has expired' },
    });
  });

  it('is not shown to a server of another authority', async () => {
    const other = await openAuthority(await createAuthority());
    const impostor = { ...(await other.issueServer(COLLECTOR_NAME, 60_000)), authority: other.certificate };
    const served = await startCountingCollector({}, 0, impostor);
    const invitation = { ...(await invite()), collector: served.address };
    await expect(enrolAgent(invitation, freshPath())).rejects.toThrow(/not one of the authority/);
    // Nor to one that shows the true authority's certificate behind its own.
    const copy = { ...impostor, certificate: `${impostor.certificate}\n${testAuthority.certificate}` };
    const copied = await startCountingCollector({}, 0, copy);
    const second = { ...invitation, collector: copied.address };
    await expect(enrolAgent(second, freshPath())).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    await Promise.all([served.stop(), copied.stop()]);
  });

  it('is not taken together with what is no certificate request', async () => {
    const { secret } = await invite();
    const natsUser = createUser().getPublicKey();
    for (const certificateRequest of [
      '',
      'x',
      '-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n-----END CERTIFICATE REQUEST-----',
    ])
      await expect(
        enrol(collector.address, testAuthority.certificate, { secret, certificateRequest, natsUser }),
      ).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });
});

describe('a connection', () => {
  const open = async (tls: typeof testAgentTls): Promise<unknown> => {
    const stream = openAgentStream({ address: collector.address, tls });
    try {
      await stream.messages[Symbol.asyncIterator]().next();
    } catch (error) {
      return error;
    } finally {
      await stream.close();
    }
    return undefined;
  };

  it('without a certificate reaches nothing but enrolment', async () => {
    expect(await open({ ...testAgentTls, own: null })).toMatchObject({ code: 'UNIMPLEMENTED' });
  });

  it('with a certificate of another authority, of a server, or whose time is over is ended', async () => {
    const other = await openAuthority(await createAuthority());
    const foreign = await issueAgentTls(1, 60_000, other);
    const late = await issueAgentTls(1, -1000);
    const server = { certificate: testServerTls.certificate, key: testServerTls.key };
    for (const own of [foreign.tls.own, late.tls.own, server])
      expect(await open({ ...testAgentTls, own })).toMatchObject({ code: 'UNAVAILABLE' });
  });

  it('with TLS 1.2 is refused', async () => {
    const [host = '', port] = collector.address.split(':');
    const socket = connectTls({ host, port: Number(port), maxVersion: 'TLSv1.2', rejectUnauthorized: false });
    const error = await new Promise((resolve) => socket.once('error', resolve));
    expect(error).toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
  });

  it('in plain text is refused', async () => {
    const client = new Client(collector.address, credentials.createInsecure());
    const { path, requestSerialize, responseDeserialize } = collectorService().Stream;
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, new Metadata());
    const error = await new Promise((resolve) => call.on('error', resolve));
    expect(error).toMatchObject({ code: 14 });
    client.close();
  });
});

describe('an agent', () => {
  it('is told who it is by its certificate, whatever it says', async () => {
    const [first, second] = [
      await enrolAgent(await invite('eu'), freshPath()),
      await enrolAgent(await invite('us'), freshPath()),
    ];
    await expect(
      connectWireAgentBy(tlsOfIdentity(second), { address: collector.address, region: 'eu' }),
    ).rejects.toMatchObject({ code: 'FAILED_PRECONDITION' });
    expect(second.agentId).not.toBe(first.agentId);
  });

  it('cannot have results stored for another region or another agent, whatever the key was stolen from', async () => {
    const [thief, victim] = [
      await enrolAgent(await invite('eu'), freshPath()),
      await enrolAgent(await invite('us'), freshPath()),
    ];
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
       values ('stolen', 'stolen', 'ACTIVE', 'TCP', $1, 'NO', 'NO') returning id`,
      [JSON.stringify({ hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }] })],
    );
    const monitorId = rows[0]?.id ?? 0;
    await database.pool.query(
      `update monitor_versions set from_minute = from_minute - interval '1 day' where monitor_id = $1`,
      [monitorId],
    );
    const agent = await connectWireAgentBy(tlsOfIdentity(thief), { address: collector.address, region: 'eu' });
    const minute = Math.floor(Date.now() / 60_000) * 60 - 60;
    await agent.send([tcpResult(monitorId, { minute })]);
    await agent.close();
    const stored = await database.pool.query<{ agent: number; region: string }>(
      `select agent_id as agent, regions.name as region from check_results join regions on regions.id = region_id
       where monitor_id = $1`,
      [monitorId],
    );
    expect(stored.rows).toEqual([{ agent: thief.agentId, region: 'eu' }]);
    expect(victim.agentId).not.toBe(thief.agentId);
  });

  it('that is revoked loses its stream within five seconds, and does not come back, to a new collector either', async () => {
    const identity = await enrolAgent(await invite(), freshPath());
    const agent = await connectWireAgentBy(tlsOfIdentity(identity), { address: collector.address, region: 'eu' });
    const begun = performance.now();
    await revokeAgent(database.pool, identity.name);
    expect(await agent.ended).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(performance.now() - begun).toBeLessThan(5000);
    await agent.close();
    const next = await startTestCollector(database.url, nats.url);
    for (const { address } of [collector, next])
      await expect(connectWireAgentBy(tlsOfIdentity(identity), { address, region: 'eu' })).rejects.toMatchObject({
        code: 'UNAUTHENTICATED',
      });
    await next.stop();
  });

  it('is given credentials for its own key only', async () => {
    const identity = await enrolAgent(await invite(), freshPath());
    const certificateRequest = await requestCertificate(await createKey());
    await expect(renew(collector.address, tlsOfIdentity(identity), { certificateRequest })).rejects.toMatchObject({
      ...{ code: 'INVALID_ARGUMENT', message: 'the request is for another key' },
    });
    const stranger = await issueAgentTls(identity.agentId);
    const own = await requestCertificate(stranger.tls.own?.key ?? '');
    await expect(renew(collector.address, stranger.tls, { certificateRequest: own })).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
  });

  it('renews its credentials by itself, connects with the new ones, and can no longer once it is revoked', async () => {
    const shortLived = await startTestCollector(database.url, nats.url, 6000);
    const path = freshPath();
    const invitation = { ...(await invite()), collector: shortLived.address };
    const identity = await enrolAgent(invitation, path);
    const end = new AbortController();
    const logger = createLogger('agent', 'silent');
    const live = createLiveIdentity({ identity, path, collector: shortLived.address, logger });
    const keeping = live.keep(end.signal);
    const old = await connectWireAgentBy(tlsOfIdentity(identity), { address: shortLived.address, region: 'eu' });
    await eventually('new credentials', 20_000, () => live.current().certificate !== identity.certificate);
    // A stream does not outlive the certificate that it was opened with.
    expect(await old.ended).toMatchObject({ code: 'UNAVAILABLE' });
    expect(await readIdentityFile(path)).toMatchObject({ agentId: identity.agentId, key: identity.key });
    const agent = await connectWireAgentBy(live.tls(), { address: shortLived.address, region: 'eu' });
    expect(agent.welcome.agentId).toBe(identity.agentId);
    await Promise.all([old.close(), agent.close()]);
    await revokeAgent(database.pool, identity.name);
    await eventually('a renewal that is refused', 20_000, () => live.problem()?.includes('revoked'));
    end.abort();
    await keeping;
    await shortLived.stop();
  });

  it('puts renewed credentials on the disk as soon as that takes them again', async () => {
    const shortLived = await startTestCollector(database.url, nats.url, 6000);
    const home = mkdtempSync(join(folder, 'home-'));
    const path = join(home, 'identity.json');
    const identity = await enrolAgent({ ...(await invite()), collector: shortLived.address }, path);
    await shortLived.stop();
    const end = new AbortController();
    // What this collector gives is not renewed for months.
    const live = createLiveIdentity({
      ...{ identity, path, collector: collector.address },
      logger: createLogger('agent', 'silent'),
    });
    renameSync(home, `${home}.gone`);
    const keeping = live.keep(end.signal);
    await eventually('credentials that are not kept', 20_000, () => live.problem()?.includes('cannot be kept: ENOENT'));
    renameSync(`${home}.gone`, home);
    await eventually('the problem to end', 20_000, () => live.problem() === null);
    expect(live.current().certificate).not.toBe(identity.certificate);
    expect(await readIdentityFile(path)).toEqual(live.current());
    end.abort();
    await keeping;
  });
});
