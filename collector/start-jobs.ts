import type pg from 'pg';
import { RECURRENCE_MODULE, type Expansion, type ExpansionRequest } from '../core/recurrence.ts';
import { removeEndedChecks } from '../db/check-requests.ts';
import { sweep } from '../db/consolidate.ts';
import { keepHouse } from '../db/housekeeping.ts';
import { keepMinuteBooks, readMinuteBooks } from '../db/minute-books.ts';
import { purgeDeleted } from '../db/purge.ts';
import { rollUp } from '../db/rollups.ts';
import { createBoundedCalls, type BoundedCalls } from '../runtime/bounded-calls.ts';
import type { Lifecycle } from '../runtime/lifecycle.ts';
import type { Gate } from './gate.ts';
import { runJob, type Job, type JobRunner } from './jobs.ts';
import { maintenanceJobs } from './maintenance-job.ts';
import type { CollectorFigures } from './metrics.ts';

/** The figures of minutes are of so many hours: as far back as spools reach. */
const BOOKED_HOURS = 72;

/** Sets all jobs of the database going. Returns the books of minutes, as they were last kept. */
export function startJobs(
  pool: pg.Pool,
  purgeDue: Gate,
  runner: JobRunner,
  life: Lifecycle,
): { books: CollectorFigures['books'] } {
  const recurrence: BoundedCalls<ExpansionRequest, Expansion | null> = createBoundedCalls(
    RECURRENCE_MODULE,
    'expandRecurrence',
  );
  life.onClose('recurrence', () => recurrence.close());
  let books: ReturnType<CollectorFigures['books']> = null;
  const keepBooks = async (): Promise<void> => {
    await keepMinuteBooks(pool);
    books = await readMinuteBooks(pool, BOOKED_HOURS);
  };
  const jobs: Job[] = [
    { name: 'sweep', everyMs: 5000, run: () => sweep(pool) },
    { name: 'roll up', everyMs: 10_000, run: () => rollUp(pool) },
    { name: 'purge', everyMs: 60_000, due: purgeDue, run: () => purgeDeleted(pool) },
    { name: 'minute books', everyMs: 60_000, run: keepBooks },
    { name: 'ended checks', everyMs: 60_000, run: () => removeEndedChecks(pool) },
    { name: 'keep house', everyMs: 600_000, run: () => keepHouse(pool) },
    ...maintenanceJobs({ pool, recurrence, logger: runner.logger }),
  ];
  for (const job of jobs) life.run(job.name, (signal) => runJob(job, runner, signal));
  return { books: () => books };
}
