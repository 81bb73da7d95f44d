import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runBus } from '../../../agent/bus.ts';
import { DefinitionsFollower } from '../../../agent/definitions.ts';
import { inboxPrefixOf } from '../../../proto/definition-requests.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { startProxy, type CuttableProxy } from '../../support/cuttable-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { parseExposition } from '../../support/exposition.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent } from '../../support/test-identity.ts';
import { testDefinitionsKey } from '../../support/test-identity.ts';

const MONITORS = 200;
const CONVERGED_MS = 90_000;

let database: TestDatabase;
let nats: TestNats;
let proxy: CuttableProxy;
let collector: TestCollector;
let port = 1;
const followers: DefinitionsFollower[] = [];
const end = new AbortController();
const buses: Promise<void>[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  proxy = await startProxy(nats.url);
  for (const region of ['eu', 'us']) await createAgent(database.pool, `${region}-1`, region);
  await database.pool.query(`update regions set from_minute = from_minute - interval '1 day'`);
  await add(1, MONITORS);
  collector = await startTestCollector(database.url, nats.url);
  follow('eu', nats.url);
  follow('eu', proxy.url);
  follow('us', nats.url);
  await converged();
});

afterAll(async () => {
  end.abort();
  await Promise.all(buses);
  await collector.stop();
  await proxy.close();
  await nats.stop();
  await database.drop();
});

function follow(region: string, natsUrl: string): void {
  const logger = createLogger('agent', 'silent');
  const agentId = followers.length + 1;
  const times = { patienceMs: 2000, peekMs: 2000 };
  const follower = new DefinitionsFollower({
    ...{ region, agentId, adopted: null, onAdopt: () => undefined, logger },
    definitionsKey: () => testDefinitionsKey,
    ...times,
  });
  followers.push(follower);
  const credentials = { inboxPrefix: inboxPrefixOf(agentId) };
  buses.push(runBus({ natsUrl, region, credentials, logger }, [follower], end.signal));
}

async function add(from: number, to: number): Promise<void> {
  await database.pool.query(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'TCP', $3::jsonb, 'NO', 'NO' from generate_series($1::int, $2::int) as n`,
    [from, to, typeData()],
  );
}

function typeData(): string {
  port += 1;
  return JSON.stringify({ hosts: [{ type: 'IP4', host: '127.0.0.1', port, timeout: 1000 }] });
}

/** Changes one monitor, removes another and adds a third. */
async function edit(): Promise<void> {
  const pick = 1 + (port % (MONITORS / 2));
  await database.pool.query(`update monitors set type_data = $2::jsonb where tag = $1`, [`m${pick}`, typeData()]);
  await database.pool.query(`delete from monitors where tag = $1`, [`m${MONITORS / 2 + pick}`]);
  await add(MONITORS + port, MONITORS + port);
}

/** Waits until every agent goes by what the database says. */
async function converged(): Promise<void> {
  const { rows } = await database.pool.query<{ id: number; revision: number }>('select id, revision from monitors');
  const wanted = textOf(rows.map(({ id, revision }) => [id, revision]));
  const states = (): string[] =>
    followers.map(({ adopted }) =>
      textOf([...(adopted?.definitions.values() ?? [])].map((stored) => [stored.monitorId, stored.revision])),
    );
  const problems = (): string => followers.map((follower) => follower.problems().join()).join(' | ');
  await eventually(
    () =>
      `every agent at the newest: ${states()
        .map((text) => text === wanted)
        .join()} ${problems()}`,
    CONVERGED_MS,
    () => states().every((text) => text === wanted),
  );
}

function textOf(revisions: [number, number][]): string {
  return JSON.stringify(revisions.sort(([a], [b]) => a - b));
}

/** What the collector shows of definitions that it could not read, by region. */
async function unreadable() {
  const figures = parseExposition(await (await fetch(collector.healthUrl.replace('healthz', 'metrics'))).text());
  const samples = figures.get('farwatch_collector_definitions_unreadable')?.samples ?? [];
  return samples.map(({ labels, value }) => `${labels.region}: ${value}`);
}

describe('every agent comes to go by what the database says', () => {
  it('when a monitor is changed, one removed and one added', async () => {
    await edit();
    await converged();
  });

  it('when JetStream loses all its streams, and something is edited meanwhile', async () => {
    const bus = await connect({ servers: nats.url });
    const manager = await jetstreamManager(bus);
    for (const region of ['eu', 'us']) await manager.streams.delete(`KV_${region}`);
    await bus.close();
    await edit();
    await converged();
  });

  it('when the server is killed and something is edited before it is back', async () => {
    await nats.kill9();
    await edit();
    await nats.restart();
    await converged();
  });

  it('when one of them is cut off while something is edited, with its connection open and then without', async () => {
    proxy.freeze();
    await edit();
    await eventually('the others', CONVERGED_MS, () => {
      const generations = followers.map(({ adopted }) => adopted?.manifest.generation ?? 0);
      return (generations[0] ?? 0) > (generations[1] ?? 0);
    });
    await proxy.cut();
    await edit();
    await proxy.mend();
    await converged();
  });

  it('when the collector was away while something was edited', async () => {
    await collector.stop();
    await edit();
    collector = await startTestCollector(database.url, nats.url);
    await converged();
  });

  it('when 10,000 monitors are changed at once', async () => {
    await add(20_000, 29_999);
    await converged();
    await database.pool.query(`update monitors set type_data = $1::jsonb`, [typeData()]);
    await converged();
  }, 240_000);

  it('and what cannot be read stops only itself', async () => {
    const { rows } = await database.pool.query<{ id: number }>(`select min(id) as id from monitors`);
    const id = rows[0]?.id ?? 0;
    await database.pool.query(`update monitors set type_data = '{"hosts": "none"}' where id = $1`, [id]);
    await eventually('the others go on without it', CONVERGED_MS, () =>
      followers.every(({ adopted }) => adopted?.definitions.get(id)?.definition?.versions.at(-1)?.probe === null),
    );
    await edit();
    await converged();
    expect(await unreadable()).toEqual(['eu: 1', 'us: 1']);
    const health = await fetch(collector.healthUrl);
    expect([health.status, await health.json()]).toMatchObject([
      200,
      {
        status: 'ok',
        notes: ['eu', 'us'].map((region) => `definitions in the database that cannot be read: 1 of region ${region}`),
      },
    ]);
    await database.pool.query(`delete from monitors where id = $1`, [id]);
    await converged();
    expect(await unreadable()).toEqual(['eu: 0', 'us: 0']);
    expect(collector.failures).toEqual([]);
  });
});
