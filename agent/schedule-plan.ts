import { createHash } from 'node:crypto';
import { parseCron, type DueIn } from '../core/cron.ts';
import { versionAt, type Definition, type DefinitionVersion } from '../core/definition.ts';
import type { Minute } from '../core/minute.ts';
import { worstCaseMs } from '../core/type-data.ts';
import type { Claim } from './membership/view.ts';

/** One check that is due: when it begins and until when it may still begin. Times are unix milliseconds. */
export interface Slot {
  monitorId: number;
  minute: Minute;
  version: DefinitionVersion;
  startMs: number;
  latestStartMs: number;
  /** The longest the check may take. */
  worstMs: number;
  /** Null: there is a probe to run. */
  problem: string | null;
  /** What decides whose it is. */
  claim: Claim;
}

/** Checks begin in the first 45 s of their minute, and end by its 58th second. */
const SPREAD_MS = 45_000;
const END_BY_MS = 58_000;
/** A check that begins late may still end this far into its minute: nothing runs into the next one. */
const LATEST_END_MS = 59_500;

/** A definition as the schedule sees it: what is due when, under which version. */
export interface Planned {
  definition: Definition;
  /** 0 ≤ fraction < 1: where in its spread the monitor begins, the same for ever. */
  fraction: number;
  /** Why this agent cannot run it: its minutes are UNKNOWN (unsupported). Null: it can. */
  problem: string | null;
  /** The generation with which this definition came. */
  sinceGeneration: number;
}

/** Where in its minute a monitor of a region begins: a hash, so that no minute starts with a herd. */
export function fractionOf(monitorId: number, region: string): number {
  return createHash('sha256').update(`${region}/${monitorId}`).digest().readUInt32BE(0) / 2 ** 32;
}

/** Answers whether a cron expression names a minute, each expression parsed and each minute asked once. */
export interface DueCache {
  due(cron: string | null, minute: Minute): boolean;
}

export function createDueCache(): DueCache {
  const parsed = new Map<string | null, { due: DueIn; minute: Minute; answer: boolean }>();
  return {
    due(cron, minute) {
      let entry = parsed.get(cron);
      if (entry === undefined) {
        // An expression nobody can read is due every minute: measuring too often loses nothing.
        const due = parseCron(cron) ?? ((): boolean => true);
        entry = { due, minute, answer: due(minute) };
        parsed.set(cron, entry);
      }
      if (entry.minute !== minute) Object.assign(entry, { minute, answer: entry.due(minute) });
      return entry.answer;
    },
  };
}

/** The version under which a monitor is due in a minute; null where it is not. */
export function dueVersion(
  { definition, problem }: Planned,
  minute: Minute,
  cache: DueCache,
): DefinitionVersion | null {
  const version = versionAt(definition, minute);
  if (version === undefined || (version.probe === null && problem === null)) return null;
  return cache.due(version.cron, minute) ? version : null;
}

/** What decides whose a slot is. Its turn does not depend on its version: agents may know different ones for a moment. */
export function claimOf(
  { definition, fraction, sinceGeneration }: Planned,
  version: DefinitionVersion,
  minute: Minute,
): Claim {
  const turnMs = minute * 1000 + Math.floor(fraction * SPREAD_MS);
  return { monitorId: definition.monitorId, kind: version.probe?.kind ?? null, turnMs, sinceGeneration };
}

/** The slot of a monitor in a minute; null where it is not due. */
export function slotOf(planned: Planned, minute: Minute, cache: DueCache): Slot | null {
  const version = dueVersion(planned, minute, cache);
  if (version === null) return null;
  const worstMs = version.probe === null ? 0 : worstCaseMs(version.probe);
  const spreadMs = Math.max(0, Math.min(SPREAD_MS, END_BY_MS - worstMs));
  const beginMs = minute * 1000;
  return {
    monitorId: planned.definition.monitorId,
    minute,
    version,
    startMs: beginMs + Math.floor(planned.fraction * spreadMs),
    latestStartMs: beginMs + Math.max(0, LATEST_END_MS - worstMs),
    worstMs,
    problem: planned.problem,
    claim: claimOf(planned, version, minute),
  };
}

/** The slots of a minute, in the order of their starts. */
export function planMinute(planned: Iterable<Planned>, minute: Minute, cache: DueCache): Slot[] {
  const slots: Slot[] = [];
  for (const one of planned) {
    const slot = slotOf(one, minute, cache);
    if (slot !== null) slots.push(slot);
  }
  return slots.sort((a, b) => a.startMs - b.startMs);
}
