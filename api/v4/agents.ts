import { z } from 'zod';
import { agentResource, regionResource } from '../../core/agent-resource.ts';
import type { AgentState } from '../../core/agent-state.ts';
import { listAgentStates, listRegionStates, type AgentStateRow } from '../../db/agent-states.ts';
import { route } from '../http/route.ts';

/** Extras of this project: the agents and their regions as they are now. */

export const agentRoutes = [
  route({
    method: 'GET',
    path: '/api/v4/agents',
    summary: 'List agents with what they last said of themselves, oldest first',
    permission: 'monitors.read',
    response: z.object({ agents: z.array(agentResource) }),
    handler: async (_input, { db }) => ({ agents: (await listAgentStates(db)).map(shownAgent) }),
  }),
  route({
    method: 'GET',
    path: '/api/v4/regions',
    summary: 'List regions with the number of their agents, by name',
    permission: 'monitors.read',
    response: z.object({ regions: z.array(regionResource) }),
    handler: async (_input, { db }) => ({ regions: await listRegionStates(db) }),
  }),
];

/** What an agent last said of itself, as answers show it. */
export function shownAgent({ state, now, credentials_until, ...row }: AgentStateRow): z.input<typeof agentResource> {
  // What it showed is what counts; until it has, what it was given.
  return { ...row, certificate_expires_at: credentials_until, ...(state === null ? NOTHING_SAID : saidIn(state, now)) };
}

const NOTHING_SAID = {
  capabilities: [],
  clock_offset_ms: null,
  monitors: null,
  spool: null,
  unknown_last_hour: {},
  problems: [],
};

function saidIn(state: AgentState, now: number) {
  const { spoolResults, spoolBytes, spoolOldest, clockOffsetUs } = state;
  const age_seconds = spoolOldest === null ? 0 : Math.max(0, Math.round(now - spoolOldest));
  return {
    certificate_expires_at: new Date(state.certificateExpires * 1000).toISOString(),
    capabilities: state.capabilities,
    clock_offset_ms: clockOffsetUs === null ? null : clockOffsetUs / 1000,
    monitors: state.assigned,
    spool: { results: spoolResults, bytes: spoolBytes, oldest_ts: spoolOldest, age_seconds },
    unknown_last_hour: state.unknownLastHour,
    problems: state.problems,
  };
}
