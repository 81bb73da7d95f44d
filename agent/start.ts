import type { z } from 'zod';
import { PROBE_KINDS } from '../core/type-data.ts';
import { openAgentStream } from '../proto/agent-stream.ts';
import { serveHealth } from '../runtime/health.ts';
import { createMetrics, type Metrics } from '../runtime/metrics.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import { formatAddress } from '../runtime/listen-address.ts';
import type { Logger } from '../runtime/logger.ts';
import { sleep, untilAborted } from '../runtime/time.ts';
import { runBus } from './bus.ts';
import { openChecks, type Checks } from './checks.ts';
import { openClockFile, type ClockFile } from './clock-file.ts';
import type { agentConfig } from './config.ts';
import type { DefinitionSet } from './definition-set.ts';
import { createLiveIdentity, type LiveIdentity } from './identity/renewal.ts';
import type { AgentIdentity } from './identity/identity-file.ts';
import { createDefinitionsFile } from './definitions-file.ts';
import { DefinitionsFollower } from './definitions.ts';
import { depart } from './departure.ts';
import { createDivision, type Division } from './division.ts';
import { openDivisionFile } from './membership/division-file.ts';
import type { Members } from './membership/members.ts';
import { createAgentMeters, exposeAgent, type AgentMeters } from './metrics.ts';
import { openProgress } from './schedule-progress.ts';
import { countResults, type ResultCounts } from './result-counts.ts';
import { Schedule } from './schedule.ts';
import { createServiceClock, middleOf, type ServiceClock } from './service-clock.ts';
import { Spool } from './spool/spool.ts';
import type { StateFolder } from './state-folder.ts';
import { statusOf } from './status.ts';
import { systemTime } from './time-source.ts';
import { Uplink } from './uplink.ts';

export interface AgentConfig extends z.output<typeof agentConfig> {
  identity: AgentIdentity;
  /** Where it is kept. */
  path: string;
  folder: StateFolder;
}

/** The version an agent names in its hello. */
const VERSION = '0.1.0';
/** A start waits this long for the database's clock, so that no result is placed by the wall clock without need. */
const FIRST_CONTACT_MS = 3000;
const SAVE_CLOCK_MS = 30_000;

/** The parts of a running agent. */
interface Agent {
  identity: LiveIdentity;
  clock: ServiceClock;
  clockFile: ClockFile;
  spool: Spool;
  checks: Checks;
  schedule: Schedule;
  results: ResultCounts;
  meters: AgentMeters;
  follower: DefinitionsFollower;
  uplink: Uplink;
  division: Division;
  /** What the last life went by. */
  kept: DefinitionSet | null;
  /** Aborts at the first contact in this boot. */
  contact: AbortSignal;
  logger: Logger;
}

