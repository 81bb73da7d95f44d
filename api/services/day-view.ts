import { calendarDay, dayNumber } from '../../core/calendar.ts';
import { floorMinute, MINUTE_SECONDS } from '../../core/minute.ts';
import type { TimeZone } from '../../core/time-zone.ts';
import type { Queryable } from '../../db/client.ts';
import type { CountBook } from '../../db/count-book.ts';
import { listIncidentsBetween } from '../../db/page-incidents.ts';
import { listMaintenancesBetween } from '../../db/page-maintenances.ts';
import { countPeriods, prepareCounting } from '../../db/period-counts.ts';
import { readReportedMinutes, type ReportedMinute } from '../../db/reported-minutes.ts';
import { readNow } from '../../db/service-clock.ts';
import { findVisibleMonitors } from '../../db/visible-monitors.ts';
import type { DayPageView, StatusSpan } from '../../web/view.ts';
import { readLatencySeries } from './latency-series.ts';
import { toDayView } from './monitor-rows.ts';

const DAY = 86_400;
const STEP = 300;
/** Days further back have no page: their minutes are gone. */
const MAX_DAYS_BACK = 400;

/**
 * A day (`2026-11-20`) of a visible monitor in a zone; undefined where there is no such monitor, the text is no day, or
 * the day is still to come or too long ago. One snapshot.
 */
export async function readDayView(
  client: Queryable,
  book: CountBook,
  { tag, day, zone }: { tag: string; day: string; zone: TimeZone },
): Promise<{ view: DayPageView; now: number } | undefined> {
  const number = parseDay(day);
  const [monitor] = await findVisibleMonitors(client, [tag]);
  if (!monitor || number === undefined) return undefined;
  const now = Math.floor(await readNow(client));
  const today = Math.floor(zone.toLocal(now) / DAY);
  if (number > today || number < today - MAX_DAYS_BACK) return undefined;
  const startOf = (other: number): number => zone.toInstant(other * DAY);
  const [start, end] = [startOf(number), startOf(number + 1)];
  const seen = { from: start, to: Math.min(end, floorMinute(now) + MINUTE_SECONDS) };
  const counting = await prepareCounting(client, book, [monitor], seen);
  const [counts] = (await countPeriods(client, [monitor], [seen.from, seen.to], counting))[0] ?? [];
  if (!counts) throw new Error('a day was not counted');
  const minutes = await readReportedMinutes(client, [{ monitor, range: seen }], counting.windows);
  const view = {
    ...{ tag, name: monitor.name, day: toDayView(start, counts), end },
    previous: number > today - MAX_DAYS_BACK ? startOf(number - 1) : null,
    next: number < today ? end : null,
    spans: spansOf(minutes.get(monitor.id) ?? []),
    series: await readLatencySeries(client, monitor, seen, STEP, counting),
    incidents: await listIncidentsBetween(client, { monitor: monitor.id }, { from: start, to: end }),
    maintenances: await listMaintenancesBetween(client, { monitor: monitor.id }, { from: start, to: end }),
  };
  return { view, now };
}

/** The number of a day that is written `2026-11-20`; undefined for other texts, and for days that the calendar has not. */
function parseDay(text: string): number | undefined {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const number = dayNumber(year, month, day);
  const found = calendarDay(number);
  return found.month === month && found.day === day ? number : undefined;
}

/** Neighbouring minutes of one status as one. */
function spansOf(minutes: readonly ReportedMinute[]): StatusSpan[] {
  const spans: StatusSpan[] = [];
  for (const { minute, status } of minutes) {
    const last = spans.at(-1);
    if (last?.end === minute && last.status === status) last.end += MINUTE_SECONDS;
    else spans.push({ start: minute, end: minute + MINUTE_SECONDS, status });
  }
  return spans;
}
