import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Minute } from '../../core/minute.ts';
import type { AgentProcess } from './agent-process.ts';
import { openAgentScene, type AgentScene } from './agent-scene.ts';
import { eventually } from './eventually.ts';
import { issueAgentTls } from './test-identity.ts';

/** Agents of one region as processes, around a collector that only counts. */
export interface DivisionScene extends AgentScene {
  /** Starts the agent with this id; its state stays from one start to the next. */
  start(agentId: number): AgentProcess;
  /** Waits until these agents say that they share the region, and nobody else. Returns the first minute they do so in. */
  shared(agents: ReadonlyMap<number, AgentProcess>): Promise<Minute>;
  /** Which agents measured each monitor in a minute. */
  measured(minute: Minute): Map<number, number[]>;
  /** Waits until `second` of a minute. */
  until(minute: Minute, second: number): Promise<void>;
}

const MOST_AGENTS = 8;

/** With `monitors` monitors, each due every minute. */
export async function openDivisionScene(monitors: number): Promise<DivisionScene> {
  const scene = await openAgentScene();
  const agents = await Promise.all(Array.from({ length: MOST_AGENTS }, (_, index) => issueAgentTls(index + 1)));
  scene.collector.options.agentIdOf = (shown) => agents.findIndex(({ keyHash }) => keyHash === shown) + 1;
  await scene.bucket.publish(scene.definitions(monitors), 1);
  return {
    ...scene,
    start(agentId) {
      const stateDir = join(scene.stateDir, String(agentId));
      mkdirSync(stateDir, { recursive: true, mode: 0o700 });
      return scene.startAgent({ stateDir, agentId, tls: agents[agentId - 1]?.tls });
    },
    async shared(agents) {
      const ids = [...agents.keys()].sort((a, b) => a - b);
      const fromMs = await eventually(
        () => `agents ${ids.join()}: ${JSON.stringify([...agents.values()].map(({ log }) => log.slice(-3)))}`,
        240_000,
        () => {
          const shares = [...agents.values()].map((agent) => sharesOf(agent, ids));
          return shares.every((ms) => ms !== null) ? Math.max(...shares) : null;
        },
      );
      return Math.max(fromMs / 1000, Math.ceil(Date.now() / 60_000) * 60);
    },
    measured(minute) {
      const { results, senders } = scene.collector;
      const found = new Map<number, number[]>();
      for (let id = 1; id <= monitors; id += 1) found.set(id, []);
      results.forEach((row, index) => {
        if (row.minute === minute && row.status === 'UP') found.get(row.monitorId)?.push(senders[index] ?? 0);
      });
      return found;
    },
    until: (minute, second) => wait(Math.max(0, (minute + second) * 1000 - Date.now())),
  };
}

/** From when on the newest division an agent tells of holds, if it is among these agents; null where it is not. */
function sharesOf({ log }: AgentProcess, ids: readonly number[]): number | null {
  const last = log.findLast(({ msg }) => msg === 'region is divided anew');
  // What agent/division.ts logs.
  const agents = (last?.agents ?? []) as { agentId: number; fromMs: number | null; untilMs: number | null }[];
  const staying = agents.filter(({ fromMs, untilMs }) => fromMs !== null && untilMs === null);
  const found = staying.map(({ agentId }) => agentId).sort((a, b) => a - b);
  if (found.join() !== ids.join()) return null;
  return Math.max(...staying.map(({ fromMs }) => fromMs ?? Infinity));
}

/** How many monitors were measured how many times. */
export function timesOf(measured: ReadonlyMap<number, number[]>): Record<number, number> {
  const times: Record<number, number> = {};
  for (const { length } of measured.values()) times[length] = (times[length] ?? 0) + 1;
  return times;
}
