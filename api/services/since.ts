import { MINUTE_SECONDS, type Minute, type MinuteRange } from '../../core/minute.ts';
import type { OverlayWindow } from '../../core/overlay.ts';
import type { PublicStatus } from '../../core/overall-status.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountedMonitor } from '../../db/counting.ts';
import { readReportedMinutes } from '../../db/reported-minutes.ts';
import type { DayView, Minutes } from '../../web/view.ts';

/** A monitor, how it is, and its days up to now. */
export interface SinceAsked {
  monitor: CountedMonitor;
  status: PublicStatus;
  days: readonly DayView[];
}

/** Most changes that anybody asks about are younger than the hour. */
const FIRST_REACH = 60 * MINUTE_SECONDS;
const REACH_GROWTH = 8;

/**
 * Since when each monitor is how it is, as far as its days tell, unix seconds by monitor id; without those that were never
 * otherwise in them, or of which nothing is known. Minutes without a point change nothing. `to`: the end of today. Only the
 * day of the change is looked through, and from its end backwards: the number of statements does not grow with the number
 * of monitors.
 */
export async function readSince(
  client: Queryable,
  asked: readonly SinceAsked[],
  { windows, to }: { windows: ReadonlyMap<number, readonly OverlayWindow[]>; to: Minute },
): Promise<Map<number, number>> {
  const found = new Map<number, number>();
  let open = asked.flatMap((one) => {
    const day = dayOfChange(one, to);
    return day ? [{ ...one, day, end: day.to }] : [];
  });
  for (let reach = FIRST_REACH; open.length > 0; reach *= REACH_GROWTH) {
    const looked = open.map((one) => ({
      ...one,
      range: { from: Math.max(one.day.from, one.end - reach), to: one.end },
    }));
    const minutes = await readReportedMinutes(client, looked, windows);
    for (const { monitor, status } of looked) {
      const last = minutes.get(monitor.id)?.findLast((minute) => minute.status !== status);
      if (last) found.set(monitor.id, last.minute + MINUTE_SECONDS);
    }
    open = looked
      .filter(({ monitor, day, range }) => !found.has(monitor.id) && range.from > day.from)
      .map(({ range, ...one }) => ({ ...one, end: range.from }));
  }
  return found;
}

/** The last day in which the monitor was anything else. */
function dayOfChange({ status, days }: SinceAsked, to: Minute): MinuteRange | undefined {
  const at = days.findLastIndex((day) => (status === 'NO_DATA' ? minutesOf(day) > 0 : hasOther(day, status)));
  const day = days[at];
  return day && { from: day.start, to: days[at + 1]?.start ?? to };
}

const PART = { UP: 'up', DOWN: 'down', DEGRADED: 'degraded', MAINTENANCE: 'maintenance' } as const;

function hasOther(day: DayView, status: Exclude<PublicStatus, 'NO_DATA'>): boolean {
  return minutesOf(day) > day[PART[status]];
}

function minutesOf({ up, down, degraded, maintenance }: Minutes): number {
  return up + down + degraded + maintenance;
}
