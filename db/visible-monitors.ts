import type { Queryable } from './client.ts';
import type { MonitorRow } from './monitors.ts';

/** Which rows of `monitors` everybody may see. */
export const IS_VISIBLE = `monitors.is_hidden = 'NO' and monitors.status = 'ACTIVE'`;

/** What everybody may see of a monitor, and what counting its minutes needs. */
export type VisibleMonitor = Pick<
  MonitorRow,
  'id' | 'tag' | 'name' | 'include_degraded_in_downtime' | 'monitor_settings_json' | 'confirmation_threshold'
>;

/** The visible, active monitors, or those of them with one of the tags; id ascending. */
export async function findVisibleMonitors(db: Queryable, tags?: readonly string[]): Promise<VisibleMonitor[]> {
  const { rows } = await db.query<VisibleMonitor>(
    `select id, tag, name, include_degraded_in_downtime, monitor_settings_json, confirmation_threshold
     from monitors where ${IS_VISIBLE} and ($1::text[] is null or tag = any($1)) order by id`,
    [tags],
  );
  return rows;
}
