import type pg from 'pg';
import type { z } from 'zod';
import type { Minute } from '../core/minute.ts';
import { recordAbsences } from '../db/absences.ts';
import { recordAgentReports } from '../db/agent-reports.ts';
import { findAgentByKey, isAgentEnrolled } from '../db/agents.ts';
import { answerCheck, claimCheck, listOpenChecks } from '../db/check-requests.ts';
import { isTransient, openPool } from '../db/client.ts';
import { listRegions, readDefinitions, readRevisions } from '../db/definitions.ts';
import { ingestResults } from '../db/ingest.ts';
import { migrate } from '../db/migrate.ts';
import { readResultsEdge } from '../db/state.ts';
import type { Identity } from '../identity/identity-folder.ts';
import { createValueSigner } from '../proto/signed-value.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { formatAddress, type ListenAddress } from '../runtime/listen-address.ts';
import type { Logger } from '../runtime/logger.ts';
import { createMetrics } from '../runtime/metrics.ts';
import { createBackoff, sleep } from '../runtime/time.ts';
import { createAgentLedger } from './agent-ledger.ts';
import { createAwaitedAnswers, type AwaitedAnswers } from './awaited-answers.ts';
import { createCheckDesk, type CheckDesk } from './check-desk.ts';
import { createCoalescer, WRITERS, type Coalescer } from './coalescer.ts';
import type { collectorConfig } from './config.ts';
import { followDatabaseState, openDatabaseView, type DatabaseView } from './database-state.ts';
import type { DefinitionsPublisher } from './definitions-publisher.ts';
import { followNotices, type Hearers } from './follow-notices.ts';
import { createGate } from './gate.ts';
import { openCollectorIdentity, type CollectorIdentity } from './identity/collector-identity.ts';
import { runJob, type Job, type JobRunner } from './jobs.ts';
import { createCollectorMeters, exposeCollector, type CollectorMeters, type WriteRows } from './metrics.ts';
import { createRegionPublishers } from './region-publishers.ts';
import { createRevisionBook } from './revision-book.ts';
import { createAgentServer, type AgentServer } from './server.ts';
import { startHealth } from './start-health.ts';
import { startJobs } from './start-jobs.ts';
import { createTally, type Tally } from './tally.ts';

/** A statement that takes longer waits for something that must not hold up the rest. */
const STATEMENT_TIMEOUT_MS = 30_000;
const JOB_TIMEOUT_MS = 300_000;
/** The database ends a statement in time and says so: what is silent for so much longer is not there. */
const SILENCE_MS = 5000;
/** How long the last batches may take at the end. */
const LAST_WRITE_MS = 3000;

/** The environment, and what its identity folder holds. */
export interface CollectorConfig extends Omit<z.output<typeof collectorConfig>, 'FARWATCH_IDENTITY_DIR'> {
  identity: Identity;
  /** Milliseconds after which a statement is ended that is no job's. */
  statementTimeoutMs?: number;
  /** Milliseconds after which a session is ended that says nothing within a transaction. */
  idleInTransactionMs?: number;
}

/** Where a running collector can be reached. */
export interface CollectorAddresses {
  agents: ListenAddress;
  health: ListenAddress | null;
}

