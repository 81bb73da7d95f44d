import type { Queryable } from './client.ts';
import type { CountedMonitor } from './counting.ts';
import type { MonitorRow } from './monitors.ts';

/** Which rows of `monitors` everybody may see. */
export const IS_VISIBLE = `monitors.is_hidden = 'NO' and monitors.status = 'ACTIVE'`;

/** What everybody may see of a monitor, and what counting its minutes needs. */
export type VisibleMonitor = Pick<
  MonitorRow,
  | 'id'
  | 'tag'
  | 'name'
  | 'description'
  | 'image'
  | 'category_name'
  | 'cron'
  | 'default_status'
  | 'include_degraded_in_downtime'
  | 'monitor_settings_json'
  | 'confirmation_threshold'
>;

const COLUMNS = `id, tag, name, description, image, category_name, cron, default_status, include_degraded_in_downtime,
  monitor_settings_json, confirmation_threshold`;

/** The visible, active monitors, or those of them with one of the tags; id ascending. */
export async function findVisibleMonitors(db: Queryable, tags?: readonly string[]): Promise<VisibleMonitor[]> {
  const { rows } = await db.query<VisibleMonitor>(
    `select ${COLUMNS} from monitors where ${IS_VISIBLE} and ($1::text[] is null or tag = any($1)) order by id`,
    [tags],
  );
  return rows;
}

/** What counting the minutes of the visible, active monitors needs; id ascending. */
export async function listVisibleCounted(db: Queryable): Promise<CountedMonitor[]> {
  const { rows } = await db.query<CountedMonitor>(
    `select id, confirmation_threshold from monitors where ${IS_VISIBLE} order by id`,
  );
  return rows;
}

/** A text that is another one once other monitors are visible and active. */
export async function markVisible(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ mark: string | null }>(
    `select md5(string_agg(id::text, ' ' order by id)) as mark from monitors where ${IS_VISIBLE}`,
  );
  return rows[0]?.mark ?? '';
}

/** The visible, active monitors of a page, in its order. */
export async function listPageMonitors(db: Queryable, pageId: number): Promise<VisibleMonitor[]> {
  const { rows } = await db.query<VisibleMonitor>(
    `select ${COLUMNS} from page_monitors join monitors on monitors.id = monitor_id
     where page_id = $1 and ${IS_VISIBLE} order by position`,
    [pageId],
  );
  return rows;
}
