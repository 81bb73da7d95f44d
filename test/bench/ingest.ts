import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { CAUSE_CODE, ORIGIN_CODE, STATUS_CODE } from '../../core/outcome.ts';
import type { CheckResult } from '../../core/result.ts';
import { engineOf } from '../../db/engine.ts';
import { makeRoom } from '../../db/room.ts';
import { freePort } from '../../deploy/local/free-port.ts';
import buildPrograms from '../support/build-programs.ts';
import { startNats } from '../support/nats.ts';
import { createAgent } from '../support/test-identity.ts';
import { connectWireAgent, type WireAgent } from '../support/wire-agent.ts';
import {
  closing,
  makeBenchDatabase,
  median,
  openBenchServer,
  say,
  type BenchDatabase,
  type Closers,
} from './bench-database.ts';
import { startCollector } from './bench-programs.ts';

/**
 * Results a second from gRPC send to commit, each written to `check_results` and consolidated into `data_points`, against
 * COPY of the same rows into the same table with its key. The results are of the minute that runs, as in life: every
 * monitor's point is made when its last region has answered. This process is the agents; the collector and PostgreSQL
 * are processes of their own. TEST_DATABASE_URL names another server, else an embedded one runs with its defaults.
 *
 * Both write to databases of one server with its settings as they are, rounds alternate which of them goes first, and a
 * checkpoint before each leaves neither the other's pages to write. COPY has its text ready and one connection, one
 * transaction, one core; the path from the agents has both cores. Processor time is told beside, since a rate says
 * little of a machine that others use too.
 */
const { values: options } = parseArgs({
  options: { monitors: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '3' } },
});
const MONITORS = Number(options.monitors);
const ROUNDS = Number(options.rounds);
const REGIONS = ['eu', 'us', 'ap'];
const BATCH_ROWS = 1000;

const closers: Closers = [];
await closing(closers, run);

async function run(): Promise<void> {
  buildPrograms();
  const adminUrl = await openBenchServer(closers);
  const database = await makeBenchDatabase(adminUrl, 'ingest', closers);
  const peer = await makeBenchDatabase(adminUrl, 'copy', closers);
  const engine = await engineOf(database.pool);
  const nats = await startNats();
  closers.push(() => nats.stop());
  const tokens = await Promise.all(REGIONS.map((region) => enrol(database.pool, region)));
  await database.pool.query(
    `insert into monitors (tag, name, status, monitor_type, include_degraded_in_downtime, is_hidden)
     select 'm' || n, 'm', 'ACTIVE', 'API', 'NO', 'NO' from generate_series(1, $1) as n`,
    [MONITORS],
  );
  await database.pool.query(`update regions set from_minute = from_minute - interval '1 day'`);
  await database.pool.query(`update monitor_versions set from_minute = from_minute - interval '1 day'`);
  await database.pool.query('analyze monitors');
  await database.pool.query('analyze monitor_versions');
  const port = await freePort();
  const collector = {
    address: `127.0.0.1:${port}`,
    process: await startCollector(database.url, nats.url, port, closers),
  };
  const agents = await Promise.all(
    REGIONS.map((region, index) =>
      connectWireAgent({ address: collector.address, token: tokens[index] ?? '', region }),
    ),
  );
  say(`engine ${engine.name}, ${MONITORS} monitors, ${REGIONS.length} regions, ${BATCH_ROWS} rows a message`);
  const ratios: number[] = [];
  const rates: number[] = [];
  // The first round is not counted: everyone learns the monitors in it.
  for (let round = 0; round <= ROUNDS; round++) {
    const { sent, copied } = await runRound(round, agents, database, peer, collector);
    if (round === 0) continue;
    rates.push(sent);
    ratios.push(sent / copied);
  }
  await checkTables(database.pool, ROUNDS + 1);
  say(`median ${whole(median(rates))} results/s, ${median(ratios).toFixed(2)} of COPY`);
  for (const agent of agents) await agent.close();
}

