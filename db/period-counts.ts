import { MINUTE_SECONDS, type MinuteRange } from '../core/minute.ts';
import { overlaySlices, type Overlay, type OverlayWindow } from '../core/overlay.ts';
import type { MinuteCounts } from '../core/uptime-formula.ts';
import type { Queryable } from './client.ts';
import { readThrough, type CountBook } from './count-book.ts';
import type { CountedMonitor, Counting, PeriodSlice } from './counting.ts';
import { readOverlayWindows } from './overlay-windows.ts';
import { addCounts, countSlices, readRollState, type SliceCounts } from './slice-counts.ts';
import { readChanges, type Change } from './unconfirmed.ts';

/** What a monitor's points of a range amount to. */
export interface RangeCounts extends MinuteCounts {
  /** Of the points where something answered, whatever lies over them; null where there are none. */
  latencyUs: LatencyFigures | null;
}

/** Whole microseconds; `count` points answered, `sum` is theirs. */
export interface LatencyFigures {
  count: number;
  sum: number;
  avg: number;
  min: number;
  max: number;
}

/**
 * Counts the points of each monitor between neighbouring `bounds` (ascending minutes), as they are reported: what
 * incidents and maintenances lay over points counts instead of them, and changes that were not confirmed do not count
 * (reference §12). The client's transaction is one snapshot. The number of statements grows with neither the monitors nor
 * the periods.
 */
export async function countPeriods(
  client: Queryable,
  monitors: readonly CountedMonitor[],
  bounds: readonly number[],
  counting: Counting,
): Promise<RangeCounts[][]> {
  const { book, state, windows } = counting;
  const slices = monitors.flatMap(({ id }) => slicesOf(id, bounds, windows.get(id) ?? [], state.rolledTo));
  const counts = await readThrough(book, book?.counts, slices, (missing) => countSlices(client, missing, state));
  const periods = new Map(monitors.map(({ id }) => [id, bounds.slice(1).map(() => emptyPeriod())]));
  for (const [at, { monitorId, period, overlay }] of slices.entries()) {
    const [total, part] = [periods.get(monitorId)?.[period], counts[at]];
    if (total && part) addSlice(total, overlay, part);
  }
  for (const change of await readChanges(client, monitors, slices, counting)) {
    const total = periods.get(change.monitorId)?.[change.period];
    if (total) move(total.minutes, change);
  }
  return monitors.map(({ id }) =>
    (periods.get(id) ?? []).map(({ minutes, measured }) => ({ ...minutes, latencyUs: latencyOf(measured) })),
  );
}

/** The periods of a monitor, cut where something begins or ceases to lie over it, and where roll-ups end. */
function slicesOf(
  monitorId: number,
  bounds: readonly number[],
  windows: readonly OverlayWindow[],
  rolledTo: number,
): PeriodSlice[] {
  const range = { from: bounds[0] ?? 0, to: bounds.at(-1) ?? 0 };
  const cuts = [...bounds.slice(1), rolledTo].sort((a, b) => a - b);
  const slices: PeriodSlice[] = [];
  let [period, cut] = [0, 0];
  for (const { from, to, overlay } of overlaySlices(range, windows)) {
    let reached = wholeMinute(from);
    const end = wholeMinute(to);
    while (reached < end) {
      while ((cuts[cut] ?? Infinity) <= reached) cut += 1;
      while ((bounds[period + 1] ?? Infinity) <= reached) period += 1;
      const next = Math.min(end, cuts[cut] ?? Infinity);
      slices.push({ monitorId, period, overlay, from: reached, to: next });
      reached = next;
    }
  }
  return slices;
}

/** A window that begins within a minute lies over none of it, one that ends there over all of it. */
function wholeMinute(seconds: number): number {
  return Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS;
}

/** What counting these monitors needs, out of the client's snapshot; `book`: where counts are kept. */
export async function prepareCounting(
  client: Queryable,
  book: CountBook | null,
  monitors: readonly CountedMonitor[],
  range: MinuteRange,
): Promise<Counting> {
  const ids = monitors.map(({ id }) => id);
  const windows = await readOverlayWindows(client, ids, range);
  const state = await readRollState(client, ids);
  return { windows, state, book: book && (await book.open(client, state)) };
}

interface Period {
  minutes: MinuteCounts;
  measured: SliceCounts;
}

function emptyPeriod(): Period {
  const measured = { up: 0, down: 0, degraded: 0, latencyCount: 0, latencySum: 0, latencyMin: null, latencyMax: null };
  return { minutes: { up: 0, down: 0, degraded: 0, maintenance: 0 }, measured };
}

function addSlice({ minutes, measured }: Period, overlay: Overlay | null, part: SliceCounts): void {
  addCounts(measured, part);
  if (overlay !== null) minutes[NAME[overlay]] += part.up + part.down + part.degraded;
  else {
    minutes.up += part.up;
    minutes.down += part.down;
    minutes.degraded += part.degraded;
  }
}

/** Minutes of one status are reported as another. */
function move(minutes: MinuteCounts, { measured, reported, count }: Change): void {
  minutes[NAME[measured]] -= count;
  minutes[NAME[reported]] += count;
}

const NAME = { UP: 'up', DOWN: 'down', DEGRADED: 'degraded', MAINTENANCE: 'maintenance' } as const;

function latencyOf({ latencyCount, latencySum, latencyMin, latencyMax }: SliceCounts): LatencyFigures | null {
  if (latencyCount === 0) return null;
  const avg = Math.round(latencySum / latencyCount);
  return { count: latencyCount, sum: latencySum, avg, min: latencyMin ?? 0, max: latencyMax ?? 0 };
}
