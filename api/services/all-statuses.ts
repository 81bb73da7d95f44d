import type pg from 'pg';
import { readCurrentStatuses, type CurrentStatus } from '../../db/current-status.ts';

interface Reading {
  /** Ends, without a failure, with what is being read. */
  underWay?: Promise<void>;
  /** Begins then. */
  next?: Promise<CurrentStatus[]>;
}

const readings = new WeakMap<pg.Pool, Reading>();

/**
 * The current status of all visible, active monitors (`readCurrentStatuses`). They are read once at a time: who asks
 * meanwhile shares the next reading with all who do, so that nobody is told of what was before he asked.
 */
export function readAllStatuses(pool: pg.Pool): Promise<CurrentStatus[]> {
  const reading = readings.get(pool) ?? {};
  readings.set(pool, reading);
  if (!reading.underWay) return begin(pool, reading);
  return (reading.next ??= reading.underWay.then(() => begin(pool, reading)));
}

function begin(pool: pg.Pool, reading: Reading): Promise<CurrentStatus[]> {
  delete reading.next;
  const read = readCurrentStatuses(pool, undefined);
  const end = (): void => {
    // The next one takes its place itself.
    if (!reading.next) delete reading.underWay;
  };
  reading.underWay = read.then(end, end);
  return read;
}
