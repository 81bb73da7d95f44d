import { z } from 'zod';

/** What an agent last said of itself, as it is stored. */

const count = z.int().min(0);
const counts = z.record(z.string(), count);

export const agentState = z.object({
  capabilities: z.array(z.string()),
  /** Monitors it knows of; its share of the region is `assigned`. */
  monitors: count,
  assigned: count,
  /** Of the definitions it goes by. */
  epoch: z.string(),
  generation: count,
  spoolResults: count,
  spoolBytes: count,
  /** Unix seconds; null: the spool is empty. */
  spoolOldest: count.nullable(),
  /** Its wall clock less the database's clock; null: it has not learnt that one yet. */
  clockOffsetUs: z.int().nullable(),
  /** Of the certificate it showed, unix seconds. */
  certificateExpires: count,
  /** UNKNOWN results by reason. */
  unknownLastHour: counts,
  counters: counts,
  problems: z.array(z.string()),
});
export type AgentState = z.output<typeof agentState>;
