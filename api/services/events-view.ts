import { calendarDay, dayNumber } from '../../core/calendar.ts';
import type { TimeZone } from '../../core/time-zone.ts';
import type { Queryable } from '../../db/client.ts';
import { listIncidentsBetween } from '../../db/page-incidents.ts';
import { listMaintenancesBetween } from '../../db/page-maintenances.ts';
import { readNow } from '../../db/service-clock.ts';
import type { EventsView } from '../../web/view.ts';

const DAY = 86_400;
const MONTHS = 12;
/** Nothing is told further away than this, in either direction. */
const MAX_MONTHS_AWAY = 50 * MONTHS;

/**
 * What happened and is planned in a month (`2026-11`, the current one without) of a zone, as far as it is public;
 * undefined where the text is no month or too far away. One snapshot.
 */
export async function readEventsView(
  client: Queryable,
  text: string | undefined,
  zone: TimeZone,
): Promise<{ view: EventsView; now: number } | undefined> {
  const now = Math.floor(await readNow(client));
  const { year, month } = calendarDay(Math.floor(zone.toLocal(now) / DAY));
  const current = year * MONTHS + month - 1;
  const wanted = text === undefined ? current : parseMonth(text);
  if (wanted === undefined || Math.abs(wanted - current) > MAX_MONTHS_AWAY) return undefined;
  const range = { from: startOf(wanted, zone), to: startOf(wanted + 1, zone) };
  const view = {
    ...{ month: monthText(wanted), start: range.from, previous: monthText(wanted - 1) },
    next: wanted <= current ? monthText(wanted + 1) : null,
    incidents: await listIncidentsBetween(client, 'everything', range),
    maintenances: await listMaintenancesBetween(client, 'everything', range),
  };
  return { view, now };
}

/** Months are counted from the beginning of our calendar. */
function parseMonth(text: string): number | undefined {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text)?.map(Number) ?? [];
  return year === undefined || month === undefined ? undefined : year * MONTHS + month - 1;
}

function monthText(month: number): string {
  const pad = (value: number, length: number): string => String(value).padStart(length, '0');
  return `${pad(Math.floor(month / MONTHS), 4)}-${pad((month % MONTHS) + 1, 2)}`;
}

function startOf(month: number, zone: TimeZone): number {
  return zone.toInstant(dayNumber(Math.floor(month / MONTHS), (month % MONTHS) + 1, 1) * DAY);
}
