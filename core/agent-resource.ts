import { z } from 'zod';

/** Agents and their regions as answers show them: extras of this project. */

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
      .meta({ description: 'Monitor types that it can measure', examples: [['PING', 'TCP', 'DNS']] }),
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
export type Agent = z.output<typeof agentResource>;

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
export type Region = z.output<typeof regionResource>;

/** An invitation that nobody has used yet. */
export const pendingInvitation = z.object({
  name: z.string().meta({ description: 'Of the agent that is to come' }),
  region: z.string(),
  created_at: time,
  expires_at: time,
});
export type PendingInvitation = z.output<typeof pendingInvitation>;

/** What `inviteAgent` answers. */
export const agentInvitation = z.object({
  name: z.string(),
  region: z.string(),
  command: z.string().meta({ description: 'It is shown this once' }),
  token: z.string(),
  expires_at: time,
});
export type AgentInvitation = z.output<typeof agentInvitation>;
