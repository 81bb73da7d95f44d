import type { AgentState } from '../core/agent-state.ts';
import type { AgentReport } from '../db/agent-reports.ts';
import type { Logger } from '../runtime/logger.ts';
import { createGate } from './gate.ts';

/** An agent's row is written at most this often. */
const WRITE_MS = 10_000;

/** Remembers what agents said of themselves until it is worth a write. */
export interface AgentLedger {
  /** An agent has connected: written at once, since its region is waited for from now on. */
  connected(agentId: number, version: string): void;
  /** An agent was heard; `state` null: it said nothing new of itself. */
  heard(agentId: number, version: string, state: AgentState | null): void;
  /** Writes every ten seconds, and once more at the end. */
  run(signal: AbortSignal): Promise<void>;
}

export function createAgentLedger(
  write: (reports: readonly AgentReport[]) => Promise<void>,
  logger: Logger,
): AgentLedger {
  const said = new Map<number, AgentReport>();
  const news = createGate();
  const flush = async (): Promise<void> => {
    const reports = [...said.values()];
    said.clear();
    if (reports.length === 0) return;
    try {
      await write(reports);
    } catch (error) {
      // Agents say it again; only what they said since is newer.
      for (const report of reports) if (!said.has(report.agentId)) said.set(report.agentId, report);
      logger.warn({ err: error, agents: reports.length }, 'agents not recorded');
    }
  };
  const heard = (agentId: number, version: string, state: AgentState | null): void => {
    said.set(agentId, { agentId, version, state: state ?? said.get(agentId)?.state ?? null });
  };
  return {
    heard,
    connected(agentId, version) {
      heard(agentId, version, null);
      news.open();
    },
    async run(signal) {
      while (!signal.aborted) {
        await flush();
        await news.opened(WRITE_MS, signal);
      }
      await flush();
    },
  };
}
