import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Definition } from '../../core/definition.ts';
import type { SpoolRecord } from '../../agent/spool/record.ts';
import { startAgentProcess, type AgentEnvironment, type AgentProcess } from './agent-process.ts';
import { startCountingCollector, type CountingCollector } from './counting-collector.ts';
import { startNats, type TestNats } from './nats.ts';
import { openRegionBucket, type RegionBucket } from './region-bucket.ts';

/** What an agent needs around it: NATS, a bucket, a counting collector, an open port to check, a state folder. */
export interface AgentScene {
  nats: TestNats;
  bucket: RegionBucket;
  collector: CountingCollector;
  stateDir: string;
  startAgent(environment?: Partial<AgentEnvironment>): AgentProcess;
  /** Definitions 1 to `count`, each of the open port. */
  definitions(count: number): Definition[];
  /** What the collector has, as the spool of the agent would hold it. */
  records(): SpoolRecord[];
  end(): Promise<void>;
}

export async function openAgentScene(): Promise<AgentScene> {
  const nats = await startNats();
  const target = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
  const stateDir = mkdtempSync(join(tmpdir(), 'farwatch-agent-'));
  const collector = await startCountingCollector();
  const bucket = await openRegionBucket(nats.url, 'eu');
  const agents: AgentProcess[] = [];
  return {
    nats,
    bucket,
    collector,
    stateDir,
    startAgent(environment = {}) {
      const agent = startAgentProcess({ collector: collector.address, natsUrl: nats.url, stateDir, ...environment });
      agents.push(agent);
      return agent;
    },
    definitions(count) {
      // A server that listens on TCP has such an address.
      const { port } = target.address() as AddressInfo;
      const hosts = [{ type: 'IP4' as const, host: '127.0.0.1', port, timeout: 1000 }];
      return Array.from({ length: count }, (_, index) => ({
        monitorId: index + 1,
        versions: [{ revision: 1, fromMinute: 0, cron: null, probe: { kind: 'TCP', config: { hosts } } }],
      }));
    },
    records: () => [
      { kind: 'results', results: collector.results, provisional: null },
      { kind: 'absences', absences: collector.absences },
    ],
    async end() {
      for (const agent of agents) {
        agent.kill('SIGKILL');
        await agent.exited;
      }
      await collector.stop();
      await bucket.close();
      await nats.stop();
      target.close();
      rmSync(stateDir, { recursive: true, force: true });
    },
  };
}
