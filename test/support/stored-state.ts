import type pg from 'pg';
import type { ApiClient } from './api-client.ts';

/** What the tables hold and must hold, whatever was asked of the API. */

const RESOURCES = [
  'monitors',
  'monitor_versions',
  'incidents',
  'incident_comments',
  'incident_monitors',
  'maintenances',
  'maintenance_monitors',
  'maintenance_events',
  'pages',
  'page_monitors',
  'roles',
  'role_permissions',
  'user_roles',
  'kept_answers',
];

/** A fingerprint of each table of resources; equal where nothing was written. */
export async function storedState(pool: pg.Pool): Promise<Record<string, string>> {
  const parts = RESOURCES.map(
    (table) =>
      `select '${table}' as name, count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as state from ${table} t`,
  );
  const { rows } = await pool.query<{ name: string; state: string }>(parts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, state }) => [name, state]));
}

/** Each row that one of these finds was written by halves, or is held by a request that has ended. */
const BROKEN = {
  'a monitor without the version of its revision': `
    select m.id from monitors m left join monitor_versions v on v.monitor_id = m.id and v.revision = m.revision
    where v.monitor_id is null or v.active <> (m.status is not distinct from 'ACTIVE') or v.type_data <> m.type_data`,
  'an incident for everybody that names monitors': `
    select id from incidents i where is_global and exists (select from incident_monitors where incident_id = i.id)`,
  'a maintenance for everybody that names monitors': `
    select id from maintenances m where is_global and exists (select from maintenance_monitors where maintenance_id = m.id)`,
  'an end of what never started': 'select id from maintenance_events where end_date_time <= start_date_time',
  'two at one place of a page': 'select page_id from page_monitors group by page_id, position having count(*) > 1',
  'two at one place of an incident':
    'select incident_id from incident_monitors group by incident_id, position having count(*) > 1',
  'two at one place of a maintenance':
    'select maintenance_id from maintenance_monitors group by maintenance_id, position having count(*) > 1',
  'an answer kept before it was found': 'select idempotency_key from kept_answers where status is null or body is null',
  'a point off the minute': `select minute from data_points where date_trunc('minute', minute) <> minute`,
  'the home page gone': `select 1 where not exists (select from pages where page_path = '~home')`,
  'a transaction left open': `
    select pid, query from pg_stat_activity
    where datname = current_database() and state like 'idle in transaction%' and pid <> pg_backend_pid()`,
};

/** What is broken, by name, with the first row of it; nothing where all is well. */
export async function findBrokenRows(pool: pg.Pool): Promise<string[]> {
  const found: string[] = [];
  for (const [name, query] of Object.entries(BROKEN)) {
    const { rows } = await pool.query(query);
    if (rows.length > 0) found.push(`${name}: ${JSON.stringify(rows[0])}`);
  }
  return found;
}

/** Reads every resource by its list and alone, each held against the document; returns how many there are. */
export async function readResources(api: ApiClient): Promise<number> {
  let read = 0;
  for (const [list, key] of [
    ['monitors', 'tag'],
    ['incidents', 'id'],
    ['maintenances', 'id'],
    ['pages', 'page_path'],
  ] as const) {
    const { body } = await api.get(`/api/v4/${list}`);
    // Held against the document by the client.
    const items = (body as Record<string, Record<string, string | number>[]>)[list] ?? [];
    for (const item of items) {
      const answer = await api.get(`/api/v4/${list}/${item[key]}`);
      if (answer.status !== 200) throw new Error(`${list}/${item[key]} is listed and answers ${answer.status}`);
      const [alone = {}] = Object.values(answer.body as Record<string, Record<string, unknown>>);
      for (const [name, value] of Object.entries(item))
        if (JSON.stringify(alone[name]) !== JSON.stringify(value))
          throw new Error(`${list}/${item[key]}: ${name} is listed as ${JSON.stringify(value)}`);
      read += 1;
    }
  }
  return read;
}
