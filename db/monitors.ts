import { DEFAULT_SETTINGS, type Monitor, type MonitorFields, type NewMonitor } from '../core/monitor.ts';
import { askedTogether } from './asked-together.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import type { Paging } from './paging.ts';

/** A stored monitor: its fields as they were written, settings null where nobody has set any. */
export type MonitorRow = MonitorFields & { id: number; tag: string; created_at: string; updated_at: string };

export type MonitorState = Pick<
  MonitorRow,
  'id' | 'tag' | 'name' | 'status' | 'is_hidden' | 'cron' | 'default_status' | 'confirmation_threshold'
>;

/** All exact but `search`. */
export interface MonitorFilter {
  status?: string;
  category_name?: string;
  monitor_type?: string;
  is_hidden?: string;
  tag?: string;
  id?: number;
  /** Part of the tag or the name, in any case. */
  search?: string;
}

const COLUMNS = `id, tag, name, description, image, cron, default_status, status, category_name, monitor_type, type_data,
  include_degraded_in_downtime, ${isoText('created_at')}, ${isoText('updated_at')}, is_hidden, monitor_settings_json,
  external_url, confirmation_threshold`;

/** The columns a client writes, each with its value. */
function written(fields: MonitorFields): [column: string, value: string | number | null][] {
  return [
    ['name', fields.name],
    ['description', fields.description],
    ['image', fields.image],
    ['cron', fields.cron],
    ['default_status', fields.default_status],
    ['status', fields.status],
    ['category_name', fields.category_name],
    ['monitor_type', fields.monitor_type],
    ['type_data', JSON.stringify(fields.type_data ?? {})],
    ['include_degraded_in_downtime', fields.include_degraded_in_downtime],
    ['is_hidden', fields.is_hidden],
    ['monitor_settings_json', fields.monitor_settings_json && JSON.stringify(fields.monitor_settings_json)],
    ['external_url', fields.external_url],
    ['confirmation_threshold', fields.confirmation_threshold],
  ];
}

const MATCHING = `from monitors
  where ($1::text is null or status = $1) and ($2::text is null or category_name = $2)
    and ($3::text is null or monitor_type = $3) and ($4::text is null or is_hidden = $4)
    and ($5::text is null or tag = $5) and ($6::integer is null or id = $6)
    and ($7::text is null or strpos(tag, lower($7)) > 0 or strpos(lower(name), lower($7)) > 0)`;

function valuesOf(filter: MonitorFilter): (string | number | undefined)[] {
  const { status, category_name, monitor_type, is_hidden, tag, id, search } = filter;
  return [status, category_name, monitor_type, is_hidden, tag, id, search];
}

/** Monitors by filters, id descending. */
export async function listMonitors(db: Queryable, filter: MonitorFilter): Promise<MonitorRow[]> {
  const { rows } = await db.query<MonitorRow>(`select ${COLUMNS} ${MATCHING} order by id desc`, valuesOf(filter));
  return rows;
}

/** A part of those monitors, and how many there are on all pages. */
export async function pageMonitors(
  db: Queryable,
  filter: MonitorFilter,
  { page, limit }: Paging,
): Promise<{ monitors: MonitorRow[]; total: number }> {
  const values = valuesOf(filter);
  const counted = await db.query<{ total: number }>(`select count(*) as total ${MATCHING}`, values);
  const { rows } = await db.query<MonitorRow>(
    `select ${COLUMNS} ${MATCHING} order by id desc limit $8 offset ($9::bigint - 1) * $8`,
    [...values, limit, page],
  );
  return { monitors: rows, total: counted.rows[0]?.total ?? 0 };
}

/**
 * Tags and names of at most `limit` monitors that have one of the tags and a text in tag or name, in any case, by name:
 * first where it is all of either.
 */
export async function listMonitorNames(
  db: Queryable,
  { tags, search, limit }: { tags?: readonly string[]; search?: string; limit: number },
): Promise<{ tag: string; name: string }[]> {
  const { rows } = await db.query<{ tag: string; name: string }>(
    `select tag, name from monitors
     where ($1::text[] is null or tag = any($1))
       and ($2::text is null or strpos(tag, lower($2)) > 0 or strpos(lower(name), lower($2)) > 0)
     order by lower($2) in (tag, lower(name)) desc, name, tag limit $3`,
    // No stored text holds a NUL, and PostgreSQL takes none.
    [tags?.filter((tag) => !tag.includes('\0')), search, limit],
  );
  return rows;
}

/** As much of every monitor as its state is told by, id descending. */
export async function listMonitorStates(db: Queryable): Promise<MonitorState[]> {
  const { rows } = await db.query<MonitorState>(
    `select id, tag, name, status, is_hidden, cron, default_status, confirmation_threshold from monitors
     order by id desc`,
  );
  return rows;
}

/** The monitor with exactly this tag, or undefined. */
export const findMonitor = askedTogether(async (db, tags) => {
  // Asked with most requests: prepared once on each connection, it costs half.
  const { rows } = await db.query<MonitorRow>({
    name: 'monitors of tags',
    text: `select ${COLUMNS} from monitors where tag = any($1)`,
    // No stored text holds a NUL, and PostgreSQL takes none.
    values: [tags.filter((tag) => !tag.includes('\0'))],
  });
  return new Map(rows.map((row) => [row.tag, row]));
});

/** As `findMonitor`, by id. */
export async function findMonitorById(db: Queryable, id: number): Promise<MonitorRow | undefined> {
  const { rows } = await db.query<MonitorRow>(`select ${COLUMNS} from monitors where id = $1`, [id]);
  return rows[0];
}

/** As `findMonitorById`, and no one else changes it until the transaction ends. */
export async function lockMonitor(db: Queryable, id: number): Promise<MonitorRow | undefined> {
  const { rows } = await db.query<MonitorRow>(`select ${COLUMNS} from monitors where id = $1 for update`, [id]);
  return rows[0];
}

/** Stores a new monitor; undefined where its tag is taken. The version that is due from the next minute comes with it. */
export async function insertMonitor(db: Queryable, fields: NewMonitor): Promise<MonitorRow | undefined> {
  const values: [string, string | number | null][] = [['tag', fields.tag], ...written(fields)];
  const { rows } = await db.query<MonitorRow>(
    `insert into monitors (${values.map(([column]) => column).join(', ')})
     values (${values.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict (tag) do nothing returning ${COLUMNS}`,
    values.map(([, value]) => value),
  );
  return rows[0];
}

/** Writes all fields of a locked monitor; `updated_at` moves by at least the millisecond that answers show. */
export async function updateMonitor(db: Queryable, id: number, fields: MonitorFields): Promise<MonitorRow | undefined> {
  const values = written(fields);
  const { rows } = await db.query<MonitorRow>(
    `update monitors set ${values.map(([column], index) => `${column} = $${index + 2}`).join(', ')},
       updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $1 returning ${COLUMNS}`,
    [id, ...values.map(([, value]) => value)],
  );
  return rows[0];
}

/** Deletes a monitor; false where it is gone already. Its points follow within seconds, see `db/purge.ts`. */
export async function deleteMonitor(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from monitors where id = $1', [id]);
  return rowCount === 1;
}

/** A monitor as answers show it. */
export function toMonitor(row: MonitorRow): Monitor {
  return {
    ...row,
    type_data: row.type_data ?? {},
    monitor_settings_json: row.monitor_settings_json ?? { ...DEFAULT_SETTINGS },
  };
}
