import type pg from 'pg';
import { readDatabaseState, type DatabaseState } from '../db/state.ts';
import { monotonicMs, sleep } from '../runtime/time.ts';
import type { Logger } from '../runtime/logger.ts';

const REFRESH_MS = 10_000;
/** The one with the shortest round trip of so many says the most. */
const SAMPLES = 5;

/** What a collector knows of its database between looks: its clock, and which life of it this is. */
export interface DatabaseView {
  /** The database's clock, unix microseconds, as well as this process knows it. */
  nowUs(): number;
  /** Of the last look: the shortest of a few. */
  roundTripMs(): number;
  /** Of the last look. */
  current(): DatabaseState;
  /** Looks again. Returns true where epoch or timeline are no longer what they were. */
  refresh(): Promise<boolean>;
}

/** Looks at the database for the first time. Throws where it is away. */
export async function openDatabaseView(pool: pg.Pool): Promise<DatabaseView> {
  let sample = await takeSample(pool);
  return {
    nowUs: () => Math.round((monotonicMs() + sample.offsetMs) * 1000),
    current: () => sample.state,
    roundTripMs: () => sample.roundTripMs,
    async refresh() {
      const before = sample.state;
      sample = await takeSample(pool);
      return sample.state.epoch !== before.epoch || sample.state.timeline !== before.timeline;
    },
  };
}

interface Sample {
  state: DatabaseState;
  /** Database's clock minus this process's monotonic one, milliseconds. */
  offsetMs: number;
  roundTripMs: number;
}

async function takeSample(pool: pg.Pool): Promise<Sample> {
  const client = await pool.connect();
  let broken = true;
  try {
    let best: Sample | undefined;
    for (let count = 0; count < SAMPLES; count++) {
      const sent = monotonicMs();
      const state = await readDatabaseState(client);
      const roundTripMs = monotonicMs() - sent;
      const offsetMs = state.nowMs - (sent + roundTripMs / 2);
      if (best === undefined || roundTripMs < best.roundTripMs) best = { state, offsetMs, roundTripMs };
    }
    broken = false;
    // SAMPLES is above zero.
    return best as Sample;
  } finally {
    client.release(broken);
  }
}

/** Looks every ten seconds; calls `onChange` where the database is no longer the one it was. */
export async function followDatabaseState(
  view: DatabaseView,
  onChange: () => void,
  logger: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await sleep(REFRESH_MS, signal);
    try {
      if (!signal.aborted && (await view.refresh())) onChange();
    } catch (error) {
      // The last known offset serves on; everything that writes meets the same fault and decides there.
      logger.warn({ err: error }, 'database clock not measured');
    }
  }
}
