import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Definition } from '../../../core/definition.ts';
import { floorMinute } from '../../../core/minute.ts';
import { startAgentProcess, type AgentEnvironment, type AgentProcess } from '../../support/agent-process.ts';
import { startCountingCollector, type CountingCollector } from '../../support/counting-collector.ts';
import { eventually } from '../../support/eventually.ts';
import { startNats, type TestNats } from '../../support/nats.ts';
import { openRegionBucket, type RegionBucket } from '../../support/region-bucket.ts';

/** A fixed slot may lie anywhere in the minute's first 45 seconds. */
const ONE_MINUTE_MS = 75_000;

let nats: TestNats;
let bucket: RegionBucket;
let collector: CountingCollector;
let target: Server;
let stateDir: string;
let agents: AgentProcess[];

beforeAll(async () => {
  nats = await startNats();
  target = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  target.close();
  await nats.stop();
});

beforeEach(async () => {
  stateDir = mkdtempSync(join(tmpdir(), 'farwatch-agent-'));
  collector = await startCountingCollector();
  bucket = await openRegionBucket(nats.url, 'eu');
  await bucket.recreate();
  agents = [];
});

afterEach(async () => {
  for (const agent of agents) {
    agent.kill('SIGKILL');
    await agent.exited;
  }
  await collector.stop();
  await bucket.close();
  rmSync(stateDir, { recursive: true, force: true });
});

function startAgent(environment: Partial<AgentEnvironment> = {}): AgentProcess {
  const agent = startAgentProcess({ collector: collector.address, natsUrl: nats.url, stateDir, ...environment });
  agents.push(agent);
  return agent;
}

function openPort(monitorId: number): Definition {
  // A server that listens on TCP has such an address.
  const { port } = target.address() as AddressInfo;
  const hosts = [{ type: 'IP4' as const, host: '127.0.0.1', port, timeout: 1000 }];
  return {
    monitorId,
    versions: [{ revision: 1, fromMinute: 0, cron: null, probe: { kind: 'TCP', config: { hosts } } }],
  };
}

function many(count: number): Definition[] {
  return Array.from({ length: count }, (_, index) => openPort(index + 1));
}

describe('an agent', () => {
  it(
    'measures what its region is told to and delivers each due minute',
    async () => {
      await bucket.publish(many(20), 1);
      const agent = startAgent();
      await eventually(
        () => `results of a whole minute: ${JSON.stringify(agent.log.slice(-5))} ${agent.stderr()}`,
        ONE_MINUTE_MS,
        () => collector.results.length >= 20,
      );
      expect(new Set(collector.results.map(({ monitorId }) => monitorId)).size).toBe(20);
      const minutes = new Set(collector.results.map(({ minute }) => minute));
      expect([...minutes].every((minute) => Math.abs(minute - floorMinute(Date.now() / 1000)) <= 120)).toBe(true);
      const up = collector.results.filter(({ status }) => status === 'UP');
      expect(up.length).toBeGreaterThan(0);
      expect(collector.results.filter(({ status }) => status === 'DOWN')).toEqual([]);
      agent.kill('SIGTERM');
      expect(await agent.exited).toBe(0);
      expect(collector.leaves).toBe(1);
    },
    ONE_MINUTE_MS + 30_000,
  );
});
