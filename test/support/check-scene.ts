import { createCheckAnswers } from '../../api/check-answers.ts';
import { requestCheck, type CheckedDefinition } from '../../api/services/check-request.ts';
import type { CheckAnswer, CheckReport } from '../../core/check-answer.ts';
import type { CheckAnswer as WireAnswer, CheckRequest } from '../../proto/messages.ts';
import { createLogger } from '../../runtime/logger.ts';
import { startTestCollector, type TestCollector } from './collector.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { startNats, type TestNats } from './nats.ts';
import { createAgent } from './test-identity.ts';
import { connectWireAgent, type WireAgent } from './wire-agent.ts';

/** Everything between somebody who asks for a run on demand and the agents. */
export interface CheckScene {
  database: TestDatabase;
  nats: TestNats;
  /** Tokens by agent: eu-1 and eu-2 of region eu, us-1 of us, de-1 of de; region `empty` has one that never comes. */
  tokens: ReadonlyMap<string, string>;
  startCollector(): Promise<TestCollector>;
  /** An agent on the wire that answers each request by `answer`; null: it does not. */
  connect(
    collector: TestCollector,
    name: string,
    region: string,
    answer: (request: CheckRequest) => Partial<WireAnswer> | null,
  ): Promise<{ agent: WireAgent; seen: CheckRequest[] }>;
  ask(region?: string, definition?: CheckedDefinition): Promise<CheckAnswer>;
  rowsLeft(): Promise<number>;
  /** Ends agents and collectors; returns what failed in them. */
  clear(): Promise<unknown[]>;
  end(): Promise<void>;
}

const AGENTS = [
  ['eu-1', 'eu'],
  ['eu-2', 'eu'],
  ['us-1', 'us'],
  ['de-1', 'de'],
  ['empty-1', 'empty'],
] as const;

/** What an agent found that looked at a closed port. */
export const REPORT: CheckReport = {
  status: 'DOWN',
  cause: 'TARGET',
  origin: 'REALTIME',
  latencyUs: 1500,
  error: 'Host 127.0.0.1:80 is timeout',
  packets: null,
  results: [
    {
      host: '127.0.0.1',
      address: '127.0.0.1',
      problem: null,
      type: 'IP4',
      port: 80,
      status: 'timeout',
      code: 'timeout',
      latency: 1.5,
      detail: null,
    },
  ],
};
export const reported = { outcome: JSON.stringify(REPORT) };
const TCP: CheckedDefinition = { monitor_type: 'TCP', type_data: { hosts: [{ host: '127.0.0.1' }] } };

export async function openCheckScene(): Promise<CheckScene> {
  const [database, nats] = await Promise.all([createTestDatabase(), startNats()]);
  const tokens = new Map<string, string>();
  for (const [name, region] of AGENTS) {
    const created = await createAgent(database.pool, name, region);
    if ('problem' in created) throw new Error(created.problem);
    tokens.set(name, created.token);
  }
  const end = new AbortController();
  const checkAnswers = createCheckAnswers();
  const listening = checkAnswers.run(database.url, createLogger('api', 'silent'), end.signal);
  const collectors: TestCollector[] = [];
  const agents: WireAgent[] = [];
  return {
    database,
    nats,
    tokens,
    async startCollector() {
      const collector = await startTestCollector(database.url, nats.url);
      collectors.push(collector);
      return collector;
    },
    async connect(collector, name, region, answer) {
      const connected = await connectAnswering(collector.address, tokens.get(name) ?? '', region, answer);
      agents.push(connected.agent);
      return connected;
    },
    ask: (region, definition = TCP) => requestCheck({ db: database.pool, checkAnswers }, { definition, region }),
    async rowsLeft() {
      const { rows } = await database.pool.query<{ count: number }>(
        'select count(*)::int as count from check_requests',
      );
      return rows[0]?.count ?? -1;
    },
    async clear() {
      for (const agent of agents.splice(0)) await agent.close();
      const ended = collectors.splice(0);
      for (const collector of ended) await collector.stop();
      await database.pool.query('delete from check_requests');
      return ended.flatMap(({ failures }) => failures);
    },
    async end() {
      end.abort();
      await listening;
      await nats.stop();
      await database.drop();
    },
  };
}

async function connectAnswering(
  address: string,
  token: string,
  region: string,
  answer: (request: CheckRequest) => Partial<WireAnswer> | null,
): Promise<{ agent: WireAgent; seen: CheckRequest[] }> {
  const seen: CheckRequest[] = [];
  const agent = await connectWireAgent({
    address,
    token,
    region,
    onCheck: async (request) => {
      seen.push(request);
      const given = answer(request);
      if (given === null) return;
      const { requestId } = request;
      await agent.stream.send({ body: 'checkAnswer', checkAnswer: { requestId, outcome: '', error: '', ...given } });
    },
  });
  return { agent, seen };
}
