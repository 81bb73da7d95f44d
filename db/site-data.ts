import { settleSiteData, type SiteData } from '../core/site-data.ts';
import type { Queryable } from './client.ts';

/** The site's settings, with the defaults of what nobody has set. */
export async function readSiteData(db: Queryable): Promise<SiteData> {
  const { rows } = await db.query<{ key: string; value: unknown }>('select key, value from site_data');
  return settleSiteData(Object.fromEntries(rows.map(({ key, value }) => [key, value])));
}

/** Stores the settings that are given; the others are kept. */
export async function writeSiteData(db: Queryable, given: Partial<SiteData>): Promise<void> {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  await db.query(
    `insert into site_data (key, value) select * from unnest($1::text[], $2::jsonb[])
     on conflict (key) do update set value = excluded.value, updated_at = service_now()`,
    [entries.map(([key]) => key), entries.map(([, value]) => JSON.stringify(value))],
  );
}
