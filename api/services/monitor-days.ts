import { localDays } from '../../core/local-days.ts';
import { floorMinute, MINUTE_SECONDS } from '../../core/minute.ts';
import type { TimeZone } from '../../core/time-zone.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { countPeriods, prepareCounting } from '../../db/period-counts.ts';
import { readNow } from '../../db/service-clock.ts';
import { findVisibleMonitors } from '../../db/visible-monitors.ts';
import type { MonitorDaysView } from '../../web/view.ts';
import { toDayView } from './monitor-rows.ts';

/** The last `count` days of a visible monitor in a zone; undefined where there is none of that tag. One snapshot. */
export async function readMonitorDays(
  client: Queryable,
  book: CountBook,
  { tag, count, zone }: { tag: string; count: number; zone: TimeZone },
): Promise<MonitorDaysView | undefined> {
  const [monitor] = await findVisibleMonitors(client, [tag]);
  if (!monitor) return undefined;
  const now = Math.floor(await readNow(client));
  const starts = localDays(zone, now, count);
  const bounds = [...starts.slice(0, -1), floorMinute(now) + MINUTE_SECONDS];
  const counting = await prepareCounting(client, book, [monitor], { from: bounds[0] ?? now, to: bounds.at(-1) ?? now });
  const [counted = []] = await countPeriods(client, [monitor], bounds, counting);
  return { tag, days: counted.map((counts, day) => toDayView(starts[day] ?? 0, counts)) };
}