/** Opens every part of a collector and sets it going; returns once agents can connect, null where the end came first. */
export async function startCollector(
  config: CollectorConfig,
  logger: Logger,
  life: Lifecycle,
): Promise<CollectorAddresses | null> {
  const pools = openPools(config, life);
  const found = await openDatabase(pools.control, logger, life.signal);
  if (found === null) return null;
  const { database, oldestMinute } = found;
  const awaited = createAwaitedAnswers();
  const book = createRevisionBook(async (ids) => {
    const told = await readRevisions(pools.control, ids);
    for (const [id, monitor] of told) if (monitor.state === 'known' && !monitor.everywhere) awaited.neverFor(id);
    return told;
  });
  const metrics = createMetrics();
  const meters = createCollectorMeters(metrics);
  const write = meters.timed((results) => ingestResults(pools.writers, results, awaited));
  const coalescer = startCoalescer(write, logger, life);
  const identity = await openIdentity(config, pools.control, logger);
  const publisher = openPublisher(config, identity, pools.control, logger);
  const tally = createTally();
  const { server, address, edge } = await startServer({
    ...{ config, identity, logger, life, database, oldestMinute, book, coalescer, awaited, tally, meters },
    pool: pools.control,
  });
  const purgeDue = createGate();
  const { natsAccounts } = identity;
  const checks = openCheckDesk(pools.control, server, meters, logger);
  const hearers: Hearers = { publisher, natsAccounts, book, server, purgeDue, checks };
  const changed = (): void => {
    server.restartSessions('the database is not the one it was');
    publisher.compare();
  };
  life.run('definitions', (signal) => publisher.run(signal));
  if (natsAccounts !== null) life.run('nats accounts', (signal) => natsAccounts.run(signal));
  life.run('notices', (signal) => followNotices(config.DATABASE_URL, hearers, logger, signal));
  life.run('database state', (signal) => followDatabaseState(database, changed, logger, signal));
  const runner: JobRunner = { nowMs: () => database.nowUs() / 1000, ended: meters.jobEnded, logger };
  const { books } = startJobs(pools.jobs, purgeDue, runner, life);
  life.run('retention edge', (signal) => runJob(edge, runner, signal));
  exposeCollector(metrics, {
    ...{ tally, coalescer, server, publisher, database, books },
    pools: { ...pools },
    nowSeconds: () => database.nowUs() / 1e6,
  });
  return {
    agents: address,
    health: await startHealth(
      config.HEALTH_LISTEN,
      { pool: pools.control, coalescer, publisher, natsAccounts, metrics, logger },
      life,
    ),
  };
}

function openIdentity(config: CollectorConfig, pool: pg.Pool, logger: Logger): Promise<CollectorIdentity> {
  return openCollectorIdentity(config.identity, {
    pool,
    natsUrl: config.NATS_URL,
    publicNatsUrl: config.NATS_PUBLIC_URL ?? config.NATS_URL,
    lifetimeMs: config.credentialsMs,
    logger,
  });
}

function openPublisher(
  config: CollectorConfig,
  identity: CollectorIdentity,
  pool: pg.Pool,
  logger: Logger,
): DefinitionsPublisher {
  return createRegionPublishers({
    connect: (region, signal) => identity.connectRegion(region, signal),
    listRegions: () => listRegions(pool),
    readDefinitions: (region, ids) => readDefinitions(pool, region, ids),
    signer: createValueSigner(config.identity.definitionsKey),
    logger,
  });
}

function openCheckDesk(pool: pg.Pool, server: AgentServer, meters: CollectorMeters, logger: Logger): CheckDesk {
  return createCheckDesk({
    listOpen: (id) => listOpenChecks(pool, id),
    claim: (id, agentId) => claimCheck(pool, id, agentId),
    answer: (id, agentId, end) => {
      meters.checked(end);
      return answerCheck(pool, id, agentId, end);
    },
    runners: (kind, regionId) => server.runners(kind, regionId),
    logger,
  });
}

interface Pools {
  /** Reads and small writes, which never wait behind a batch. */
  control: pg.Pool;
  writers: pg.Pool;
  jobs: pg.Pool;
}

function openPools(
  { DATABASE_URL: url, statementTimeoutMs: shortMs = STATEMENT_TIMEOUT_MS, idleInTransactionMs }: CollectorConfig,
  life: Lifecycle,
): Pools {
  const open = (name: string, max: number, statementTimeoutMs: number): pg.Pool => {
    const answerTimeoutMs = statementTimeoutMs + SILENCE_MS;
    const timeouts = { statementTimeoutMs, answerTimeoutMs, idleInTransactionMs };
    const pool = openPool({ url, name: `farwatch-collector-${name}`, max, ...timeouts });
    life.onClose(`${name} pool`, () => pool.end());
    return pool;
  };
  return {
    control: open('control', 4, shortMs),
    writers: open('writers', WRITERS, shortMs),
    // A job's statement may take long, but none for ever.
    jobs: open('jobs', 4, JOB_TIMEOUT_MS),
  };
}

