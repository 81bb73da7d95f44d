import { completeSettings } from '../core/page-settings.ts';
import type { Page, PageFields } from '../core/page.ts';
import type { Queryable } from './client.ts';
import { isoText } from './iso-text.ts';
import { findUnknownTag, lockMonitors } from './monitor-references.ts';

type PageRow = Omit<Page, 'page_settings'> & Pick<PageFields, 'page_settings'>;

/** Positions are counted when read: a deleted monitor leaves no hole. */
const MONITORS = `coalesce((
  select json_agg(json_build_object('monitor_tag', tag, 'position', place) order by place) from (
    select monitors.tag, row_number() over (order by page_monitors.position) - 1 as place
    from page_monitors join monitors on monitors.id = monitor_id where page_id = pages.id) as placed), '[]')`;

const COLUMNS = `id, page_path, page_title, page_header, page_subheader, page_logo, page_settings,
  ${MONITORS} as monitors, ${isoText('created_at')}, ${isoText('updated_at')}`;

/** All pages, id ascending. */
export async function listPages(db: Queryable): Promise<Page[]> {
  const { rows } = await db.query<PageRow>(`select ${COLUMNS} from pages order by id`);
  return rows.map(toPage);
}

/** The page with exactly this path, or undefined. */
export async function findPage(db: Queryable, path: string): Promise<Page | undefined> {
  const { rows } = await db.query<PageRow>(`select ${COLUMNS} from pages where page_path = $1`, [path]);
  return rows[0] && toPage(rows[0]);
}

/** The page of that id, or undefined. */
export async function findPageById(db: Queryable, id: number): Promise<Page | undefined> {
  const { rows } = await db.query<PageRow>(`select ${COLUMNS} from pages where id = $1`, [id]);
  return rows[0] && toPage(rows[0]);
}

/** True where some page has this path. */
export async function isPathTaken(db: Queryable, path: string): Promise<boolean> {
  const { rowCount } = await db.query('select from pages where page_path = $1', [path]);
  return rowCount === 1;
}

/** What has been written of a page; no one else changes it until the transaction ends. */
export async function lockPage(client: Queryable, id: number): Promise<PageFields | undefined> {
  const { rows } = await client.query<PageFields>(
    `select page_path, page_title, page_header, page_subheader, page_logo, page_settings
     from pages where id = $1 for update`,
    [id],
  );
  return rows[0];
}

/** Stores a new page without its monitors. Returns its id; undefined where its path is taken. */
export async function insertPage(client: Queryable, fields: PageFields): Promise<number | undefined> {
  const { rows } = await client.query<{ id: number }>(
    `insert into pages (page_path, page_title, page_header, page_subheader, page_logo, page_settings)
     values ($1, $2, $3, $4, $5, $6) on conflict (page_path) do nothing returning id`,
    written(fields),
  );
  return rows[0]?.id;
}

/** Writes all fields of a locked page; breaks `pages_page_path_key` where the path is taken. */
export async function updatePage(client: Queryable, id: number, fields: PageFields): Promise<void> {
  await client.query(
    `update pages set page_path = $1, page_title = $2, page_header = $3, page_subheader = $4, page_logo = $5,
       page_settings = $6, updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where id = $7`,
    [...written(fields), id],
  );
}

/**
 * Replaces the monitors of a page that the caller's transaction has made or locked. Returns the first tag that is no
 * monitor's, and then the caller rolls back. Locks as `replaceReferences` does.
 */
export async function replacePageMonitors(
  client: Queryable,
  id: number,
  tags: readonly string[],
): Promise<string | undefined> {
  const taken = await lockMonitors(client, tags);
  await client.query('delete from page_monitors where page_id = $1', [id]);
  const { rowCount } = await client.query(
    `insert into page_monitors (page_id, monitor_id, position)
     select $1, monitors.id, position
     from unnest($2::text[]) with ordinality as named (tag, position) join monitors using (tag)`,
    [id, taken],
  );
  return rowCount === tags.length ? undefined : findUnknownTag(client, tags);
}

/** Deletes a page; its monitors stay. False where it is gone already. */
export async function deletePage(db: Queryable, id: number): Promise<boolean> {
  const { rowCount } = await db.query('delete from pages where id = $1', [id]);
  return rowCount === 1;
}

function written(fields: PageFields): (string | null)[] {
  const { page_path, page_title, page_header, page_subheader, page_logo, page_settings } = fields;
  return [page_path, page_title, page_header, page_subheader, page_logo, JSON.stringify(page_settings)];
}

function toPage(row: PageRow): Page {
  return { ...row, page_settings: completeSettings(row.page_settings) };
}
