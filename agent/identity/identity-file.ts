import { z } from 'zod';
import { readKept, writeDurably } from '../durable-file.ts';

const identitySchema = z.object({
  agentId: z.int().positive(),
  name: z.string(),
  region: z.string(),
  /** host:port of collectors. */
  collector: z.string(),
  /** Certificates and keys, PEM. */
  authority: z.string(),
  certificate: z.string(),
  key: z.string(),
  definitionsKey: z.string(),
  nats: z.object({ url: z.string(), seed: z.string(), jwt: z.string() }),
});

/** Who this agent is: what it was given when it was enrolled, and its keys. A file that only its owner can read. */
export type AgentIdentity = z.output<typeof identitySchema>;

/** Null where there is none, or none that can be read. */
export function readIdentityFile(path: string): Promise<AgentIdentity | null> {
  return readKept(path, identitySchema);
}

export function writeIdentityFile(path: string, identity: AgentIdentity): Promise<void> {
  return writeDurably(path, JSON.stringify(identity));
}