/** What is read of the database before anything can begin. */
interface FoundDatabase {
  database: DatabaseView;
  oldestMinute: Minute;
}

/** Migrates and looks at the database as soon as it is there; null where the end came first. */
async function openDatabase(pool: pg.Pool, logger: Logger, signal: AbortSignal): Promise<FoundDatabase | null> {
  const backoff = createBackoff(200, 5000);
  while (!signal.aborted) {
    try {
      const migrations = await migrate(pool);
      if (migrations.length > 0) logger.info({ migrations }, 'database migrated');
      return { database: await openDatabaseView(pool), oldestMinute: await readResultsEdge(pool) };
    } catch (error) {
      if (!isTransient(error)) throw error;
      logger.warn({ err: error }, 'database is away, waiting for it');
      await sleep(backoff.next(), signal);
    }
  }
  return null;
}

/** The writers outlive the signal: what was taken from agents is stored and answered before they stop. */
function startCoalescer(write: WriteRows, logger: Logger, life: Lifecycle): Coalescer {
  const coalescer = createCoalescer({ write, logger });
  const end = new AbortController();
  const running = coalescer.run(end.signal);
  running.catch((error: unknown) => {
    logger.fatal({ err: error }, 'writers stopped');
    life.end();
  });
  life.onClose('writers', async () => {
    end.abort();
    await Promise.race([running, sleep(LAST_WRITE_MS, new AbortController().signal)]);
  });
  return coalescer;
}

interface ServerParts extends FoundDatabase {
  config: CollectorConfig;
  identity: CollectorIdentity;
  logger: Logger;
  life: Lifecycle;
  pool: pg.Pool;
  book: ReturnType<typeof createRevisionBook>;
  coalescer: Coalescer;
  awaited: AwaitedAnswers;
  tally: Tally;
  meters: CollectorMeters;
}

async function startServer({
  config,
  identity,
  logger,
  life,
  pool,
  database,
  oldestMinute,
  book,
  coalescer,
  awaited,
  tally,
  meters,
}: ServerParts): Promise<{ server: AgentServer; address: ListenAddress; edge: Job }> {
  const ledger = createAgentLedger((reports) => recordAgentReports(pool, reports), logger);
  const edge: Job = {
    name: 'retention edge',
    everyMs: 600_000,
    run: async () => (oldestMinute = await readResultsEdge(pool)),
  };
  const server = createAgentServer({
    enrolment: identity.enrolment,
    authenticate: (keyHash) => findAgentByKey(pool, keyHash),
    isEnrolled: (agentId) => isAgentEnrolled(pool, agentId),
    connected: (agentId, version) => ledger.connected(agentId, version),
    heard: (agentId, version, state) => ledger.heard(agentId, version, state),
    recordAbsences: (absences) => recordAbsences(pool, absences),
    oldestMinute: () => oldestMinute,
    database,
    book,
    coalescer,
    awaited,
    tally,
    received: meters.received,
    refused: meters.refused,
    logger,
  });
  const address = await server.listen(config.COLLECTOR_LISTEN, identity.tls);
  life.onClose('agents', async () => {
    await server.stop();
    logger.info({ rows: tally.totals() }, 'rows by answer');
  });
  logger.info({ address: formatAddress(address) }, 'agents can connect');
  life.run('server certificate', (signal) => identity.keepTls((tls) => server.renewCertificate(tls), signal));
  life.run('agent ledger', (signal) => ledger.run(signal));
  return { server, address, edge };
}
