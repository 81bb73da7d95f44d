import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/result.ts';
import { revokeAgent } from '../../../db/agents.ts';
import { encodeResults } from '../../../proto/results-codec.ts';
import { agentStatus } from '../../support/agent-status.ts';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent, unknownToken } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
let token: string;
const open: WireAgent[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  token = await enrol('eu-1', 'eu');
  collector = await startTestCollector(database.url, nats.url);
});
afterEach(async () => {
  for (const agent of open.splice(0)) await agent.close();
});
afterAll(async () => {
  await collector.stop();
  await nats.stop();
  await database.drop();
});

async function enrol(name: string, region: string): Promise<string> {
  const created = await createAgent(database.pool, name, region);
  if ('problem' in created) throw new Error(created.problem);
  return created.token;
}

async function connect(asToken = token, region = 'eu'): Promise<WireAgent> {
  const agent = await connectWireAgent({ address: collector.address, token: asToken, region, version: '9.9' });
  open.push(agent);
  return agent;
}

/** A monitor that has held from long ago, in its first revision. */
async function monitor(tag: string): Promise<number> {
  const typeData = { hosts: [{ type: 'IP4', host: '127.0.0.1', port: 80, timeout: 1000 }] };
  const { rows } = await database.pool.query<{ id: number }>(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
     values ($1, $1, 'ACTIVE', 'TCP', $2, 'NO', 'NO') returning id`,
    [tag, JSON.stringify(typeData)],
  );
  const id = rows[0]?.id ?? 0;
  await database.pool.query(
    `update monitor_versions set from_minute = from_minute - interval '1 day' where monitor_id = $1`,
    [id],
  );
  return id;
}

const thisMinute = (): number => Math.floor(Date.now() / 60_000) * 60;

const result = (monitorId: number, fields: Partial<CheckResult> = {}): CheckResult => ({
  monitorId,
  minute: thisMinute() - 60,
  revision: 1,
  status: 'UP',
  cause: 'NONE',
  origin: 'REALTIME',
  latencyUs: 1500,
  error: null,
  packets: null,
  ...fields,
});

const stored = { answer: 'stored', reason: null };

describe('a session', () => {
  it('is refused with a certificate whose key nobody has enrolled', async () => {
    await expect(connect(await unknownToken())).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is refused where it names another region than its own, in words', async () => {
    await expect(connect(token, 'us')).rejects.toMatchObject({
      code: 'FAILED_PRECONDITION',
      message: `this agent belongs to region 'eu', but it says 'us'`,
    });
  });

  it('begins with a welcome that tells who the agent is, and the clock and life of the database', async () => {
    const { welcome } = await connect();
    const { rows } = await database.pool.query<{ epoch: string; agent: number; region: number }>(
      `select (select value from system where key = 'epoch') as epoch, id as agent, region_id as region from agents where name = 'eu-1'`,
    );
    expect(welcome).toMatchObject({
      epoch: rows[0]?.epoch,
      agentId: rows[0]?.agent,
      regionId: rows[0]?.region,
      protocol: 1,
    });
    expect(Math.abs(welcome.clockUs / 1000 - Date.now())).toBeLessThan(1000);
    expect(welcome.timeline).toMatch(/^\d+:[0-9A-F]{8}$/);
    expect(welcome.maxInFlight).toBeGreaterThan(1);
  });

  it('leaves a trace of the agent: version, last seen and what it says of itself', async () => {
    const secondToken = await enrol('eu-seen', 'eu');
    const agent = await connect(secondToken);
    const row = async () => {
      const { rows } = await database.pool.query<{ version: string; fresh: boolean; status: Record<string, unknown> }>(
        `select version, last_seen > now() - interval '30 seconds' as fresh, status from agents where name = 'eu-seen'`,
      );
      return rows[0];
    };
    await eventually('the agent to be recorded', 3000, async () => (await row())?.fresh);
    expect(await row()).toMatchObject({ version: '9.9', fresh: true });
    await agent.stream.send({
      body: 'status',
      status: agentStatus({
        definitions: 3,
        problems: ['no raw sockets', 'NUL \0'],
        counters: [{ name: 'unknown stalled', value: 2 }],
      }),
    });
    await eventually('the status to be recorded', 15_000, async () => (await row())?.status.monitors === 3);
    expect((await row())?.status).toMatchObject({
      problems: ['no raw sockets', 'NUL \ufffd'],
      capabilities: ['PING', 'TCP', 'DNS'],
      counters: { 'unknown stalled': 2 },
    });
  });

  it('ends within a second of the revocation of its agent', async () => {
    const agent = await connect(await enrol('eu-gone', 'eu'));
    await revokeAgent(database.pool, 'eu-gone');
    const begun = Date.now();
    expect(await agent.ended).toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(Date.now() - begun).toBeLessThan(1000);
  });
});

describe('a batch', () => {
  it('is acknowledged after it was committed', async () => {
    const id = await monitor('committed');
    const agent = await connect();
    const packets = { sent: 3, received: 2, minUs: 10, avgUs: 15, maxUs: 20, deviationUs: 5 };
    expect(await agent.send([result(id, { packets, latencyUs: 15 })])).toEqual([stored]);
    const { rows } = await database.pool.query(
      'select latency_us, sent, received, agent_id from check_results where monitor_id = $1',
      [id],
    );
    expect(rows).toEqual([{ latency_us: 15, sent: 3, received: 2, agent_id: agent.welcome.agentId }]);
  });

  it('is answered row by row', async () => {
    const id = await monitor('row-by-row');
    const gone = await monitor('deleted');
    await database.pool.query('delete from monitors where id = $1', [gone]);
    const agent = await connect();
    const rows = [
      result(id),
      result(gone),
      result(2_000_000_000),
      result(id, { minute: thisMinute() + 600 }),
      result(id, { minute: thisMinute() - 200 * 86_400 }),
      result(id, { minute: thisMinute() - 120 }),
    ];
    const batch = encodeResults(77, agent.welcome.epoch, rows);
    batch.latencyUs[5] = 0;
    expect(await agent.sendBatch(batch)).toEqual([
      stored,
      { answer: 'dropped', reason: 'deleted' },
      { answer: 'dropped', reason: 'unknown monitor' },
      { answer: 'retry', reason: 'future' },
      { answer: 'dropped', reason: 'too old' },
      { answer: 'dropped', reason: 'invalid: latency' },
    ]);
  });

  it('sent twice changes nothing', async () => {
    const id = await monitor('twice');
    const agent = await connect();
    const row = result(id);
    expect(await agent.send([row])).toEqual([stored]);
    expect(await agent.send([row, row])).toEqual([
      { answer: 'duplicate', reason: null },
      { answer: 'duplicate', reason: null },
    ]);
  });

  it('of another epoch is dropped', async () => {
    const agent = await connect();
    const dropped = { answer: 'dropped', reason: 'epoch' };
    expect(await agent.send([result(1), result(2)], 'another life')).toEqual([dropped, dropped]);
  });

  it('that is malformed is dropped whole, and the stream goes on', async () => {
    const id = await monitor('after-malformed');
    const agent = await connect();
    const batch = encodeResults(78, agent.welcome.epoch, [result(id), result(id)]);
    batch.minute.pop();
    const [first] = await agent.sendBatch(batch);
    expect(first).toEqual({ answer: 'dropped', reason: 'malformed: columns differ in length' });
    expect(await agent.send([result(id)])).toEqual([stored]);
  });

  it('measured under a revision that did not hold is stored as UNKNOWN, stale', async () => {
    const id = await monitor('stale');
    const agent = await connect();
    expect(await agent.send([result(id)])).toEqual([stored]);
    await database.pool.query(`update monitors set cron = '*/2 * * * *' where id = $1`, [id]);
    await database.pool.query(
      `update monitor_versions set from_minute = from_minute - interval '10 minutes' where monitor_id = $1 and revision = 2`,
      [id],
    );
    await database.pool.query(`select pg_notify('farwatch_definitions', $1)`, [String(id)]);
    await eventually('the new revision to be known', 5000, async () => {
      await agent.send([result(id, { minute: thisMinute() - 180 })]);
      const { rowCount } = await database.pool.query(
        `select 1 from check_results where monitor_id = $1 and status = 1`,
        [id],
      );
      return rowCount === 1;
    });
    const { rows } = await database.pool.query<{ status: number; error: string; latency_us: number | null }>(
      'select status, error, latency_us from check_results where monitor_id = $1 and status = 1',
      [id],
    );
    expect(rows).toEqual([{ status: 1, error: 'stale: measured under revision 1', latency_us: null }]);
  });

  it('measured under a revision that the collector has not heard of yet is stored as it is', async () => {
    const id = await monitor('unheard');
    const agent = await connect();
    await eventually('the collector to follow changes, and to have heard of the monitor', 5000, async () => {
      const { rowCount } = await database.pool.query(
        `select from pg_stat_activity where application_name like '%-notices' and datname = current_database()
           and state = 'idle' and query ~ 'advisory|select 1'`,
      );
      return rowCount !== 0;
    });
    await wait(200);
    expect(await agent.send([result(id)])).toEqual([stored]);
    // Nothing is notified of this.
    await database.pool.query(
      `insert into monitor_versions select (jsonb_populate_record(v, jsonb_build_object('revision', 2,
         'from_minute', v.from_minute + interval '1 hour'))).* from monitor_versions v where monitor_id = $1`,
      [id],
    );
    const minutes = [thisMinute() - 120, thisMinute() - 180];
    const rows = [result(id, { minute: minutes[0], revision: 2 }), result(id, { minute: minutes[1], revision: 3 })];
    expect(await agent.send(rows)).toEqual([stored, stored]);
    const { rows: found } = await database.pool.query(
      `select status, revision, error from check_results where monitor_id = $1 and revision > 1 order by revision`,
      [id],
    );
    expect(found).toEqual([
      { status: 2, revision: 2, error: null },
      { status: 1, revision: 3, error: 'stale: measured under revision 3' },
    ]);
  });

  it('waits while the database is held up, and is stored when it is free', async () => {
    const id = await monitor('held-up');
    const agent = await connect();
    const client = await database.pool.connect();
    await client.query('begin; lock table check_results in access exclusive mode');
    const answers = agent.send([result(id)]);
    let answered = false;
    void answers.then(() => (answered = true));
    await eventually('the writer to wait', 5000, async () => {
      const { rowCount } = await database.pool.query(
        `select 1 from pg_stat_activity where wait_event_type = 'Lock' and application_name like '%writers' and datname = current_database()`,
      );
      return rowCount !== 0;
    });
    expect(answered).toBe(false);
    await client.query('commit');
    client.release();
    expect(await answers).toEqual([stored]);
  });
});

describe('health', () => {
  it('is asked over HTTP', async () => {
    await eventually('all parts to work', 10_000, async () => (await fetch(collector.healthUrl)).status === 200);
    expect(await (await fetch(collector.healthUrl)).json()).toEqual({
      status: 'ok',
      parts: { database: null, results: null, definitions: null, logins: null },
    });
  });
});

it('nothing that ran has failed', () => {
  expect(collector.failures).toEqual([]);
});
