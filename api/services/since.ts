import { MINUTE_SECONDS } from '../../core/minute.ts';
import type { OverlayWindow } from '../../core/overlay.ts';
import type { PublicStatus } from '../../core/overall-status.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountedMonitor } from '../../db/counting.ts';
import { readReportedMinutes } from '../../db/reported-minutes.ts';
import type { DayView, Minutes, MonitorView } from '../../web/view.ts';

const PART = { UP: 'up', DOWN: 'down', DEGRADED: 'degraded', MAINTENANCE: 'maintenance' } as const;

/**
 * Since when a monitor is how it is, as far as its days tell, unix seconds; null where it was never otherwise in them, or
 * nothing is known of it. Minutes without a point change nothing. Only the day of the change is looked at by minutes.
 */
export async function readSince(
  client: Queryable,
  monitor: CountedMonitor,
  { status, days }: Pick<MonitorView, 'status' | 'days'>,
  { windows, to }: { windows: readonly OverlayWindow[]; to: number },
): Promise<number | null> {
  const at = days.findLastIndex((day) => (status === 'NO_DATA' ? minutesOf(day) > 0 : hasOther(day, status)));
  const day = days[at];
  if (!day) return null;
  const range = { from: day.start, to: days[at + 1]?.start ?? to };
  const minutes = await readReportedMinutes(client, monitor, range, windows);
  const last = minutes.findLast((minute) => minute.status !== status);
  return last ? last.minute + MINUTE_SECONDS : null;
}

function hasOther(day: DayView, status: Exclude<PublicStatus, 'NO_DATA'>): boolean {
  return minutesOf(day) > day[PART[status]];
}

function minutesOf({ up, down, degraded, maintenance }: Minutes): number {
  return up + down + degraded + maintenance;
}
