import type { RowAnswer } from '../core/result.ts';
import type { ResultBlock } from '../core/result-block.ts';
import { CHECK_FAILURES } from '../db/check-requests.ts';
import type { MinuteBook } from '../db/minute-books.ts';
import { CONNECTION_REFUSALS } from '../proto/tls-listener.ts';
import { byLabel, SECONDS_BUCKETS, type Metrics } from '../runtime/metrics.ts';
import { exposePools, type PoolFigures } from '../runtime/pool-metrics.ts';
import type { PublisherFigures } from './definitions-publisher.ts';
import type { CheckEnd } from './session-checks.ts';

/** A collector's figures; docs/metrics.md lists them. */

/** What takes observations while the collector runs. */
export interface CollectorMeters {
  /** Rows of a batch that an agent has sent. */
  received: (rows: number) => void;
  /** A write of one transaction that is timed. */
  timed: (write: WriteRows) => WriteRows;
  /** How a run on demand ended. */
  checked: (end: CheckEnd) => void;
  /** A connection was not let in, or a stream or call did not end with OK. */
  refused: (why: string) => void;
  /** A round of a job has ended. */
  jobEnded: (job: string, failed: boolean, seconds: number) => void;
}

export type WriteRows = (results: ResultBlock) => Promise<readonly RowAnswer[]>;

const BATCH_BUCKETS = [1, 10, 100, 500, 1000, 2000, 4000, 10_000];

export function createCollectorMeters(metrics: Metrics): CollectorMeters {
  const commit = metrics.histogram({
    name: 'farwatch_collector_commit_seconds',
    help: 'How long a transaction of results took, commit included',
    buckets: SECONDS_BUCKETS,
  });
  const batchRows = metrics.histogram({
    name: 'farwatch_collector_write_rows',
    help: 'Rows of one transaction',
    buckets: BATCH_BUCKETS,
  });
  const failed = metrics.count({
    name: 'farwatch_collector_write_failures_total',
    help: 'Transactions of results that failed; their rows are written again, or answered `retry`',
  });
  const checks = metrics.count({
    name: 'farwatch_collector_checks_total',
    help: 'Runs on demand by how they ended',
    labels: ['end'],
  });
  for (const end of ['report', ...CHECK_FAILURES]) checks({ end }, 0);
  const refusals = metrics.count({
    name: 'farwatch_collector_refusals_total',
    help: 'Connections that were not let in, and streams and calls that did not end with OK, by reason or status',
    labels: ['reason'],
  });
  for (const reason of CONNECTION_REFUSALS) refusals({ reason }, 0);
  return {
    received: metrics.histogram({
      name: 'farwatch_collector_batch_rows',
      help: "Rows of agents' batches",
      buckets: BATCH_BUCKETS,
    }),
    timed: (write) => async (rows) => {
      const begun = performance.now();
      batchRows(rows.length);
      try {
        const answers = await write(rows);
        commit((performance.now() - begun) / 1000);
        return answers;
      } catch (error) {
        failed();
        throw error;
      }
    },
    refused: (reason) => refusals({ reason }),
    checked: (end) => checks({ end: 'failure' in end ? end.failure : 'report' }),
    jobEnded: jobMeter(metrics),
  };
}

function jobMeter(metrics: Metrics): CollectorMeters['jobEnded'] {
  const duration = metrics.histogram({
    name: 'farwatch_collector_job_seconds',
    help: 'How long rounds of jobs took',
    labels: ['job'],
    buckets: SECONDS_BUCKETS,
  });
  const failures = metrics.count({
    name: 'farwatch_collector_job_failures_total',
    help: 'Rounds of jobs that failed',
    labels: ['job'],
  });
  return (job, isFailed, seconds) => {
    duration(seconds, { job });
    failures({ job }, isFailed ? 1 : 0);
  };
}

