import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { inviteAgent } from '../../db/agent-invitations.ts';
import { createApiKey } from '../../db/api-keys.ts';
import { apiPart, natsPart } from '../../deploy/local/parts.ts';
import { listening, spawnProgram } from '../../deploy/local/programs.ts';
import type { Part } from '../../deploy/local/supervise.ts';
import { fingerprintOf } from '../../identity/fingerprint.ts';
import { provideNatsServerFiles } from '../../identity/nats-server.ts';
import { provideIdentity } from '../../identity/provide-identity.ts';
import { NATS_NAME } from '../../proto/server-names.ts';
import { eventually } from '../support/eventually.ts';
import { openFailingDisk, type FailingDisk } from '../support/disk-faults.ts';
import { restClient, type Rest } from '../support/rest.ts';
import { runningPart, type RunningPart } from '../support/running-part.ts';
import { openOwnDatabase, type RunDatabase } from './database.ts';
import { openFalseClock, type FalseClock } from './false-clock.ts';
import type { AgentHost, Hosts } from './hosts.ts';
import { openLink, type Link } from './link.ts';
import { AGENTS, COLLECTORS, regionOf, type AgentName, type CollectorName } from './names.ts';
import { UNTRUE_CLOCKS, type PartitionEnd } from './plan.ts';
import { reservePort } from './ports.ts';
import { killTree } from './processes.ts';

/** The whole system of a run, as processes, with something in every way between two of them that can fail. */
export interface Stand {
  database: RunDatabase;
  pool: pg.Pool;
  rest: Rest;
  agents: ReadonlyMap<AgentName, StandingAgent>;
  collectors: ReadonlyMap<CollectorName, StandingProgram>;
  api: Pick<StandingProgram, 'part' | 'health'>;
  nats: { part: RunningPart; wipe: () => void };
  link(from: AgentName | CollectorName, to: PartitionEnd): Link;
}

export interface StandingProgram {
  part: RunningPart;
  /** Where it says how it is: host:port. */
  health: string;
  /** Null: its clock cannot be stepped. */
  clock: FalseClock | null;
}

export interface StandingAgent extends StandingProgram {
  host: AgentHost;
  disk: FailingDisk;
  spoolDir: string;
}

export type Closers = (() => Promise<unknown>)[];

const START_MS = 120_000;
const PATIENCE_MS = 120_000;

/**
 * Starts everything and returns when all agents are enrolled; a database server, too, where no migrated database is given.
 * What it opened is ended by `closers`, in reverse.
 */
export async function openStand(dir: string, given: string | null, hosts: Hosts, closers: Closers): Promise<Stand> {
  const logDir = join(dir, 'logs');
  mkdirSync(logDir, { recursive: true });
  const begin = async (part: Part): Promise<RunningPart> => {
    const running = runningPart(part, logDir);
    closers.push(() => running.kill9());
    await running.start();
    return running;
  };
  const database = given === null ? await openOwnDatabase(dir, begin) : { url: given, server: null };
  const { url: databaseUrl, server } = database;
  if (server !== null) closers.push(() => killTree(server));
  // Patient: the machine may be busier than any that serves.
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 4, connectionTimeoutMillis: PATIENCE_MS });
  pool.on('error', () => undefined);
  closers.push(() => pool.end());
  const identityDir = join(dir, 'identity');
  const identity = await provideIdentity(identityDir);
  await provideNatsServerFiles(join(identityDir, 'nats'), identity, NATS_NAME);
  const natsPort = await reservePort();
  const nats = await begin(natsPart(dir, natsPort, identityDir));
  const ports = { 'collector-a': await reservePort(), 'collector-b': await reservePort() };
  const links = await openLinks({ databaseUrl, natsPort, ports }, hosts.address, closers);
  const link: Stand['link'] = (from, to) => {
    const found = links.get(`${from} ${to}`);
    if (found === undefined) throw new Error(`no link from ${from} to ${to}`);
    return found;
  };
  const collectors = new Map<CollectorName, StandingProgram>();
  for (const name of COLLECTORS) {
    const clock = clockOf(name, dir);
    const health = `127.0.0.1:${await reservePort()}`;
    const told = { url: databaseUrl, port: ports[name], health, identityDir, link, clock };
    collectors.set(name, { part: await begin(collectorPart(name, told)), health, clock });
  }
  const fingerprint = fingerprintOf(identity.authority.certificate);
  const apiPort = await reservePort();
  const healthPort = await reservePort();
  const collectorPort = ports['collector-a'];
  const api = await begin(apiPart({ databaseUrl, port: apiPort, healthPort, collectorPort, fingerprint }));
  const key = await createApiKey(pool, 'fault runner');
  const agents = new Map<AgentName, StandingAgent>();
  const started = AGENTS.map(async (name) => {
    const agent = await prepareAgent(name, { dir, pool, fingerprint, link, host: hosts.of(name), closers });
    agents.set(name, { ...agent, part: await begin(agent.program) });
  });
  // All of them have come as far as they can before anything is ended.
  for (const end of await Promise.allSettled(started)) if (end.status === 'rejected') throw end.reason;
  return {
    database,
    pool,
    rest: restClient(`http://127.0.0.1:${apiPort}`, key?.key ?? ''),
    agents,
    collectors,
    api: { part: api, health: `127.0.0.1:${healthPort}` },
    nats: { part: nats, wipe: () => rmSync(join(dir, 'nats', 'jetstream'), { recursive: true, force: true }) },
    link,
  };
}

