import { z } from 'zod';
import type { AgentState } from '../../core/agent-state.ts';
import { listAgentStates, listRegionStates, type AgentStateRow } from '../../db/agent-states.ts';
import { route } from '../http/route.ts';

/** Extras of this project: the agents and their regions as they are now. */

const count = z.int().min(0);
const time = z.iso.datetime({ precision: 3 });

export const agentResource = z
  .object({
    id: z.int(),
    name: z.string(),
    region: z.string(),
    version: z.string().nullable(),
    capabilities: z
      .array(z.string())
      .meta({ description: 'Monitor types it has probes for', examples: [['PING', 'TCP', 'DNS']] }),
    created_at: time,
    revoked_at: time.nullable(),
    certificate_expires_at: time.nullable(),
    last_seen: time.nullable(),
    connected: z.boolean().meta({ description: 'Heard within the last 30 seconds, and not revoked' }),
    clock_offset_ms: z.number().nullable().meta({ description: "Its wall clock less the service's; null: not known" }),
    monitors: count.nullable().meta({ description: 'Its share: the monitors of the region that it measures now' }),
    spool: z
      .object({
        results: count.meta({ description: 'Not yet acknowledged' }),
        bytes: count,
        oldest_ts: z.int().nullable().meta({ description: 'UTC Unix seconds; null: it is empty' }),
        age_seconds: z.number().min(0).meta({ description: 'Of the oldest result' }),
      })
      .nullable(),
    unknown_last_hour: z
      .record(z.string(), count)
      .meta({ description: 'Results without a measurement, by reason', examples: [{ stalled: 3 }] }),
    problems: z.array(z.string()).meta({ description: 'What its owner should repair' }),
  })
  .meta({ id: 'Agent' });

export const regionResource = z
  .object({
    id: z.int(),
    name: z.string(),
    created_at: time,
    agents: count.meta({ description: 'Enrolled and not revoked' }),
    connected_agents: count,
    minutes: z
      .object({ due: count, known: count, unknown: count, absent: count, missing: count })
      .meta({ description: 'What became of the monitor minutes of the last 24 hours, as far as they are reckoned' }),
  })
  .meta({ id: 'Region' });

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