/** What the figures are read from, at each scrape. */
export interface CollectorFigures {
  /** Rows so far by answer and reason. */
  tally: { entries(): Iterable<readonly [{ answer: string; reason: string }, number]> };
  coalescer: { rows: number; capacityRows: number };
  server: { streams: number; inFlight: number; streamsByRegion(): ReadonlyMap<string, number> };
  publisher: { figures(): PublisherFigures };
  pools: Readonly<Record<string, PoolFigures>>;
  database: { roundTripMs(): number };
  books: () => { bookedTo: number; books: readonly MinuteBook[] } | null;
  /** The database's clock, unix seconds. */
  nowSeconds: () => number;
}

/** Shows the figures of a collector's parts. */
export function exposeCollector(metrics: Metrics, figures: CollectorFigures): void {
  exposeIntake(metrics, figures);
  exposeDatabase(metrics, figures);
  exposeDefinitions(metrics, figures);
  exposeBooks(metrics, figures);
}

function exposeIntake(metrics: Metrics, { tally, coalescer, server }: CollectorFigures): void {
  metrics.counter(
    {
      name: 'farwatch_collector_rows_total',
      help: 'Results and absences by answer; `dropped` and `retry` with their reason',
      labels: ['answer', 'reason'],
    },
    () => tally.entries(),
  );
  metrics.gauge({ name: 'farwatch_collector_streams', help: 'Connected agents', labels: ['region'] }, () =>
    byLabel('region', server.streamsByRegion()),
  );
  metrics.gauge(
    { name: 'farwatch_collector_batches_in_flight', help: 'Batches taken and not yet acknowledged' },
    () => server.inFlight,
  );
  metrics.gauge(
    { name: 'farwatch_collector_coalescer_rows', help: 'Rows in memory, waiting or being written' },
    () => coalescer.rows,
  );
  metrics.gauge(
    { name: 'farwatch_collector_coalescer_capacity_rows', help: 'Rows that memory is given for; beyond, agents wait' },
    () => coalescer.capacityRows,
  );
}

function exposeDatabase(metrics: Metrics, { pools, database }: CollectorFigures): void {
  metrics.gauge(
    { name: 'farwatch_collector_database_round_trip_seconds', help: 'Of the last look at its clock' },
    () => database.roundTripMs() / 1000,
  );
  exposePools(metrics, 'farwatch_collector', pools);
}

function exposeDefinitions(metrics: Metrics, { publisher }: CollectorFigures): void {
  metrics.gauge(
    { name: 'farwatch_collector_definitions_leading', help: '1: this collector writes what agents are to run' },
    () => (publisher.figures().leading ? 1 : 0),
  );
  metrics.gauge(
    {
      name: 'farwatch_collector_definitions_pass_age_seconds',
      help: 'Since all buckets were last compared whole and found or made right; only where this collector leads',
    },
    () => {
      const { leading, passAgeMs } = publisher.figures();
      return leading && passAgeMs !== null ? passAgeMs / 1000 : [];
    },
  );
  metrics.gauge(
    {
      name: 'farwatch_collector_definitions_unreadable',
      help: 'Monitors that no agent runs, because what the database holds of them cannot be read; only where this collector leads',
      labels: ['region'],
    },
    () => byLabel('region', publisher.figures().unreadable),
  );
}

function exposeBooks(metrics: Metrics, { books, nowSeconds }: CollectorFigures): void {
  const states: Record<Exclude<keyof MinuteBook, 'region'>, string> = {
    due: 'Monitor minutes of the last 72 hours that were due',
    known: 'Of those due: measured',
    unknown: 'Of those due: an agent said why it could not measure',
    absent: 'Of those due: nothing came, and the agents said that they were not there',
    missing: 'Of those due: nothing came, and nobody has said why',
  };
  for (const [state, help] of Object.entries(states)) {
    metrics.gauge({ name: `farwatch_collector_minutes_${state}`, help, labels: ['region'] }, () =>
      // The names of a closed record.
      byLabel(
        'region',
        (books()?.books ?? []).map((book) => [book.region, book[state as keyof typeof states]]),
      ),
    );
  }
  metrics.gauge(
    { name: 'farwatch_collector_minutes_booked_age_seconds', help: 'Since the last minute that is in these books' },
    () => {
      const kept = books();
      return kept === null ? [] : Math.max(0, nowSeconds() - kept.bookedTo);
    },
  );
}
