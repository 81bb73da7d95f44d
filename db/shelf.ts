import { HOUR_SECONDS, MINUTE_SECONDS } from '../core/minute.ts';
import type { Slice } from './slice-counts.ts';

/** Values by slice, in memory. Slices are of whole minutes and less than two years long. */
export interface Shelf<T> {
  get(slice: Slice): T | undefined;
  put(slice: Slice, value: T): void;
  /** Throws out what touches an hour of a monitor. */
  forget(monitorId: number, hour: number): void;
  clear(): void;
}

/** A shelf that is cleared rather than to hold more than `capacity` values. */
export function createShelf<T>(capacity: number): Shelf<T> {
  const byMonitor = new Map<number, Map<number, T>>();
  let size = 0;
  const clear = (): void => {
    byMonitor.clear();
    size = 0;
  };
  return {
    clear,
    get: (slice) => byMonitor.get(slice.monitorId)?.get(keyOf(slice)),
    put(slice, value) {
      if (size >= capacity) clear();
      const known = byMonitor.get(slice.monitorId) ?? new Map<number, T>();
      byMonitor.set(slice.monitorId, known);
      size -= known.size;
      known.set(keyOf(slice), value);
      size += known.size;
    },
    forget(monitorId, hour) {
      const known = byMonitor.get(monitorId);
      for (const key of known?.keys() ?? []) {
        const from = Math.floor(key / LENGTHS) * MINUTE_SECONDS;
        const to = from + (key % LENGTHS) * MINUTE_SECONDS;
        if (from < hour + HOUR_SECONDS && to > hour && known?.delete(key)) size -= 1;
      }
    },
  };
}

/** One number for both ends: minutes since 1970 times this, and the length in minutes. */
const LENGTHS = 2 ** 20;

/** True where a shelf can hold the slice. */
export function isShelvable({ from, to }: Slice): boolean {
  return from >= 0 && to - from < LENGTHS * MINUTE_SECONDS;
}

function keyOf({ from, to }: Slice): number {
  return (from / MINUTE_SECONDS) * LENGTHS + (to - from) / MINUTE_SECONDS;
}
