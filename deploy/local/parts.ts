import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openCluster } from './embedded-postgres.ts';
import type { AgentFiles } from './identities.ts';
import { natsReady, spawnNatsServer } from './nats-server.ts';
import { listening, spawnProgram } from './programs.ts';
import type { Part } from './supervise.ts';
import { monotonicMs, sleep } from '../../runtime/time.ts';

/** What an agent waits for may come later than this. */
const AGENT_SETTLED_MS = 300;
/** How long the collector may take to be there, and to make it an agent. */
const ENROLLED_LIMIT_MS = 60_000;

export async function postgresPart(
  dir: string,
  port: number,
  say: (line: string) => void,
): Promise<{ part: Part; url: string }> {
  const cluster = await openCluster({ dir, port, say });
  const part: Part = {
    name: 'postgres',
    spawn: (stdio) => cluster.spawn(stdio),
    ready: (child) => cluster.ready(child),
    // Ends sessions instead of waiting for them.
    stopSignal: 'SIGINT',
    layer: 'store',
  };
  return { part, url: cluster.url };
}

export function natsPart(dir: string, port: number, identityDir: string): Part {
  const storeDir = join(dir, 'nats');
  mkdirSync(storeDir, { recursive: true, mode: 0o700 });
  return {
    name: 'nats-server',
    spawn: (stdio) => spawnNatsServer({ storeDir, port, identityDir }, stdio),
    ready: (child) => natsReady(child, port),
    stopSignal: 'SIGTERM',
    layer: 'store',
  };
}

export function collectorPart(options: {
  databaseUrl: string;
  natsUrl: string;
  port: number;
  healthPort?: number;
  identityDir: string;
}): Part {
  const env = {
    DATABASE_URL: options.databaseUrl,
    NATS_URL: options.natsUrl,
    FARWATCH_IDENTITY_DIR: options.identityDir,
    COLLECTOR_LISTEN: `127.0.0.1:${options.port}`,
    HEALTH_LISTEN: healthAddress(options),
  };
  return {
    name: 'collector',
    spawn: (stdio) => spawnProgram('collector', env, stdio),
    ready: (child) => listening(child, options.port),
    stopSignal: 'SIGTERM',
    layer: 'program',
  };
}

export function apiPart(options: {
  databaseUrl: string;
  port: number;
  healthPort?: number;
  collectorPort: number;
  /** By what agents know the collectors. */
  fingerprint: string;
}): Part {
  const env = {
    DATABASE_URL: options.databaseUrl,
    API_LISTEN: `127.0.0.1:${options.port}`,
    HEALTH_LISTEN: healthAddress(options),
    // Where it is reached unless somebody says otherwise: feeds need it.
    PUBLIC_URL: process.env.PUBLIC_URL ?? `http://127.0.0.1:${options.port}`,
    COLLECTOR_ADDRESS: `127.0.0.1:${options.collectorPort}`,
    AUTHORITY_FINGERPRINT: options.fingerprint,
  };
  return {
    name: 'api',
    spawn: (stdio) => spawnProgram('api', env, stdio),
    ready: (child) => listening(child, options.port),
    stopSignal: 'SIGTERM',
    layer: 'program',
  };
}

export function agentPart(options: {
  region: string;
  files: AgentFiles;
  natsUrl: string;
  collectorPort: number;
  healthPort?: number;
  stateDir: string;
}): Part {
  mkdirSync(options.stateDir, { recursive: true, mode: 0o700 });
  const env = {
    FARWATCH_IDENTITY_FILE: options.files.identityFile,
    FARWATCH_INVITATION_FILE: options.files.invitationFile,
    FARWATCH_STATE_DIR: options.stateDir,
    // The demo's targets are this host's own.
    FARWATCH_ALLOW: 'loopback,private',
    COLLECTOR_ADDRESS: `127.0.0.1:${options.collectorPort}`,
    NATS_URL: options.natsUrl,
    HEALTH_LISTEN: healthAddress(options),
  };
  return {
    name: nameOfAgent(options.region),
    spawn: (stdio) => spawnProgram('agent', env, stdio),
    ready: (child) => enrolled(child, options.files.identityFile),
    stopSignal: 'SIGTERM',
    layer: 'agent',
  };
}

export function nameOfAgent(region: string): string {
  return `agent-${region}`;
}

/** Empty, as good as not set, where health and metrics are not to be had. */
function healthAddress({ healthPort }: { healthPort?: number }): string {
  return healthPort === undefined ? '' : `127.0.0.1:${healthPort}`;
}

/** An agent is up when it is enrolled and has lived for a moment. */
async function enrolled(child: ChildProcess, identityFile: string): Promise<void> {
  const ended = new AbortController();
  child.once('error', () => ended.abort());
  child.once('exit', () => ended.abort());
  const deadline = monotonicMs() + ENROLLED_LIMIT_MS;
  while (!existsSync(identityFile) && monotonicMs() < deadline && !ended.signal.aborted) await sleep(50, ended.signal);
  await sleep(AGENT_SETTLED_MS, ended.signal);
  if (ended.signal.aborted) throw new Error('ended while starting');
  if (!existsSync(identityFile)) throw new Error('was not enrolled');
}