interface Collector {
  address: string;
  process: ChildProcess;
}

interface Round {
  agents: readonly WireAgent[];
  rows: readonly (readonly CheckResult[])[];
  minute: number;
  total: number;
}

async function runRound(
  number: number,
  agents: readonly WireAgent[],
  database: BenchDatabase,
  peer: BenchDatabase,
  collector: Collector,
): Promise<{ sent: number; copied: number }> {
  // The whole round fits into the minute it is about, or its points would be made by age.
  const minute = await startOfMinute();
  const rows = agents.map((_, index) => resultsOf(minute, index));
  const round = { agents, rows, minute, total: MONITORS * agents.length };
  const figures = { sent: 0, copied: 0, told: '' };
  const send = async (): Promise<void> => {
    await database.pool.query('checkpoint');
    const before = await spentSoFar(database, collector);
    const seconds = await timed(() => Promise.all(agents.map((agent, index) => sendAll(agent, rows[index] ?? []))));
    figures.sent = round.total / seconds;
    figures.told = await tellSpent(database, collector, before, round.total);
  };
  const copy = async (): Promise<void> => {
    await peer.pool.query('checkpoint');
    figures.copied = round.total / (await copyAll(peer, round));
  };
  for (const part of number % 2 === 0 ? [send, copy] : [copy, send]) await part();
  const { sent, copied, told } = figures;
  say(
    `round ${number}: ${whole(sent)} results/s; COPY ${whole(copied)} rows/s; ${(sent / copied).toFixed(2)} of COPY; ${told}`,
  );
  return { sent, copied };
}

/** As an agent's uplink does: as many batches in flight as the collector takes. */
async function sendAll(agent: WireAgent, rows: readonly CheckResult[]): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  for (let at = 0; at < rows.length; at += BATCH_ROWS) {
    if (inFlight.size >= agent.welcome.maxInFlight) await Promise.race(inFlight);
    const sending: Promise<void> = agent.send(rows.slice(at, at + BATCH_ROWS)).then((answers) => {
      inFlight.delete(sending);
      const other = answers.find(({ answer }) => answer !== 'stored');
      if (other !== undefined) throw new Error(`a row was not stored: ${other.answer} ${other.reason}`);
    });
    inFlight.add(sending);
  }
  await Promise.all(inFlight);
}

function resultsOf(minute: number, region: number): CheckResult[] {
  return Array.from({ length: MONITORS }, (_, index) => {
    const down = (index * 7 + region) % 100 === 0;
    return {
      monitorId: index + 1,
      minute,
      revision: 1,
      status: down ? 'DOWN' : 'UP',
      cause: down ? 'TARGET' : 'NONE',
      origin: 'REALTIME',
      latencyUs: 1000 + ((index * 2_654_435_761) % 90_000),
      error: down ? 'connection timed out' : null,
      packets: index % 3 === 0 ? { sent: 3, received: 3, minUs: 900, avgUs: 1000, maxUs: 1200, deviationUs: 80 } : null,
    };
  });
}

/** Seconds that COPY takes for the same rows, on one connection, in the order in which they would come. */
async function copyAll({ url, pool }: BenchDatabase, { minute, agents, rows }: Round): Promise<number> {
  await makeRoom(pool, 'check_results', [minute]);
  const time = new Date(minute * 1000).toISOString();
  const chunks: Buffer[] = [];
  for (let at = 0; at < MONITORS; at += BATCH_ROWS)
    rows.forEach((regional, region) => {
      const { agentId, regionId } = agents[region]?.welcome ?? { agentId: 0, regionId: 0 };
      const lines = regional.slice(at, at + BATCH_ROWS).map((row) => copyLine(row, time, agentId, regionId));
      chunks.push(Buffer.from(lines.join('')));
    });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const seconds = await timed(async () => {
    const stream = client.query(
      copyFrom(`copy check_results (minute, monitor_id, agent_id, revision, latency_us, region_id, status, origin, cause,
        sent, received, min_us, avg_us, max_us, deviation_us, error) from stdin`),
    );
    for (const chunk of chunks) if (!stream.write(chunk)) await once(stream, 'drain');
    stream.end();
    await once(stream, 'finish');
  });
  await client.end();
  return seconds;
}

