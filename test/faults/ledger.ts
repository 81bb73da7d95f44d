import type { Quorum } from '../../core/consolidate.ts';
import type { Minute } from '../../core/minute.ts';
import type { PointStatus, Status } from '../../core/outcome.ts';

/** What a run knows by itself, from nobody's word but its own targets', and of what the agents put on their disks. */
export interface Ledger {
  /** The minutes that are judged: `from` inside, `to` outside. */
  from: Minute;
  to: Minute;
  regions: readonly string[];
  monitors: readonly LedgerMonitor[];
  agents: readonly LedgerAgent[];
  targets: ReadonlyMap<string, TargetLog>;
  /** Faults of the run: where nothing else is said, a region in none of them measures everything. */
  troubles: readonly (Span & { regions: readonly string[] })[];
}

/** Unix milliseconds; `toMs` may be Infinity. */
export interface Span {
  fromMs: number;
  toMs: number;
}

export interface LedgerMonitor {
  id: number;
  tag: string;
  /** Ascending by revision. */
  versions: readonly MonitorVersion[];
  deleted: boolean;
}

/** One revision of a monitor, as the run has asked for it. */
export interface MonitorVersion {
  revision: number;
  /**
   * The first minute in which it may hold, and the first in which it must: they differ where the minute turned between
   * the question and the answer.
   */
  earliest: Minute;
  latest: Minute;
  active: boolean;
  /** Null: all. */
  regions: readonly string[] | null;
  quorum: Quorum;
  target: string;
}

/** What a target saw and how it was, in its own word. */
export interface TargetLog {
  key: string;
  /** Who came; `answered`: as one that is up does. */
  visits: { ms: number; answered: boolean }[];
  /** When it was not as it should be. */
  outages: Span[];
}

export interface LedgerAgent {
  id: number;
  name: string;
  region: string;
  /** What it put on its disk, in its true minutes. */
  accepted: readonly Measured[];
  absences: readonly AcceptedAbsence[];
  /** When its process did not run: dead, stopped, not yet born. */
  away: readonly Span[];
  /** When its disk took nothing: it then delivers from memory. */
  diskless: readonly Span[];
  /** When it could not hear the others of its region. */
  deaf: readonly Span[];
}

/** One check's outcome in its minute. */
export interface Measured {
  monitorId: number;
  minute: Minute;
  revision: number;
  status: Status;
  latencyUs: number | null;
  error: string | null;
  sent: number | null;
  received: number | null;
}

export interface AcceptedAbsence {
  from: Minute;
  to: Minute;
  reason: string;
}

/** What the database holds at the end. */
export interface Stored {
  results: readonly StoredResult[];
  points: readonly StoredPoint[];
  absences: readonly (AcceptedAbsence & { agentId: number })[];
}

export interface StoredResult extends Measured {
  region: string;
  agentId: number;
}

export interface StoredPoint {
  monitorId: number;
  minute: Minute;
  status: PointStatus;
  latencyUs: number;
  known: number;
}

/** One region's share of one monitor and minute, with all that is known of it. */
export interface SlotCase {
  monitor: LedgerMonitor;
  region: string;
  minute: Minute;
  possible: readonly MonitorVersion[];
  /** Due whatever the edits' moments were. */
  isDue: boolean;
  mayBeDue: boolean;
  accepted: readonly (Measured & { agentId: number })[];
  stored: readonly StoredResult[];
}

/** Something that may not be. */
export interface Wrong {
  kind: 'lost' | 'doubled' | 'invented' | 'false DOWN' | 'unmeasured' | 'stuck' | 'memory' | 'crashed' | 'blind';
  text: string;
}

/** The version in force in a minute, or each that may be; `isSure` is false where it may also be that none is. */
export function versionsAt(monitor: LedgerMonitor, minute: Minute): { possible: MonitorVersion[]; isSure: boolean } {
  const sure = monitor.versions.findLastIndex(({ latest }) => latest <= minute);
  const possible = monitor.versions.filter(({ earliest }, index) => index >= sure && earliest <= minute);
  return { possible, isSure: sure >= 0 };
}

/** Whether a version runs in a region. */
export function runsIn({ active, regions }: MonitorVersion, region: string): boolean {
  return active && (regions === null || regions.includes(region));
}

export function overlaps(span: Span, fromMs: number, toMs: number): boolean {
  return span.fromMs < toMs && span.toMs > fromMs;
}

/** For people: which monitor and minute. */
export function nameSlot({ tag }: Pick<LedgerMonitor, 'tag'>, minute: Minute): string {
  return `${tag} ${new Date(minute * 1000).toISOString().slice(11, 16)}`;
}
