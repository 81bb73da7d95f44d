import { MINUTE_SECONDS } from '../core/minute.ts';
import { UNKNOWN_REASONS } from '../core/outcome.ts';
import type { ProbeKind } from '../core/type-data.ts';
import { byLabel, SECONDS_BUCKETS, type Metrics } from '../runtime/metrics.ts';
import type { DefinitionSet } from './definition-set.ts';
import type { ResultCounts } from './result-counts.ts';
import type { ScheduleCounts } from './schedule-books.ts';
import type { Check } from './schedule-running.ts';
import type { ServiceClock } from './service-clock.ts';
import type { SpoolState } from './spool/spool.ts';

/** An agent's figures; docs/metrics.md lists them. */

/** What takes observations while the agent runs. */
export interface AgentMeters {
  /** Seconds after its slot's time at which a check began. */
  lateness: (seconds: number) => void;
  /** Seconds from sending a batch to its acknowledgement. */
  roundTrip: (seconds: number) => void;
  /** Rows of a batch that was sent. */
  batchRows: (rows: number) => void;
  /** A check that is timed. */
  timed: (check: Check) => Check;
}

/** Later than a minute no check begins. */
const LATENESS_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const ROW_BUCKETS = [1, 10, 50, 100, 500, 1000, 2000, 4000];

export function createAgentMeters(metrics: Metrics): AgentMeters {
  const duration = metrics.histogram({
    name: 'farwatch_agent_check_duration_seconds',
    help: 'How long checks took, by kind',
    labels: ['kind'],
    buckets: SECONDS_BUCKETS,
  });
  return {
    lateness: metrics.histogram({
      name: 'farwatch_agent_check_lateness_seconds',
      help: 'How long after the time of its slot a check began',
      buckets: LATENESS_BUCKETS,
    }),
    roundTrip: metrics.histogram({
      name: 'farwatch_agent_stream_round_trip_seconds',
      help: 'From sending a batch to its acknowledgement, which follows the commit',
      buckets: SECONDS_BUCKETS,
    }),
    batchRows: metrics.histogram({
      name: 'farwatch_agent_batch_rows',
      help: 'Results of the batches sent',
      buckets: ROW_BUCKETS,
    }),
    timed: (check) => async (probe, signal) => {
      const kind: ProbeKind = probe.kind;
      const begun = performance.now();
      const outcome = await check(probe, signal);
      duration((performance.now() - begun) / 1000, { kind });
      return outcome;
    },
  };
}

/** What the figures are read from, at each scrape. */
export interface AgentFigures {
  clock: ServiceClock;
  spool: { state(): SpoolState };
  schedule: { monitors: number; share: number; running: number; counts: Readonly<ScheduleCounts> };
  results: ResultCounts;
  follower: { adopted: DefinitionSet | null };
  uplink: {
    problem: string | null;
    sessions: number;
    duplicates: number;
    inFlight: number;
    dropped: ReadonlyMap<string, number>;
  };
  members: { size: number };
}

/** Shows the figures of an agent's parts. */
export function exposeAgent(metrics: Metrics, figures: AgentFigures): void {
  exposeSchedule(metrics, figures);
  exposeSpool(metrics, figures);
  exposeUplink(metrics, figures);
}