/** Opens an agent's parts and sets its loops going. */
export async function startAgent(config: AgentConfig, logger: Logger, life: Lifecycle): Promise<void> {
  life.onClose('lock', () => config.folder.lock.release());
  const { path, identity: given } = config;
  const { region, agentId } = given;
  const identity = createLiveIdentity({ identity: given, path, collector: collectorOf(config), logger });
  const clockFile = await openClockFile(config.folder.clock);
  const time = systemTime();
  const contact = new AbortController();
  const clock = createServiceClock(time, clockFile.of(time.bootId), (stepMs) => {
    logger.info({ stepMs: Math.round(stepMs) }, 'clock is known');
    contact.abort();
    schedule.clockBecameKnown(stepMs).catch((error: unknown) => logger.error({ err: error }, 'accounting failed'));
  });
  const metrics = createMetrics();
  const meters = createAgentMeters(metrics);
  const spool = await openSpool(config, { clock, clockFile, logger }, life);
  const checks = openChecks(
    {
      allow: config.FARWATCH_ALLOW,
      references: config.FARWATCH_REFERENCES,
      monotonicMs: () => clock.monotonicMs(),
      ask: () => uplink.ask(),
      logger,
    },
    life,
  );
  const file = await openDivisionFile(config.folder.division, region);
  const counted = countResults(spool);
  const schedule = new Schedule({
    region,
    clock,
    check: meters.timed(checks.check),
    onStart: (lateMs) => meters.lateness(lateMs / 1000),
    sink: counted.sink,
    progress: await openProgress(config.folder.progress),
    lastView: file.lastView,
    logger,
  });
  const definitions = createDefinitionsFile(config.folder.definitions, region);
  const kept = await definitions.load();
  const follower = new DefinitionsFollower({
    ...{ region, agentId },
    adopted: kept,
    definitionsKey: () => identity.current().definitionsKey,
    logger,
    onAdopt: (set, snapshot) => {
      const save = (): Promise<void> => definitions.save(snapshot);
      schedule
        .adopt(set)
        .then(save)
        .catch((error: unknown) => logger.warn({ err: error }, 'definitions cannot be kept'));
    },
  });
  const division = createDivision({ region, agentId, file, clock, follower, checks, schedule, logger });
  const parts = { identity, clock, spool, checks, schedule, results: counted.counts, follower, meters, logger };
  const uplink = openUplink(config, { ...parts, members: division.members });
  const agent = { ...parts, clockFile, uplink, division, kept, contact: contact.signal };
  await openHealth(config, agent, metrics, life);
  runLoops(config, agent, life);
}

async function openSpool(
  { folder, spoolBytes }: AgentConfig,
  { clock, clockFile, logger }: Pick<Agent, 'clock' | 'clockFile' | 'logger'>,
  life: Lifecycle,
): Promise<Spool> {
  const spool = await Spool.open({
    folder: folder.spool,
    bootId: clock.bootId,
    limitBytes: spoolBytes,
    offsetOf: (bootId) => offsetOf(bootId, clock, clockFile),
    monotonicMs: () => clock.monotonicMs(),
    logger,
  });
  life.onClose('spool', () => spool.close());
  return spool;
}

function collectorOf({ COLLECTOR_ADDRESS, identity }: AgentConfig): string {
  return COLLECTOR_ADDRESS === undefined ? identity.collector : formatAddress(COLLECTOR_ADDRESS);
}

function offsetOf(bootId: string, clock: ServiceClock, file: ClockFile): number | null {
  const learnt = bootId === clock.bootId ? clock.learnt() : file.of(bootId);
  return learnt === null ? null : middleOf(learnt);
}

function openUplink(
  config: AgentConfig,
  parts: Pick<
    Agent,
    'identity' | 'clock' | 'spool' | 'checks' | 'schedule' | 'results' | 'follower' | 'meters' | 'logger'
  > & {
    members: Members;
  },
): Uplink {
  const { identity, clock, spool, checks, schedule, results, follower, members, meters, logger } = parts;
  const uplink: Uplink = new Uplink({
    open: () => openAgentStream({ address: collectorOf(config), tls: identity.tls() }),
    clock,
    spool,
    logger,
    onBatch: meters.batchRows,
    onAck: (sentMs) => {
      meters.roundTrip((clock.monotonicMs() - sentMs) / 1000);
      checks.evidence.noteAck(sentMs);
    },
    answer: checks.answer,
    hello: () => ({
      region: config.identity.region,
      version: VERSION,
      capabilities: checks.ability.kinds() ?? [...PROBE_KINDS],
      epoch: follower.adopted?.manifest.epoch ?? '',
      bootId: clock.bootId,
    }),
    status: () =>
      statusOf({
        adopted: follower.adopted,
        monitors: schedule.monitors,
        assigned: schedule.share,
        members: members.size,
        running: schedule.running,
        schedule: schedule.counts,
        spool: spool.state(),
        uplink,
        results,
        clock,
        wallMs: () => Date.now(),
        problems: problemsOf({ uplink, spool, checks, follower, identity, members }),
      }),
  });
  return uplink;
}

