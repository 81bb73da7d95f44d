import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { floorMinute } from '../../core/minute.ts';
import { createApiKey } from '../../db/api-keys.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { openAgentScene, type AgentScene } from '../support/agent-scene.ts';
import { eventually } from '../support/eventually.ts';
import { parseExposition, valueOf, type Family } from '../support/exposition.ts';
import { startNats, type TestNats } from '../support/nats.ts';
import { startSourceProgram, type SourceProgram } from '../support/source-program.ts';
import { createAgent, testIdentityDir } from '../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../support/wire-agent.ts';

/** One program's figures as docs/metrics.md describes them. */
type Documented = Map<string, { type: string; labels: string[] }>;

const docs = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');

function documented(program: string): Documented {
  const [, section = ''] = docs.split(`\n## ${program}\n`);
  const rows = (section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)` *\| (\w+) *\| ([^|]*) \|/gm);
  return new Map(
    [...rows].map(([, name = '', type = '', labels = '']) => [
      name,
      { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label) },
    ]),
  );
}

async function scrape(address: string): Promise<Map<string, Family>> {
  const response = await fetch(`http://${address}/metrics`);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return parseExposition(await response.text());
}

/** What is shown is documented, and the other way round, and each series has the documented labels. */
function expectAsDocumented(families: Map<string, Family>, program: string): void {
  const own = [...families].filter(([name]) => !/^(process|nodejs)_/.test(name));
  const expected = documented(program);
  expect(new Map(own.map(([name, { type }]) => [name, type]))).toEqual(
    new Map([...expected].map(([name, { type }]) => [name, type])),
  );
  for (const [name, { samples }] of own)
    for (const { labels } of samples) {
      const given = Object.keys(labels).filter((label) => label !== 'le');
      expect([name, given.sort()]).toEqual([name, [...(expected.get(name)?.labels ?? [])].sort()]);
    }
  expect([...families.keys()]).toContain('nodejs_eventloop_lag_p99_seconds');
  expect(valueOf(families, 'process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
}

describe('an agent', () => {
  let scene: AgentScene;
  beforeAll(async () => {
    scene = await openAgentScene();
  });
  afterAll(() => scene.end());

  it('shows what it measures, keeps and delivers, and counts what the collector would not have', async () => {
    const { collector } = scene;
    collector.options.answer = ({ monitorId }) =>
      monitorId === 1 ? { answer: 'dropped', reason: 'deleted' } : { answer: 'stored', reason: null };
    await scene.bucket.publish(scene.definitions(40), 1);
    const unreadable = { monitorId: 41, versions: [{ revision: 1, fromMinute: 0, cron: null, probe: null }] };
    await scene.bucket.putSigned('m.41', JSON.stringify({ v: 2, epoch: 'epoch-1', monitorId: 41, revision: 1 }));
    await scene.bucket.putManifest([...scene.definitions(40), unreadable], 1);
    const agent = scene.startAgent({ more: { HEALTH_LISTEN: '127.0.0.1:0' } });
    const served = await eventually('the address', 30_000, () =>
      agent.log.find(({ msg }) => msg === 'health is served'),
    );
    const look = () => scrape(String(served.address));
    expectAsDocumented(await look(), 'agent');
    let figures = await eventually('a minute of results', 90_000, async () => {
      const now = await look();
      return valueOf(now, 'farwatch_agent_rows_dropped_total', { reason: 'deleted' }) > 0 &&
        collector.results.length >= 40
        ? now
        : null;
    });
    expectAsDocumented(figures, 'agent');
    expect(valueOf(figures, 'farwatch_agent_monitors')).toBe(41);
    expect(valueOf(figures, 'farwatch_agent_monitors_assigned')).toBe(41);
    expect(valueOf(figures, 'farwatch_agent_definitions_unreadable')).toBe(1);
    const unread = collector.results.filter(({ monitorId }) => monitorId === 41);
    expect(unread.at(0)).toMatchObject({ status: 'UNKNOWN', error: 'unsupported: form 2 is not known' });
    await eventually('the word of the unreadable definition', 30_000, () =>
      collector.statuses.at(-1)?.problems.join().includes('definition of monitor 41 cannot be run: form 2'),
    );
    expect(valueOf(figures, 'farwatch_agent_stream_connected')).toBe(1);
    expect(valueOf(figures, 'farwatch_agent_definitions_generation')).toBe(1);
    // Nothing is measured between the last result and the next minute: what was shown is what was sent.
    await eventually('an empty spool', 30_000, async () => {
      figures = await look();
      return valueOf(figures, 'farwatch_agent_spool_results') === 0;
    });
    const kept = collector.results.length;
    const dropped = valueOf(figures, 'farwatch_agent_rows_dropped_total');
    expect(valueOf(figures, 'farwatch_agent_rows_answered_total', { answer: 'acknowledged' })).toBeGreaterThanOrEqual(
      Math.min(kept, 40) + dropped,
    );
    const checks = valueOf(figures, 'farwatch_agent_checks_started_total');
    expect(valueOf(figures, 'farwatch_agent_check_lateness_seconds_count')).toBe(checks);
    expect(valueOf(figures, 'farwatch_agent_stream_round_trip_seconds_count')).toBeGreaterThan(0);
    expect(valueOf(figures, 'farwatch_agent_spool_dropped_results_total')).toBe(0);
    collector.isSilent = true;
    await eventually('a spool that fills', 90_000, async () => {
      figures = await look();
      return (
        valueOf(figures, 'farwatch_agent_spool_results') > 0 && valueOf(figures, 'farwatch_agent_batches_in_flight') > 0
      );
    });
  }, 240_000);
});

describe('a collector', () => {
  let database: TestDatabase;
  let nats: TestNats;
  let collector: SourceProgram;
  let agent: WireAgent;
  beforeAll(async () => {
    [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
    const created = await createAgent(database.pool, 'eu-1', 'eu');
    if ('problem' in created) throw new Error(created.problem);
    collector = startSourceProgram('collector', {
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      FARWATCH_IDENTITY_DIR: testIdentityDir,
      COLLECTOR_LISTEN: '127.0.0.1:0',
    });
    agent = await connectWireAgent({ address: await collector.logged('address'), token: created.token, region: 'eu' });
  });
  afterAll(async () => {
    await agent.close();
    await collector.stop();
    await nats.stop();
    await database.drop();
  });

  const look = async () => scrape(await collector.logged('healthAddress'));
  const row = (monitorId: number) => ({
    ...{ monitorId, minute: floorMinute(Date.now() / 1000), revision: 1, latencyUs: 5, error: null, packets: null },
    ...({ status: 'UP', cause: 'NONE', origin: 'REALTIME' } as const),
  });

  it('shows what it takes and stores, and counts each row it would not have by its reason', async () => {
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
       values ('m', 'm', 'ACTIVE', 'API', 'NO', 'NO') returning id`,
    );
    await database.pool.query(`update monitor_versions set from_minute = 'epoch'`);
    const id = rows[0]?.id ?? 0;
    const before = await look();
    expectAsDocumented(before, 'collector');
    expect(valueOf(before, 'farwatch_collector_streams', { region: 'eu' })).toBe(1);
    await agent.send([row(id), row(4711), row(4712)]);
    await agent.send([row(id)]);
    await agent.send([{ ...row(id), minute: 60 }], 'another database');
    await agent.absences([{ from: 120, to: 60 }]);
    const after = await look();
    expectAsDocumented(after, 'collector');
    const counted = (answer: string, reason: string): number =>
      valueOf(after, 'farwatch_collector_rows_total', { answer, reason });
    expect(counted('stored', '')).toBe(1);
    expect(counted('duplicate', '')).toBe(1);
    expect(counted('dropped', 'unknown monitor')).toBe(2);
    expect(counted('dropped', 'epoch')).toBe(1);
    expect(counted('dropped', 'invalid')).toBe(1);
    expect(valueOf(after, 'farwatch_collector_batch_rows_sum')).toBe(5);
    expect(valueOf(after, 'farwatch_collector_commit_seconds_count')).toBe(2);
    expect(valueOf(after, 'farwatch_collector_write_rows_sum')).toBe(2);
    expect(valueOf(after, 'farwatch_collector_coalescer_rows')).toBe(0);
    expect(valueOf(after, 'farwatch_collector_coalescer_capacity_rows')).toBeGreaterThan(0);
  });

  it('shows rows that wait in memory, and writes that fail', async () => {
    const client = await database.pool.connect();
    await client.query('begin; lock table check_results in access exclusive mode');
    const answers = agent.send([row(1), row(1)]);
    await eventually('rows in memory', 20_000, async () => {
      const figures = await look();
      return (
        valueOf(figures, 'farwatch_collector_coalescer_rows') === 2 &&
        valueOf(figures, 'farwatch_collector_batches_in_flight') === 1 &&
        valueOf(figures, 'farwatch_collector_pool_connections', { pool: 'writers', state: 'busy' }) === 1
      );
    });
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where application_name = 'farwatch-collector-writers' and datname = current_database()`,
    );
    await client.query('commit');
    client.release();
    await answers;
    expect(valueOf(await look(), 'farwatch_collector_write_failures_total')).toBe(1);
  });

  it('shows what became of the minutes that were due', async () => {
    await database.pool.query(
      `insert into minute_books select id, now() - interval '1 hour', 10, 6, 1, 2, 1, now() from regions`,
    );
    // The books are read once a minute.
    const figures = await eventually('the books', 90_000, async () => {
      const now = await look();
      return valueOf(now, 'farwatch_collector_minutes_due', { region: 'eu' }) >= 10 ? now : null;
    });
    expect(valueOf(figures, 'farwatch_collector_minutes_known', { region: 'eu' })).toBe(6);
    expect(valueOf(figures, 'farwatch_collector_minutes_missing', { region: 'eu' })).toBeGreaterThanOrEqual(1);
    expect(valueOf(figures, 'farwatch_collector_job_seconds_count', { job: 'minute books' })).toBeGreaterThan(0);
    expectAsDocumented(figures, 'collector');
  });

  it('says 404 to anything else', async () => {
    const address = await collector.logged('healthAddress');
    for (const path of ['/', '/metrics/', '/metrics?x=1'])
      expect((await fetch(`http://${address}${path}`)).status).toBe(404);
  });
});

describe('the api', () => {
  let database: TestDatabase;
  let api: SourceProgram;
  beforeAll(async () => {
    database = await createTestDatabase();
    api = startSourceProgram('api', { DATABASE_URL: database.url, API_LISTEN: '127.0.0.1:0' });
  });
  afterAll(async () => {
    await api.stop();
    await database.drop();
  });
  const look = async () => scrape(await api.logged('healthAddress'));

  it('counts requests by route, method and status, whatever clients make of their paths', async () => {
    const created = await createApiKey(database.pool, 'test');
    const base = `http://${await api.logged('address')}`;
    const ask = (path: string, method = 'GET', key = created?.key) =>
      fetch(base + path, { method, headers: { authorization: `Bearer ${key}` } }).then((response) => response.text());
    expectAsDocumented(await look(), 'api');
    for (const tag of ['a', 'b', 'c']) await ask(`/api/v4/monitors/${tag}`);
    await ask('/api/v4/monitors');
    await ask('/api/v4/monitors', 'GET', 'wrong');
    await ask('/api/v4/monitors', 'PUT');
    for (const path of ['/x/1', '/x/2', '/x/3']) await ask(path);
    await ask('/api/v4/monitors', 'PROPFIND');
    const figures = await eventually('all requests', 20_000, async () => {
      const now = await look();
      return valueOf(now, 'farwatch_api_requests_total') >= 10 ? now : null;
    });
    expectAsDocumented(figures, 'api');
    const counted = (labels: Record<string, string>): number => valueOf(figures, 'farwatch_api_requests_total', labels);
    expect(counted({ route: '/api/v4/monitors/{tag}', method: 'GET', status: '404' })).toBe(3);
    expect(counted({ route: '/api/v4/monitors', method: 'GET', status: '200' })).toBe(1);
    expect(counted({ route: '/api/v4/monitors', method: 'GET', status: '401' })).toBe(1);
    expect(counted({ method: 'PUT', status: '405' })).toBe(1);
    expect(counted({ method: 'other' })).toBe(1);
    expect(valueOf(figures, 'farwatch_api_request_seconds_count')).toBe(
      valueOf(figures, 'farwatch_api_requests_total'),
    );
    expect(valueOf(figures, 'farwatch_api_requests_running')).toBe(0);
    const routes = new Set(figures.get('farwatch_api_requests_total')?.samples.map(({ labels }) => labels.route));
    expect([...routes].some((route) => route?.startsWith('/x'))).toBe(false);
  });

  it('does not show its figures where the public asks', async () => {
    expect((await fetch(`http://${await api.logged('address')}/metrics`)).status).toBe(404);
  });
});
