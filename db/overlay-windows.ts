import type { MinuteRange } from '../core/minute.ts';
import type { OverlayWindow } from '../core/overlay.ts';
import type { Queryable } from './client.ts';

/**
 * What incidents and maintenances say of these monitors in windows that touch the range, by monitor id; monitors of
 * which nothing is said are absent. ALERT incidents repeat what was measured and lay nothing over it. Events count of
 * maintenances that are ACTIVE, where their window has passed or runs; a cancelled one up to that moment.
 */
export async function readOverlayWindows(
  db: Queryable,
  monitorIds: readonly number[],
  range: MinuteRange,
): Promise<Map<number, OverlayWindow[]>> {
  const { rows } = await db.query<OverlayWindow & { monitorId: number }>(
    `select monitor_id as "monitorId", source, impact, low as "from", coalesce(high, 'infinity') as "to"
     from (${INCIDENTS} union all ${MAINTENANCES}) said (monitor_id, source, impact, low, high)
     where monitor_id = any($1) and impact <> 'UP' and low < $3 and coalesce(high, 'infinity') > $2`,
    [monitorIds, range.from, range.to],
  );
  const windows = new Map<number, OverlayWindow[]>();
  for (const { monitorId, ...window } of rows) {
    const known = windows.get(monitorId);
    if (known) known.push(window);
    else windows.set(monitorId, [window]);
  }
  return windows;
}

const INCIDENTS = `
  select named.monitor_id, 'incident', named.impact, start_date_time, end_date_time::float8
  from incident_monitors named join incidents on incidents.id = incident_id
  where incident_type = 'INCIDENT' and incident_source <> 'ALERT'`;

const MAINTENANCES = `
  select named.monitor_id, 'maintenance', named.impact, events.start_date_time,
    least(events.end_date_time, case events.status when 'CANCELLED' then events.cancelled_at end)::float8
  from maintenance_monitors named
  join maintenances on maintenances.id = named.maintenance_id and maintenances.status = 'ACTIVE'
  join maintenance_events events on events.maintenance_id = maintenances.id
  where events.start_date_time <= extract(epoch from service_now())`;
