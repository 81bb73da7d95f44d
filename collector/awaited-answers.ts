import type { Minute } from '../core/minute.ts';
import { STATUS_CODE } from '../core/outcome.ts';
import { FIELD, type ResultBlock } from '../core/result-block.ts';
import type { Expectations } from '../db/ingest.ts';

/** Minutes that are remembered: whatever is older is nearly ripe by age. */
const REMEMBERED_MINUTES = 2;
/** A number's bits, less its sign. Of more regions than these the others are never awaited. */
const MOST_REGIONS = 31;

/**
 * Knows which answers are still to come through this collector, so that a minute's point is looked for once, when the
 * last of its regions has answered, and not with every region's batch. It only saves work: whoever is awaited in vain
 * leaves the pair to the sweep.
 */
export interface AwaitedAnswers extends Expectations {
  /** An agent of the region begins to stream; the returned function says that it has stopped. */
  join(regionId: number): () => void;
  /** The monitor does not run in every region: which ones is the database's to know, so it is always asked. */
  neverFor(monitorId: number): void;
}

export function createAwaitedAnswers(): AwaitedAnswers {
  const bits = new Map<number, number>();
  const streams = new Map<number, number>();
  const answered = new Map<Minute, Map<number, number>>();
  const restricted = new Set<number>();
  let joined = 0;
  const bitOf = (regionId: number): number => {
    const known = bits.get(regionId);
    if (known !== undefined) return known;
    const bit = bits.size < MOST_REGIONS ? 1 << bits.size : 0;
    bits.set(regionId, bit);
    return bit;
  };
  const count = (regionId: number, change: number): void => {
    const open = (streams.get(regionId) ?? 0) + change;
    streams.set(regionId, open);
    joined = open > 0 ? joined | bitOf(regionId) : joined & ~bitOf(regionId);
  };
  return {
    join(regionId) {
      count(regionId, 1);
      return () => count(regionId, -1);
    },
    neverFor(monitorId) {
      restricted.add(monitorId);
    },
    note(results: ResultBlock) {
      for (let row = 0; row < results.length; row++) {
        const monitors = monitorsOf(answered, results.minute(row));
        if (monitors === undefined || results.number(row, FIELD.status) === STATUS_CODE.UNKNOWN) continue;
        const monitorId = results.number(row, FIELD.monitorId);
        monitors.set(monitorId, (monitors.get(monitorId) ?? 0) | bitOf(results.number(row, FIELD.regionId)));
      }
    },
    awaits(monitorId, minute) {
      const monitors = restricted.has(monitorId) ? undefined : answered.get(minute);
      return monitors !== undefined && (joined & ~(monitors.get(monitorId) ?? 0)) !== 0;
    },
  };
}

/** The monitors of a minute that is remembered; undefined for one that is older than those. */
function monitorsOf(answered: Map<Minute, Map<number, number>>, minute: Minute): Map<number, number> | undefined {
  const known = answered.get(minute);
  if (known !== undefined) return known;
  const oldest = Math.min(...answered.keys());
  if (answered.size >= REMEMBERED_MINUTES) {
    if (minute < oldest) return undefined;
    answered.delete(oldest);
  }
  const monitors = new Map<number, number>();
  answered.set(minute, monitors);
  return monitors;
}