/** Seconds that work takes. */
async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}

function copyLine(row: CheckResult, time: string, agentId: number, regionId: number): string {
  const { packets } = row;
  const numbers = packets
    ? [packets.sent, packets.received, packets.minUs, packets.avgUs, packets.maxUs, packets.deviationUs]
    : new Array<null>(6).fill(null);
  const codes = [STATUS_CODE[row.status], ORIGIN_CODE[row.origin], CAUSE_CODE[row.cause]];
  const fields = [time, row.monitorId, agentId, row.revision, row.latencyUs, regionId, ...codes, ...numbers, row.error];
  return `${fields.map((field) => field ?? '\\N').join('\t')}\n`;
}

async function checkTables(pool: pg.Pool, rounds: number): Promise<void> {
  const { rows } = await pool.query<{ results: number; points: number }>(
    'select (select count(*) from check_results)::int as results, (select count(*) from data_points)::int as points',
  );
  const wanted = { results: rounds * MONITORS * REGIONS.length, points: rounds * MONITORS };
  if (rows[0]?.results !== wanted.results || rows[0].points !== wanted.points)
    throw new Error(`stored ${JSON.stringify(rows[0])}, wanted ${JSON.stringify(wanted)}`);
  say(`stored ${wanted.results} results and ${wanted.points} points`);
}

async function enrol(pool: pg.Pool, region: string): Promise<string> {
  const created = await createAgent(pool, `${region}-1`, region);
  if ('problem' in created) throw new Error(created.problem);
  return created.token;
}

/** Waits for the next minute to begin; its start, unix seconds. */
async function startOfMinute(): Promise<number> {
  await wait(60_500 - (Date.now() % 60_000));
  return Math.floor(Date.now() / 60_000) * 60;
}

/** Processor seconds so far of the agents (this process), the collector and the database's connections. */
interface Spent {
  agents: number;
  collector: number;
  database: Map<number, number>;
}

async function spentSoFar({ pool }: BenchDatabase, collector: Collector): Promise<Spent> {
  const { rows } = await pool.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and backend_type = 'client backend'`,
  );
  const { user, system } = process.cpuUsage();
  return {
    agents: (user + system) / 1e6,
    collector: cpuSeconds(collector.process.pid),
    database: new Map(rows.map(({ pid }) => [pid, cpuSeconds(pid)])),
  };
}

/** Microseconds a row of each part, and the most memory that the collector ever had. */
async function tellSpent(database: BenchDatabase, collector: Collector, before: Spent, rows: number): Promise<string> {
  const after = await spentSoFar(database, collector);
  const connections = [...after.database].map(([pid, seconds]) => seconds - (before.database.get(pid) ?? 0));
  const perRow = [
    `agents ${((1e6 * (after.agents - before.agents)) / rows).toFixed(1)}`,
    `collector ${((1e6 * (after.collector - before.collector)) / rows).toFixed(1)}`,
    `database ${((1e6 * connections.reduce((a, b) => a + b, 0)) / rows).toFixed(1)}`,
  ];
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${collector.process.pid}/status`, 'utf8'))?.[1];
  return `us of processor a row: ${perRow.join(', ')}; collector's peak ${whole(Number(peak) / 1024)} MB`;
}

/** User and system time of a process so far; 0 of one on another machine. */
function cpuSeconds(pid: number | undefined): number {
  const file = `/proc/${pid}/stat`;
  if (!existsSync(file)) return 0;
  const fields = readFileSync(file, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en');
}
