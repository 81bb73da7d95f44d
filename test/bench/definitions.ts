import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { runBus } from '../../agent/bus.ts';
import { DefinitionsFollower } from '../../agent/definitions.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import { inboxPrefixOf } from '../../proto/definition-requests.ts';
import { createLogger } from '../../runtime/logger.ts';
import buildPrograms from '../support/build-programs.ts';
import { startNats } from '../support/nats.ts';
import { createAgent, testDefinitionsKey } from '../support/test-identity.ts';
import { closing, openBenchDatabase, say, type Closers } from './bench-database.ts';
import { startCollector } from './bench-programs.ts';

/**
 * From the commit of an edit until every agent has adopted it: one monitor at a time, then all at once. The collector,
 * NATS and PostgreSQL are processes; the agents' followers of definitions run in this one, each over a connection of its
 * own. Aim: p99 of single edits at most a second. TEST_DATABASE_URL names another server, else an embedded one runs.
 */
const { values: options } = parseArgs({
  options: {
    monitors: { type: 'string', default: '10000' },
    edits: { type: 'string', default: '200' },
    agents: { type: 'string', default: '3' },
  },
});
const MONITORS = Number(options.monitors);
const EDITS = Number(options.edits);
const AGENTS_A_REGION = Number(options.agents);
const REGIONS = ['eu', 'us'];
const LIMIT_MS = 120_000;

/** Edits so far: each writes another configuration. */
let edits = 1;
const closers: Closers = [];
await closing(closers, run);

async function run(): Promise<void> {
  buildPrograms();
  const { url, pool } = await openBenchDatabase(closers);
  const nats = await startNats();
  closers.push(() => nats.stop());
  for (const region of REGIONS) await createAgent(pool, `${region}-1`, region);
  await pool.query(
    `insert into monitors (tag, name, status, monitor_type, type_data, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'TCP', $2::jsonb, 'NO', 'NO' from generate_series(1, $1) as n`,
    [MONITORS, typeData(1)],
  );
  await startCollector(url, nats.url, await freePort(), closers);
  const followers = REGIONS.flatMap((region, number) =>
    Array.from({ length: AGENTS_A_REGION }, (_, index) =>
      follow(nats.url, region, number * AGENTS_A_REGION + index + 1),
    ),
  );
  await adopted(followers, new Map(Array.from({ length: MONITORS }, (_, index) => [index + 1, 1])));
  say(`${MONITORS} monitors, ${followers.length} agents in ${REGIONS.length} regions`);
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    await wait(Math.random() * 300);
    const id = 1 + Math.floor(Math.random() * MONITORS);
    const revisions = await editMonitors(pool, id, id);
    const begun = performance.now();
    await adopted(followers, revisions);
    times.push(performance.now() - begun);
  }
  times.sort((a, b) => a - b);
  const at = (share: number): string =>
    (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0);
  say(`edit to all agents: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, of ${EDITS}`);
  const all = await editMonitors(pool, 1, MONITORS);
  const begun = performance.now();
  await adopted(followers, all);
  say(`${MONITORS} changed at once: ${((performance.now() - begun) / 1000).toFixed(1)} s to all agents`);
  if (Number(at(0.99)) > 1000) process.exitCode = 1;
}

/** Changes monitors in one statement; returns the revision each of them has then. */
async function editMonitors(pool: pg.Pool, from: number, to: number): Promise<Map<number, number>> {
  edits += 1;
  const { rows } = await pool.query<{ id: number; revision: number }>(
    'update monitors set type_data = $3::jsonb where id between $1 and $2 returning id, revision',
    [from, to, typeData(edits)],
  );
  return new Map(rows.map(({ id, revision }) => [id, revision]));
}

function typeData(edit: number): string {
  return JSON.stringify({ hosts: [{ type: 'IP4', host: '127.0.0.1', port: 1 + (edit % 60_000), timeout: 1000 }] });
}

/** Waits until all have these monitors at these revisions. */
async function adopted(
  followers: readonly DefinitionsFollower[],
  revisions: ReadonlyMap<number, number>,
): Promise<void> {
  const deadline = Date.now() + LIMIT_MS;
  const has = ({ adopted: set }: DefinitionsFollower): boolean => {
    for (const [id, revision] of revisions) if ((set?.definitions.get(id)?.revision ?? 0) < revision) return false;
    return true;
  };
  while (!followers.every(has)) {
    if (Date.now() > deadline) throw new Error(`not adopted within ${LIMIT_MS} ms`);
    await wait(2);
  }
}

function follow(natsUrl: string, region: string, agentId: number): DefinitionsFollower {
  const logger = createLogger('agent', 'silent');
  const follower = new DefinitionsFollower({
    ...{ region, agentId },
    adopted: null,
    definitionsKey: () => testDefinitionsKey,
    onAdopt: () => undefined,
    logger,
  });
  const end = new AbortController();
  const credentials = { inboxPrefix: inboxPrefixOf(agentId) };
  const running = runBus({ natsUrl, region, credentials, logger }, [follower], end.signal);
  closers.push(() => {
    end.abort();
    return running;
  });
  return follower;
}