function exposeSchedule(metrics: Metrics, { schedule, results, follower, clock, members }: AgentFigures): void {
  const gauge = (name: string, help: string, read: () => number): void =>
    metrics.gauge({ name: `farwatch_agent_${name}`, help }, read);
  gauge('monitors', 'Monitors of the region', () => schedule.monitors);
  gauge('monitors_assigned', "Of the region's monitors those this agent measures", () => schedule.share);
  gauge('members', 'Agents of the region that share its monitors, as this one sees it', () => members.size);
  gauge('checks_running', 'Checks under way', () => schedule.running);
  gauge('definitions_generation', 'Of the adopted definitions', () => follower.adopted?.manifest.generation ?? 0);
  gauge('definitions_age_seconds', 'Since the adopted definitions were published', () => {
    // A generation is the database's clock in milliseconds, or a little more.
    const publishedMs = follower.adopted?.manifest.generation;
    return publishedMs === undefined ? 0 : Math.max(0, clock.nowMs() - publishedMs) / 1000;
  });
  gauge('definitions_unreadable', 'Adopted definitions that this agent cannot run: their minutes are UNKNOWN', () =>
    [...(follower.adopted?.definitions.values() ?? [])].reduce((sum, one) => sum + (one.problem === null ? 0 : 1), 0),
  );
  gauge('clock_known', "1: the database's clock has been learnt in this boot", () => (clock.known ? 1 : 0));
  gauge('clock_offset_seconds', "The machine's wall clock less the database's clock", () =>
    clock.known ? (Date.now() - clock.nowMs()) / 1000 : 0,
  );
  const counter = (name: string, help: string, read: () => number): void =>
    metrics.counter({ name: `farwatch_agent_${name}_total`, help }, read);
  counter('checks_started', 'Checks begun', () => schedule.counts.started);
  counter('slots_taken_over', 'Slots of other agents that this one ran', () => schedule.counts.takenOver);
  counter('slots_late', 'Slots that could not be begun in their minute', () => schedule.counts.late);
  counter('minutes_absent', 'Minutes in which this agent was not there', () => schedule.counts.absentMinutes);
  metrics.counter({ name: 'farwatch_agent_results_total', help: 'Results by status', labels: ['status'] }, () =>
    byLabel('status', results.byStatus),
  );
  metrics.counter(
    { name: 'farwatch_agent_unknown_results_total', help: 'UNKNOWN results by reason', labels: ['reason'] },
    () =>
      byLabel(
        'reason',
        [...UNKNOWN_REASONS, 'other'].map((reason) => [reason, results.unknown.get(reason) ?? 0]),
      ),
  );
}

function exposeSpool(metrics: Metrics, { spool, clock }: AgentFigures): void {
  const gauge = (name: string, help: string, read: (state: SpoolState) => number): void =>
    metrics.gauge({ name: `farwatch_agent_spool_${name}`, help }, () => read(spool.state()));
  gauge('results', 'Results that are not acknowledged', ({ rows }) => rows);
  gauge('bytes', 'Size on the disk', ({ bytes }) => bytes);
  gauge('age_seconds', 'Age of the oldest result that is not acknowledged', ({ oldestMinute }) =>
    oldestMinute === null ? 0 : Math.max(0, clock.nowMs() / 1000 - oldestMinute - MINUTE_SECONDS),
  );
  gauge('write_failing', '1: the disk takes nothing, results are in memory only', ({ problem }) =>
    problem === null ? 0 : 1,
  );
  gauge('read_failing', '1: something on the disk cannot be read now', ({ readProblem }) =>
    readProblem === null ? 0 : 1,
  );
  metrics.counter(
    {
      name: 'farwatch_agent_spool_dropped_results_total',
      help: 'Results given up unsent: UNKNOWN or the oldest at the disk limit, gone from the disk, memory without it',
      labels: ['reason'],
    },
    () => {
      const { droppedUnknown, droppedOldest, droppedGone, droppedHeld } = spool.state().counts;
      const reasons = { unknown: droppedUnknown, oldest: droppedOldest, gone: droppedGone, memory: droppedHeld };
      return byLabel('reason', Object.entries(reasons));
    },
  );
  metrics.counter(
    { name: 'farwatch_agent_spool_damage_total', help: 'What was found broken on the disk', labels: ['kind'] },
    () => {
      const { damagedRecords, tornTails } = spool.state().counts;
      return byLabel('kind', Object.entries({ record: damagedRecords, tail: tornTails }));
    },
  );
}

function exposeUplink(metrics: Metrics, { uplink, spool }: AgentFigures): void {
  metrics.gauge({ name: 'farwatch_agent_stream_connected', help: '1: a collector takes results' }, () =>
    uplink.problem === null ? 1 : 0,
  );
  metrics.counter(
    { name: 'farwatch_agent_stream_sessions_total', help: 'Streams that were welcomed' },
    () => uplink.sessions,
  );
  metrics.gauge(
    { name: 'farwatch_agent_batches_in_flight', help: 'Batches not yet acknowledged' },
    () => uplink.inFlight,
  );
  metrics.counter(
    {
      name: 'farwatch_agent_rows_answered_total',
      help: 'Answers of the collector: acknowledged for good (duplicates and drops included), duplicate, retry',
      labels: ['answer'],
    },
    () => {
      const { acknowledged, retried } = spool.state().counts;
      return byLabel('answer', Object.entries({ acknowledged, retry: retried, duplicate: uplink.duplicates }));
    },
  );
  metrics.counter(
    {
      name: 'farwatch_agent_rows_dropped_total',
      help: 'Results that the collector would not have, by its reason',
      labels: ['reason'],
    },
    () => byLabel('reason', uplink.dropped),
  );
}