function problemsOf({
  uplink,
  spool,
  checks,
  follower,
  identity,
  members,
}: Pick<Agent, 'uplink' | 'spool' | 'checks' | 'follower' | 'identity'> & { members: Members }): string[] {
  const { problem, readProblem } = spool.state();
  const own = [
    uplink.problem,
    identity.problem(),
    members.problem(),
    checks.references.problem(),
    problem === null ? null : `spool cannot be written: ${problem}`,
    readProblem === null ? null : `spool cannot be read: ${readProblem}`,
  ];
  return [...own.filter((line) => line !== null), ...checks.ability.problems(), ...follower.problems()];
}

async function openHealth(
  { HEALTH_LISTEN }: AgentConfig,
  agent: Agent,
  metrics: Metrics,
  life: Lifecycle,
): Promise<void> {
  if (HEALTH_LISTEN === undefined) return;
  exposeAgent(metrics, { ...agent, members: agent.division.members });
  const { uplink, spool, follower, checks, logger } = agent;
  const server = await serveHealth(
    HEALTH_LISTEN,
    async () => ({
      collector: uplink.problem,
      spool: spool.state().problem,
      definitions: follower.problems()[0] ?? null,
      probes: checks.ability.problems()[0] ?? null,
    }),
    metrics,
  );
  life.onClose('health', () => server.close());
  logger.info({ address: formatAddress(server.address) }, 'health is served');
}

function runLoops(config: AgentConfig, agent: Agent, life: Lifecycle): void {
  const { identity, schedule, spool, uplink, follower, checks, contact, clock, kept, logger } = agent;
  const { members, link } = agent.division;
  const natsUrl = config.NATS_URL ?? config.identity.nats.url;
  const bus = { natsUrl, region: config.identity.region, credentials: identity.natsAccess(natsUrl), logger };
  // In this order: the share is handed over, what is still measured is cut short, then kept, then delivered as far as a
  // few seconds allow.
  const departed = new AbortController();
  const measured = new AbortController();
  life.run('departure', async (signal) => {
    await untilAborted(signal);
    await depart({ members, schedule, nowMs: () => clock.nowMs(), logger }, measured.signal);
    departed.abort();
  });
  life.run('schedule', async (signal) => {
    try {
      if (!clock.known) await sleepUntil(contact, FIRST_CONTACT_MS, signal);
      await schedule.run(kept, departed.signal);
      members.left();
    } finally {
      measured.abort();
    }
  });
  life.run('spool', () => spool.run(measured.signal));
  life.run('uplink', () => uplink.run(measured.signal));
  life.run('bus', () => runBus(bus, [follower, link], measured.signal));
  life.run('members', () => link.run(members, measured.signal));
  life.run('identity', (signal) => identity.keep(signal));
  life.run('evidence', () => checks.evidence.keep(measured.signal));
  life.run('ability', (signal) => checks.ability.watch(signal));
  life.run('clock', (signal) => keepClock(agent, signal));
}

/** Waits for `event`, at most `ms` milliseconds, or until the signal aborts. */
async function sleepUntil(event: AbortSignal, ms: number, signal: AbortSignal): Promise<void> {
  await Promise.race([sleep(ms, event), sleep(ms, signal)]);
}

/** Keeps the learnt offset on the disk, so that a restart within this boot goes on with it. */
async function keepClock({ clock, clockFile, contact, logger }: Agent, signal: AbortSignal): Promise<void> {
  if (!clock.known) await Promise.race([untilAborted(contact), untilAborted(signal)]);
  while (!signal.aborted) {
    const learnt = clock.learnt();
    try {
      if (learnt !== null) await clockFile.save(clock.bootId, learnt);
    } catch (error) {
      // It is learnt again at the next contact.
      logger.warn({ err: error }, 'clock offset cannot be kept');
    }
    await sleep(SAVE_CLOCK_MS, signal);
  }
}