async function openLinks(
  to: { databaseUrl: string; natsPort: number; ports: Record<CollectorName, number> },
  address: string,
  closers: Closers,
): Promise<Map<string, Link>> {
  const links = new Map<string, Link>();
  const add = async (name: string, targets: number[]): Promise<void> => {
    const link = await openLink(await reservePort(), targets, address);
    closers.push(() => link.close());
    links.set(name, link);
  };
  const { 'collector-a': a, 'collector-b': b } = to.ports;
  for (const name of AGENTS) {
    await add(`${name} nats`, [to.natsPort]);
    // Half of the agents have their home at either collector, and go to the other one while theirs is away.
    await add(`${name} collector`, name.endsWith('1') ? [a, b] : [b, a]);
  }
  for (const name of COLLECTORS) {
    await add(`${name} nats`, [to.natsPort]);
    await add(`${name} database`, [Number(new URL(to.databaseUrl).port || 5432)]);
  }
  return links;
}

function clockOf(name: AgentName | CollectorName, dir: string): FalseClock | null {
  return UNTRUE_CLOCKS.includes(name) ? openFalseClock(join(dir, `${name}.clock`)) : null;
}

function collectorPart(
  name: CollectorName,
  told: {
    url: string;
    port: number;
    health: string;
    identityDir: string;
    link: Stand['link'];
    clock: FalseClock | null;
  },
): Part {
  const url = new URL(told.url);
  url.host = told.link(name, 'database').address;
  const env = {
    DATABASE_URL: url.href,
    NATS_URL: `tls://${told.link(name, 'nats').address}`,
    FARWATCH_IDENTITY_DIR: told.identityDir,
    COLLECTOR_LISTEN: `127.0.0.1:${told.port}`,
    HEALTH_LISTEN: told.health,
    ...told.clock?.env,
  };
  return {
    name,
    spawn: (stdio) => spawnProgram('collector', env, stdio),
    ready: (child) => listening(child, told.port),
    stopSignal: 'SIGTERM',
    layer: 'program',
  };
}

async function prepareAgent(
  name: AgentName,
  {
    dir,
    pool,
    fingerprint,
    link,
    host,
    closers,
  }: Pick<Stand, 'pool' | 'link'> & {
    dir: string;
    fingerprint: string;
    host: AgentHost;
    closers: Closers;
  },
): Promise<Omit<StandingAgent, 'part'> & { program: Part }> {
  const own = join(dir, 'agents', name);
  const stateDir = join(own, 'state');
  mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  const disk = openFailingDisk(stateDir);
  closers.push(async () => disk.close());
  const collector = link(name, 'collector').address;
  const invited = await inviteAgent(
    pool,
    { region: regionOf(name), name, lifetimeSeconds: 3600 },
    {
      ...{ collector, fingerprint },
    },
  );
  if ('problem' in invited) throw new Error(`${name} was not invited: ${invited.problem}`);
  // Outside the state folder: an agent that starts on a failing disk still knows who it is.
  const files = { invitation: join(own, 'invitation'), identity: join(own, 'identity.json') };
  writeFileSync(files.invitation, invited.token, { mode: 0o600 });
  const clock = clockOf(name, dir);
  const health = `${host.address}:${await reservePort()}`;
  const env = {
    HEALTH_LISTEN: health,
    FARWATCH_IDENTITY_FILE: files.identity,
    FARWATCH_INVITATION_FILE: files.invitation,
    FARWATCH_STATE_DIR: stateDir,
    FARWATCH_ALLOW: 'loopback,private',
    COLLECTOR_ADDRESS: collector,
    NATS_URL: `tls://${link(name, 'nats').address}`,
    ...disk.env,
    ...clock?.env,
    LD_PRELOAD: [clock?.env.LD_PRELOAD, disk.env.LD_PRELOAD].filter((one) => one !== undefined).join(':'),
  };
  const program: Part = {
    name,
    spawn: (stdio) => spawnProgram('agent', env, stdio, host.inside),
    ready: async () => void (await eventually(`${name} is enrolled`, START_MS, () => existsSync(files.identity))),
    stopSignal: 'SIGTERM',
    layer: 'agent',
  };
  return { program, disk, clock, health, host, spoolDir: join(stateDir, 'spool') };
}
