import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startTestCollector, type TestCollector } from '../../support/collector.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { createAgent } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

let database: TestDatabase;
let nats: TestNats;
let collector: TestCollector;
const open: WireAgent[] = [];

beforeAll(async () => {
  [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
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

async function connect(name: string): Promise<WireAgent> {
  const created = await createAgent(database.pool, name, 'eu');
  if ('problem' in created) throw new Error(created.problem);
  const agent = await connectWireAgent({ address: collector.address, token: created.token, region: 'eu' });
  open.push(agent);
  return agent;
}

const thisMinute = (): number => Math.floor(Date.now() / 60_000) * 60;

const stored = { answer: 'stored', reason: null };

describe('absences', () => {
  it('are recorded once, and extended', async () => {
    const agent = await connect('eu-1');
    const from = thisMinute() - 600;
    expect(await agent.absences([{ from, to: from + 120 }])).toEqual([stored]);
    expect(
      await agent.absences([
        { from, to: from + 120 },
        { from, to: from + 180 },
      ]),
    ).toEqual([stored, stored]);
    const { rows } = await database.pool.query(
      `select extract(epoch from to_minute - from_minute)::int as seconds from absences where agent_id = $1`,
      [agent.welcome.agentId],
    );
    expect(rows).toEqual([{ seconds: 180 }]);
  });

  it('that are empty or lie ahead are dropped', async () => {
    const agent = await connect('eu-2');
    const now = thisMinute();
    const invalid = { answer: 'dropped', reason: 'invalid: absence' };
    expect(
      await agent.absences([
        { from: now, to: now },
        { from: now, to: now + 3600 },
      ]),
    ).toEqual([invalid, invalid]);
  });
});

describe('absences from before the results that are kept', () => {
  it('are cut, so that the first one of an agent, which begins with time itself, is one of these', async () => {
    const agent = await connect('eu-first');
    expect(await agent.absences([{ from: 0, to: thisMinute(), reason: 'unborn' }])).toEqual([stored]);
    const { rows } = await database.pool.query<{ days: number }>(
      `select extract(epoch from to_minute - from_minute)::int / 86400 as days from absences where agent_id = $1`,
      [agent.welcome.agentId],
    );
    expect(rows).toHaveLength(1);
    expect(rows[0]?.days).toBeCloseTo(90, -1);
  });

  it('are dropped where they ended there', async () => {
    const agent = await connect('eu-past');
    const old = Array.from({ length: 500 }, (_, minute) => ({ from: minute * 60, to: minute * 60 + 60 }));
    const answers = await agent.absences(old);
    expect(new Set(answers.map(({ answer, reason }) => `${answer} ${reason}`))).toEqual(new Set(['dropped too old']));
    const { rowCount } = await database.pool.query('select from absences where agent_id = $1', [agent.welcome.agentId]);
    expect(rowCount).toBe(0);
  });
});
