import { join } from 'node:path';
import { provideDemo, firstPoint, type Client } from './demo.ts';
import { startNameServer } from './demo-name-server.ts';
import { provideIdentities, provideKeys, type CollectorKeys, type Identities } from './identities.ts';
import type { Options } from './options.ts';
import { agentPart, apiPart, collectorPart, nameOfAgent, natsPart, postgresPart } from './parts.ts';
import { choosePorts, type Ports } from './ports.ts';
import type { ProcessList } from './process-list.ts';
import { supervise, type Part, type Supervised } from './supervise.ts';

export interface Launch {
  options: Options;
  databaseUrl: string | undefined;
  natsUrl: string | undefined;
  processes: ProcessList;
  /** Aborts when the launcher is to end, at whatever step it is. */
  signal: AbortSignal;
  say: (line: string) => void;
}

/** What runs, in the order it was started. */
export interface Running {
  parts: Supervised[];
  closers: (() => Promise<void>)[];
}

/**
 * Starts every part, then waits for the first point. `running` grows as parts start, so that all can be ended.
 * Rejects when a part does not come up, and as soon as the signal aborts.
 */
export async function launch(launch: Launch, running: Running): Promise<void> {
  const { options, signal, say } = launch;
  const ports = await choosePorts(options.dataDir, ['collector', 'api', ...options.regions.map(nameOfAgent)]);
  const keys = await provideKeys(options.dataDir);
  const { identityDir } = keys;
  const addresses = await startStores(launch, ports, identityDir, running);
  const identities = await provideIdentities({
    dir: options.dataDir,
    databaseUrl: addresses.databaseUrl,
    embedded: launch.databaseUrl === undefined,
    regions: options.regions,
    collectorPort: ports.collector,
    identityDir,
  });
  if (identities.apiKeyIsNew) say(`API key: ${identities.apiKey}`);
  if (identities.setupToken) say(`set-up token: ${identities.setupToken}`);
  await startPrograms(launch, { ...addresses, ports, identities, keys }, running);
  const shown = Object.entries(ports.health).map(([name, port]) => `${name} 127.0.0.1:${port}`);
  say(`/metrics and /healthz: ${shown.join(', ')}`);
  const client: Client = { baseUrl: `http://127.0.0.1:${options.port}`, apiKey: identities.apiKey };
  if (options.demo) await demonstrate(client, ports.demoDns, launch, running);
  signal.throwIfAborted();
  say(`ready ${client.baseUrl}`);
}

interface Addresses {
  databaseUrl: string;
  natsUrl: string;
}

/** What was made for the programs before they start. */
interface Started {
  ports: Ports;
  identities: Identities;
  keys: CollectorKeys;
}

/** The database and the bus, unless others are named. */
async function startStores(launch: Launch, ports: Ports, identityDir: string, running: Running): Promise<Addresses> {
  const { dataDir } = launch.options;
  const bus = launch.natsUrl ? [] : [natsPart(dataDir, ports.nats, identityDir)];
  const cluster = launch.databaseUrl ? null : await postgresPart(dataDir, ports.postgres, launch.say);
  await start(launch, cluster ? [...bus, cluster.part] : bus, running);
  return {
    databaseUrl: launch.databaseUrl ?? cluster?.url ?? '',
    natsUrl: launch.natsUrl ?? `tls://127.0.0.1:${ports.nats}`,
  };
}

async function startPrograms(
  launch: Launch,
  { databaseUrl, natsUrl, ports, identities, keys }: Addresses & Started,
  running: Running,
): Promise<void> {
  const { dataDir, port } = launch.options;
  const agents = [...identities.agents].map(([region, files]) =>
    agentPart({
      region,
      files,
      natsUrl,
      collectorPort: ports.collector,
      healthPort: ports.health[nameOfAgent(region)],
      stateDir: join(dataDir, 'agents', region),
    }),
  );
  const programs = [
    collectorPart({
      ...{ databaseUrl, natsUrl, identityDir: keys.identityDir },
      port: ports.collector,
      healthPort: ports.health.collector,
    }),
    apiPart({
      ...{ databaseUrl, port, fingerprint: keys.fingerprint },
      collectorPort: ports.collector,
      healthPort: ports.health.api,
    }),
  ];
  await start(launch, [...programs, ...agents], running);
}

/** Starts parts side by side and waits until all are up. */
async function start({ options, processes, signal, say }: Launch, parts: Part[], running: Running): Promise<void> {
  signal.throwIfAborted();
  const started = parts.map((part) => supervise(part, { dir: options.dataDir, processes, say }));
  running.parts.push(...started);
  await orAborted(Promise.all(started.map(({ up }) => up)), signal);
  signal.throwIfAborted();
}

async function demonstrate(client: Client, dnsPort: number, launch: Launch, running: Running): Promise<void> {
  const nameServer = await startNameServer(dnsPort);
  running.closers.push(() => nameServer.close());
  const tags = await provideDemo(client, { api: launch.options.port, dns: nameServer.port });
  launch.say('everything is up; the first check is due within a minute');
  await firstPoint(client, tags, launch.signal);
}

/** Resolves early when the launcher is to end. */
function orAborted(work: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  return Promise.race([
    work,
    new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
  ]);
}
