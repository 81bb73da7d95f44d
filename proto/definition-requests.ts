import { z } from 'zod';
import { bucketOf } from './kv.ts';

/** What an agent asks collectors for, over NATS: to have its region's bucket sent to it, or the bucket's manifest. */
export type DefinitionRequest = 'watch' | 'manifest';

const REQUESTS: readonly DefinitionRequest[] = ['watch', 'manifest'];
const SUBJECT = /^farwatch\.definitions\.([^.*>]+)\.([1-9]\d{0,9})\.([a-z]+)$/;
/** A word of a subject, as long as a UUID at most. */
const WORD = /^[\w-]{1,36}$/;

/** What all agents ask. */
export const DEFINITION_REQUESTS = 'farwatch.definitions.*.*.*';

/** Where an agent asks; the subject says who it is. */
export function subjectOfRequest(region: string, agentId: number, what: DefinitionRequest | '*'): string {
  return `farwatch.definitions.${region}.${agentId}.${what}`;
}

/** Who asks for what, by the subject; null where that is none of these. */
export function requestOf(subject: string): { region: string; agentId: number; what: DefinitionRequest } | null {
  const [, region, agentId, word] = SUBJECT.exec(subject) ?? [];
  const what = REQUESTS.find((one) => one === word);
  return region === undefined || what === undefined ? null : { region, agentId: Number(agentId), what };
}

/** The prefix of an agent's inboxes; nobody else may listen there. */
export function inboxPrefixOf(agentId: number): string {
  return `_INBOX_${agentId}`;
}

/** Whether a subject is in an agent's own inboxes, and nothing but a subject. */
export function isInboxOf(agentId: number, subject: string): boolean {
  const [prefix, ...words] = subject.split('.');
  return prefix === inboxPrefixOf(agentId) && words.length > 0 && words.every((word) => WORD.test(word));
}

/** Where a watch's values go: `watch` is a word that the agent chose for it. */
export function deliverSubjectOf(agentId: number, watch: string): string {
  return `${inboxPrefixOf(agentId)}.definitions.${watch}`;
}

/** The one consumer of its region's bucket that an agent has. */
export function bucketConsumerOf(region: string, agentId: number): { stream: string; name: string } {
  return { stream: `KV_${bucketOf(region)}`, name: `agent-${agentId}` };
}

/** How often the server says that a watch lives, milliseconds. */
export const WATCH_HEARTBEAT_MS = 5000;

/** What a collector answers. `manifest`: the value as it stands in the bucket; null where there is none. */
export const definitionAnswer = z.object({
  problem: z.string().optional(),
  manifest: z.string().nullable().optional(),
});
export type DefinitionAnswer = z.infer<typeof definitionAnswer>;
