import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createAwaitedAnswers } from '../../../collector/awaited-answers.ts';
import { createCoalescer } from '../../../collector/coalescer.ts';
import { openDatabaseView } from '../../../collector/database-state.ts';
import { createRevisionBook } from '../../../collector/revision-book.ts';
import { createAgentServer, type AgentServer } from '../../../collector/server.ts';
import { createTally } from '../../../collector/tally.ts';
import { recordAbsences } from '../../../db/absences.ts';
import { findAgentByKey, isAgentEnrolled, revokeAgent } from '../../../db/agents.ts';
import { readRevisions } from '../../../db/definitions.ts';
import { ingestResults } from '../../../db/ingest.ts';
import { StreamEnd } from '../../../proto/stream-end.ts';
import { createLogger } from '../../../runtime/logger.ts';
import { tcpResult } from '../../support/check-results.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { addMonitor } from '../../support/monitoring-fixture.ts';
import { createAgent, testServerTls } from '../../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../../support/wire-agent.ts';

let database: TestDatabase;
let server: AgentServer;
let address: string;
let writing: Promise<void>;
const end = new AbortController();
/** What happens between the answer who an agent is and the session's beginning. */
let meanwhile: (agentId: number) => Promise<void> = () => Promise.resolve();

beforeAll(async () => {
  database = await createTestDatabase();
  const { pool } = database;
  const logger = createLogger('test', 'silent');
  const coalescer = createCoalescer({ write: (results) => ingestResults(pool, results), logger });
  writing = coalescer.run(end.signal);
  const unasked = (): Promise<never> => Promise.reject(new StreamEnd('UNIMPLEMENTED', 'not here'));
  server = createAgentServer({
    enrolment: { enrol: unasked, renew: unasked },
    async authenticate(keyHash) {
      const agent = await findAgentByKey(pool, keyHash);
      if (agent !== undefined) await meanwhile(agent.id);
      return agent;
    },
    isEnrolled: (agentId) => isAgentEnrolled(pool, agentId),
    recordAbsences: (absences) => recordAbsences(pool, absences),
    database: await openDatabaseView(pool),
    book: createRevisionBook((ids) => readRevisions(pool, ids)),
    ...{ coalescer, awaited: createAwaitedAnswers(), tally: createTally(), oldestMinute: () => 0, logger },
    ...{ connected: () => undefined, heard: () => undefined, received: () => undefined, refused: () => undefined },
  });
  address = `127.0.0.1:${(await server.listen({ host: '127.0.0.1', port: 0 }, testServerTls)).port}`;
});
afterEach(() => {
  meanwhile = () => Promise.resolve();
});
afterAll(async () => {
  await server.stop();
  end.abort();
  await writing;
  await database.drop();
});

async function connect(name: string): Promise<WireAgent> {
  const created = await createAgent(database.pool, name, 'eu');
  if ('problem' in created) throw new Error(created.problem);
  return connectWireAgent({ address, token: created.token, region: 'eu' });
}

it('an agent that is revoked while its stream is being opened is not let in', async () => {
  meanwhile = async (agentId) => {
    await revokeAgent(database.pool, 'late');
    await server.checkEnrolment(agentId);
  };
  await expect(connect('late')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message: 'this agent was revoked' });
  expect(server.streams).toBe(0);
});

it('the database is said to be away where it is, and only there', async () => {
  meanwhile = () => database.pool.query(`select 1 from pg_terminate_backend(pg_backend_pid())`).then(() => undefined);
  await expect(connect('away')).rejects.toMatchObject({ code: 'UNAVAILABLE', message: 'the database is away' });
  meanwhile = () => database.pool.query('select no_such_column from agents').then(() => undefined);
  await expect(connect('broken')).rejects.toMatchObject({ code: 'INTERNAL' });
});

it('a revoked agent is out within five seconds while the database stores nothing, whatever waits there', async () => {
  const monitorId = await addMonitor(database.pool, 'slow');
  const agent = await connect('slow');
  const lastMinute = Math.floor(Date.now() / 60_000) * 60 - 60;
  const holder = await database.pool.connect();
  await holder.query('begin; lock table check_results in access exclusive mode');
  try {
    // More than may be unacknowledged: the collector has stopped reading.
    const batches = Array.from({ length: 20 }, (_, number) =>
      agent.send([tcpResult(monitorId, { minute: lastMinute - 60 * number })]).catch(() => 'unanswered'),
    );
    await eventually('the window to be full', 5000, () => server.inFlight === 16);
    await revokeAgent(database.pool, 'slow');
    const begun = Date.now();
    await server.checkEnrolment(agent.welcome.agentId);
    expect(await agent.ended).toMatchObject({ code: 'UNAUTHENTICATED', message: 'this agent was revoked' });
    expect(Date.now() - begun).toBeLessThan(5000);
    expect(new Set(await Promise.all(batches))).toEqual(new Set(['unanswered']));
    // What is in memory counts as long as it is there.
    expect([server.streams, server.runners('TCP', null)]).toEqual([1, []]);
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  await eventually('the session to be closed', 10_000, () => server.streams === 0);
  const { rowCount } = await database.pool.query('select from check_results where monitor_id = $1', [monitorId]);
  expect(rowCount).toBe(16);
});
