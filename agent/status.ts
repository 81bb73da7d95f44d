import { MINUTE_SECONDS } from '../core/minute.ts';
import type { AgentStatus } from '../proto/messages.ts';
import type { DefinitionSet } from './definition-set.ts';
import type { ResultCounts } from './result-counts.ts';
import type { ScheduleCounts } from './schedule-books.ts';
import type { ServiceClock } from './service-clock.ts';
import type { SpoolState } from './spool/spool.ts';

/** What an agent knows of itself. */
export interface SelfKnowledge {
  adopted: DefinitionSet | null;
  monitors: number;
  /** Of those, the ones that are this agent's to measure. */
  assigned: number;
  /** Agents that share the region's monitors, this one included. */
  members: number;
  running: number;
  schedule: Readonly<ScheduleCounts>;
  spool: SpoolState;
  uplink: { dropped: ReadonlyMap<string, number>; duplicates: number; sessions: number };
  results: ResultCounts;
  clock: Pick<ServiceClock, 'known' | 'nowMs' | 'monotonicMs'>;
  wallMs: () => number;
  /** What its owner should repair, one line each. */
  problems: readonly string[];
}

/** More lines than these help nobody. */
const MAX_PROBLEMS = 20;

/** The status message of an agent. */
export function statusOf(self: SelfKnowledge): AgentStatus {
  const { adopted, spool, clock } = self;
  return {
    definitions: self.monitors,
    assigned: self.assigned,
    clockKnown: clock.known ? 1 : 0,
    clockOffsetUs: clock.known ? Math.round((self.wallMs() - clock.nowMs()) * 1000) : 0,
    unknownLastHour: counters(self.results.unknownLastHour(clock.monotonicMs())),
    epoch: adopted?.manifest.epoch ?? '',
    generation: adopted?.manifest.generation ?? 0,
    spoolRecords: spool.rows,
    spoolBytes: spool.bytes,
    oldestMinute: (spool.oldestMinute ?? 0) / MINUTE_SECONDS,
    problems: self.problems.slice(0, MAX_PROBLEMS),
    counters: counters(countersOf(self)),
  };
}

function counters(values: Record<string, number>): AgentStatus['counters'] {
  return Object.entries(values).map(([name, value]) => ({ name, value }));
}

function countersOf({ schedule, spool, uplink, results, running, members }: SelfKnowledge): Record<string, number> {
  const { counts } = spool;
  return {
    checks_started: schedule.started,
    checks_running: running,
    members_in_view: members,
    slots_taken_over: schedule.takenOver,
    slots_late: schedule.late,
    minutes_absent: schedule.absentMinutes,
    rows_acknowledged: counts.acknowledged,
    rows_retried: counts.retried,
    rows_duplicate: uplink.duplicates,
    spool_damaged_records: counts.damagedRecords,
    spool_torn_tails: counts.tornTails,
    spool_dropped_unknown: counts.droppedUnknown,
    spool_dropped_oldest: counts.droppedOldest,
    spool_dropped_gone: counts.droppedGone,
    spool_dropped_memory: counts.droppedHeld,
    uplink_sessions: uplink.sessions,
    ...withPrefix('rows_dropped_', uplink.dropped),
    ...withPrefix('unknown_', results.unknown),
  };
}

function withPrefix(prefix: string, counts: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...counts].map(([name, value]) => [prefix + name.replaceAll(/\W+/g, '_'), value]));
}
