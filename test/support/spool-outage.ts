import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePort } from '../../deploy/local/free-port.ts';
import type { SinkOrder, SinkReport } from './counting-sink-process.ts';
import { forkProgram, type ForkedProgram } from './forked-program.ts';
import type { SpoolingAgentOptions, SpoolingAgentOrder, SpoolingAgentReport } from './spooling-agent-process.ts';
import { testAgentTls, testServerTls } from './test-identity.ts';

type SpoolingAgent = ForkedProgram<SpoolingAgentOrder, SpoolingAgentReport>;

/** An agent that lives through an outage of its collector, and a collector that counts what comes when it is back. */
export interface SpoolOutage {
  agent: SpoolingAgent;
  sink: ForkedProgram<SinkOrder, SinkReport>;
  /** Lets the outage pass, as fast as the disk takes its results. */
  pass(): Promise<void>;
  /** The collector is back; the agent goes on in real time. Resolves when the agent has found it. */
  end(): Promise<void>;
  /** Resolves when the whole backlog has arrived. */
  whole(): Promise<void>;
  /** Lets the agent measure no more and waits until everything has arrived. */
  settle(): Promise<SinkReport>;
  close(): Promise<void>;
}

const EPOCH = 'epoch-1';
const FIRST_MINUTE = 1_800_000_000;
/** Longer than any backlog takes. */
const LIVE_MINUTES = 120;
const LOOK_MS = 100;

export async function openSpoolOutage({
  monitors,
  minutes,
}: {
  monitors: number;
  minutes: number;
}): Promise<SpoolOutage> {
  const port = await freePort();
  const shared = { epoch: EPOCH, monitors, firstMinute: FIRST_MINUTE };
  const { agent, close } = await startSpoolingAgent({ ...shared, port, region: 'eu', tls: testAgentTls });
  const sink = forkProgram<SinkOrder, SinkReport>('counting-sink');
  return {
    agent,
    sink,
    async pass() {
      await agent.tell({ order: 'pass', minutes });
    },
    async end() {
      const counted = { minutes: minutes + LIVE_MINUTES, backlogMinutes: minutes };
      await sink.tell({ order: 'begin', options: { ...shared, ...counted, port, tls: testServerTls } });
      await agent.tell({ order: 'live' });
      const { minute, liveSinceMs } = await agent.tell({ order: 'report' });
      await sink.tell({ order: 'live', from: minute, sinceMs: liveSinceMs });
      while ((await agent.tell({ order: 'report' })).sessions === 0) await wait(LOOK_MS);
    },
    async whole() {
      while ((await sink.tell({ order: 'report' })).wholeMs === 0) await wait(LOOK_MS);
    },
    async settle() {
      await agent.tell({ order: 'rest' });
      while ((await agent.tell({ order: 'report' })).spool.rows > 0) await wait(LOOK_MS);
      return sink.tell({ order: 'report' });
    },
    async close() {
      await Promise.all([close(), sink.end()]);
    },
  };
}

/** Starts an agent of made-up results, with a spool folder of its own and its collector at that port of loopback. */
export async function startSpoolingAgent({
  port,
  ...options
}: Omit<SpoolingAgentOptions, 'folder' | 'limitBytes' | 'collector'> & { port: number }): Promise<{
  agent: SpoolingAgent;
  close: () => Promise<void>;
}> {
  const parent = mkdtempSync(join(tmpdir(), 'farwatch-outage-'));
  const agent: SpoolingAgent = forkProgram('spooling-agent');
  const folder = join(parent, 'spool');
  await agent.tell({
    order: 'begin',
    options: { ...options, folder, limitBytes: 2 ** 40, collector: `127.0.0.1:${port}` },
  });
  return {
    agent,
    async close() {
      await agent.end();
      rmSync(parent, { recursive: true, force: true });
    },
  };
}
