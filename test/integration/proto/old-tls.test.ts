import type { NatsConnection } from '@nats-io/transport-node';
import { createUser } from '@nats-io/nkeys';
import { afterEach, describe, expect, it } from 'vitest';
import { runBus } from '../../../agent/bus.ts';
import { connectNats } from '../../../collector/nats.ts';
import { fingerprintOf } from '../../../identity/fingerprint.ts';
import { openAgentStream } from '../../../proto/agent-stream.ts';
import { enrol, fetchAuthority } from '../../../proto/enrolment.ts';
import { natsAccess } from '../../../proto/nats-access.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { eventually } from '../../support/eventually.ts';
import { testAgentTls, testAuthority } from '../../support/test-identity.ts';
import { startCollectorFront, startNatsFront, type TlsFront } from '../../support/tls-front.ts';

const LIMIT_MS = 20_000;
const logger = createLogger('agent', 'silent');

let front: TlsFront;
afterEach(() => front.close());

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a server of the authority that speaks %s only', (version) => {
  const isNew = version === 'TLSv1.3';

  it(`is ${isNew ? 'called' : 'refused'} by an agent where collectors are`, async () => {
    front = await startCollectorFront(version);
    const code = isNew ? 'UNIMPLEMENTED' : 'UNAVAILABLE';
    const stream = openAgentStream({ address: front.address, tls: testAgentTls });
    await expect(stream.messages[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code });
    await stream.close();
    const request = { secret: '', certificateRequest: '', natsUser: '' };
    await expect(enrol(front.address, testAuthority.certificate, request)).rejects.toMatchObject({ code });
    const fetched = fetchAuthority(front.address, fingerprintOf(testAuthority.certificate));
    if (isNew) expect(await fetched).toContain('BEGIN CERTIFICATE');
    else await expect(fetched).rejects.toMatchObject({ code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' });
    expect(front.begun).toBeGreaterThanOrEqual(3);
    expect(front.secured > 0).toBe(isNew);
  });

  it(`is ${isNew ? 'logged in to' : 'refused'} by agents and collectors where NATS is`, async () => {
    front = await startNatsFront(version);
    const url = `tls://${front.address}`;
    const access = natsAccess(url, testAuthority.certificate, { jwt: () => '', seed: createUser().getSeed() });
    const end = new AbortController();
    const found: string[] = [];
    let refusals = 0;
    const user = {
      follow: async (connection: NatsConnection) => void (found.push('agent'), await connection.closed()),
      away: () => void (refusals += 1),
    };
    const agent = runBus({ natsUrl: url, region: 'eu', credentials: access, logger }, [user], end.signal);
    const collector = connectNats({ url, access }, logger, end.signal).then(
      (connection) => (found.push('collector'), connection.close()),
      () => undefined,
    );
    // Each has tried twice, or is there.
    await eventually('their tries', LIMIT_MS, () => (isNew ? found.length === 2 : refusals >= 2 && front.begun >= 4));
    end.abort();
    await Promise.all([agent, collector]);
    expect(found.sort()).toEqual(isNew ? ['agent', 'collector'] : []);
    expect(front.secured > 0).toBe(isNew);
  });
});
