import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stateOf } from '../../../../collector/agent-state.ts';
import { recordAgentReports } from '../../../../db/agent-reports.ts';
import { createAgent, revokeAgent } from '../../../../db/agents.ts';
import { agentStatus } from '../../../support/agent-status.ts';
import { startApi, type TestApi } from '../../../support/api-server.ts';
import { stopClock } from '../../../support/monitoring-fixture.ts';

const NOW = Math.floor(Date.now() / 60_000) * 60;

let test: TestApi;
let setClock: (at: number) => Promise<void>;
const ids: number[] = [];
beforeAll(async () => {
  test = await startApi();
  setClock = await stopClock(test.database.pool, NOW);
  for (const [name, region] of [
    ['eu-1', 'eu'],
    ['eu-2', 'eu'],
    ['us-1', 'us'],
  ] as const) {
    const created = await createAgent(test.database.pool, name, region);
    if ('problem' in created) throw new Error(created.problem);
    ids.push(created.agent.id);
  }
});
afterAll(() => test.stop());

async function list(): Promise<Record<string, unknown>[]> {
  const answer = await test.api.get('/api/v4/agents');
  expect(answer.status, answer.text).toBe(200);
  // Held against the document by the client.
  return (answer.body as { agents: Record<string, unknown>[] }).agents;
}

const report = (agentId: number, given: Parameters<typeof agentStatus>[0] = {}): Promise<void> =>
  recordAgentReports(test.database.pool, [
    {
      agentId,
      version: '1.2.3',
      state: stateOf(agentStatus(given), { capabilities: ['PING', 'TCP'], certificateExpires: NOW + 3600 }),
    },
  ]);

describe('GET /agents', () => {
  it('lists agents that were never heard with what is known of them', async () => {
    expect(await list()).toMatchObject([
      {
        id: ids[0],
        name: 'eu-1',
        region: 'eu',
        version: null,
        capabilities: [],
        revoked_at: null,
        certificate_expires_at: null,
        last_seen: null,
        connected: false,
        clock_offset_ms: null,
        monitors: null,
        spool: null,
        unknown_last_hour: {},
        problems: [],
      },
      { name: 'eu-2' },
      { name: 'us-1', region: 'us' },
    ]);
  });

  it('shows until when the certificate is good that an agent was given, before it has shown one', async () => {
    const until = new Date((NOW + 86_400) * 1000);
    await test.database.pool.query('update agents set credentials_until = $1 where id = $2', [until, ids[0]]);
    expect((await list())[0]).toMatchObject({ certificate_expires_at: until.toISOString() });
  });

  it('shows what an agent says of itself, and how old the oldest result of its spool is', async () => {
    await report(ids[0] ?? 0, {
      definitions: 9,
      assigned: 4,
      clockKnown: 1,
      clockOffsetUs: -2_500_250,
      spoolRecords: 120,
      spoolBytes: 4096,
      oldestMinute: NOW / 60 - 3,
      unknownLastHour: [
        { name: 'stalled', value: 3 },
        { name: 'policy', value: 1 },
      ],
      problems: ['PING needs raw sockets'],
    });
    await setClock(NOW + 20);
    expect((await list())[0]).toMatchObject({
      version: '1.2.3',
      capabilities: ['PING', 'TCP'],
      last_seen: new Date(NOW * 1000).toISOString(),
      connected: true,
      certificate_expires_at: new Date((NOW + 3600) * 1000).toISOString(),
      clock_offset_ms: -2500.25,
      monitors: 4,
      spool: { results: 120, bytes: 4096, oldest_ts: NOW - 180, age_seconds: 200 },
      unknown_last_hour: { stalled: 3, policy: 1 },
      problems: ['PING needs raw sockets'],
    });
    await setClock(NOW + 31);
    expect((await list())[0]).toMatchObject({ connected: false, version: '1.2.3' });
  });

  it('shows an empty spool and an unknown clock as such', async () => {
    await report(ids[1] ?? 0);
    expect((await list())[1]).toMatchObject({
      clock_offset_ms: null,
      spool: { results: 0, bytes: 0, oldest_ts: null, age_seconds: 0 },
    });
  });

  it('keeps what the agent said when it is only heard again', async () => {
    await report(ids[0] ?? 0, { assigned: 5 });
    await recordAgentReports(test.database.pool, [{ agentId: ids[0] ?? 0, version: '1.2.4', state: null }]);
    expect((await list())[0]).toMatchObject({ version: '1.2.4', monitors: 5 });
  });

  it('takes what a broken agent says only as far as it can be stored', async () => {
    await report(ids[2] ?? 0, {
      spoolBytes: 2 ** 64,
      problems: ['a\0b', 'c\ud800', 'x'.repeat(10_000), ...Array.from({ length: 100 }, () => 'more')],
      unknownLastHour: Array.from({ length: 1000 }, (_, value) => ({ name: `r\0${value}`, value })),
    });
    const [, , agent] = await list();
    expect(agent).toMatchObject({ spool: { bytes: Number.MAX_SAFE_INTEGER } });
    const problems = agent?.problems as string[];
    expect(problems.slice(0, 2)).toEqual(['a\ufffdb', 'c\ufffd']);
    expect([problems.length, problems[2]?.length]).toEqual([20, 500]);
    expect(Object.keys(agent?.unknown_last_hour as object)).toHaveLength(200);
  });

  it('reads what another version has written as nothing', async () => {
    await test.database.pool.query(`update agents set status = '{"definitions": 3}' where id = $1`, [ids[2]]);
    expect((await list())[2]).toMatchObject({ spool: null, monitors: null });
  });

  it('shows revoked agents, which are never connected', async () => {
    await report(ids[2] ?? 0);
    await revokeAgent(test.database.pool, 'us-1');
    expect((await list())[2]).toMatchObject({ connected: false, revoked_at: expect.any(String) as string });
  });

  it('needs a key', async () => {
    for (const path of ['/api/v4/agents', '/api/v4/regions'])
      expect((await test.api.request('GET', path, { authorization: null })).status).toBe(401);
  });
});

describe('GET /regions', () => {
  it('lists regions by name with their agents', async () => {
    await report(ids[0] ?? 0);
    await test.database.pool.query(
      `insert into minute_books select id, service_now() - hours * interval '1 hour', 10, 6, 2, 1 + hours % 2, 1 - hours % 2, now()
       from regions, unnest('{1,2,25}'::int[]) as hours where name = 'eu'`,
    );
    const answer = await test.api.get('/api/v4/regions');
    expect(answer.body).toMatchObject({
      regions: [
        {
          name: 'eu',
          agents: 2,
          connected_agents: 2,
          minutes: { due: 20, known: 12, unknown: 4, absent: 3, missing: 1 },
        },
        { name: 'us', agents: 0, connected_agents: 0, minutes: { due: 0, missing: 0 } },
      ],
    });
    await setClock(NOW + 120);
    await report(ids[1] ?? 0);
    expect((await test.api.get('/api/v4/regions')).body).toMatchObject({ regions: [{ connected_agents: 1 }, {}] });
  });
});
