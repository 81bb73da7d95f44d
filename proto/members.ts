import { z } from 'zod';
import { parseJson } from '../core/json-text.ts';

/** What one agent tells the others of its region, every two seconds, on a subject of its own. */
export interface Heartbeat {
  /** One life of the agent's process. */
  session: string;
  /** When that life began: of two lives the later one counts. Unix milliseconds of the service clock, as all here. */
  bornMs: number;
  /** `joining`: not able yet, only listening; `left`: it has ended what was its own. */
  phase: 'joining' | 'member' | 'left';
  /** Counts up within a session. */
  sequence: number;
  /** From when on it runs its share; null while joining. */
  fromMs: number | null;
  /** Until when it does; null where it does not mean to leave. */
  untilMs: number | null;
  /** The definitions it has adopted. */
  epoch: string;
  generation: number;
  /** The kinds of probes that work. */
  kinds: string[];
}

const PREFIX = 'farwatch.members';

/** The subject on which one agent speaks. Who may publish there is who it says it is. */
export function subjectOfMember(region: string, agentId: number): string {
  return `${PREFIX}.${region}.${agentId}`;
}

/** All agents of a region. */
export function subjectOfMembers(region: string): string {
  return `${PREFIX}.${region}.*`;
}

/** The agent that speaks on a subject; null where it is none's. */
export function memberOfSubject(subject: string): number | null {
  const id = /\.([1-9]\d{0,9})$/.exec(subject)?.[1];
  return id === undefined ? null : Number(id);
}

const heartbeat = z.object({
  session: z.string().min(1).max(64),
  bornMs: z.number(),
  phase: z.enum(['joining', 'member', 'left']),
  sequence: z.int().nonnegative(),
  fromMs: z.number().nullable(),
  untilMs: z.number().nullable(),
  epoch: z.string().max(64),
  generation: z.number(),
  kinds: z.array(z.string().max(32)).max(32),
}) satisfies z.ZodType<Heartbeat>;

export function encodeHeartbeat(beat: Heartbeat): string {
  return JSON.stringify(beat);
}

/** A heartbeat takes a few hundred bytes; what is much longer is not read at all. */
export const MAX_HEARTBEAT_BYTES = 8192;

/** Reads a heartbeat; members it does not know are passed over. Null where it is none. */
export function decodeHeartbeat(payload: Uint8Array): Heartbeat | null {
  if (payload.length > MAX_HEARTBEAT_BYTES) return null;
  return heartbeat.safeParse(parseJson(payload)).data ?? null;
}
