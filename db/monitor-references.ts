import type { MonitorReference } from '../core/monitor-reference.ts';
import type { Queryable } from './client.ts';

/** The tables that hold references, each with its owner's column; besides: monitor_id, impact, position. */
const OWNER = { incident_monitors: 'incident_id', maintenance_monitors: 'maintenance_id' } as const;
export type ReferenceTable = keyof typeof OWNER;

/** SQL for the references of the owner whose id the expression `ownerId` gives, in their order, as JSON. */
export function referencesOf(table: ReferenceTable, ownerId: string): string {
  return `coalesce((
    select json_agg(json_build_object('monitor_tag', monitors.tag, 'impact', named.impact) order by named.position)
    from ${table} as named join monitors on monitors.id = named.monitor_id
    where named.${OWNER[table]} = ${ownerId}), '[]')`;
}

/**
 * Replaces the references of an owner that the caller's transaction has made or locked. Returns the first tag that is no
 * monitor's, and then the caller rolls back. The monitors cannot be deleted until the transaction ends; they are locked
 * before their links, as a deletion does it.
 */
export async function replaceReferences(
  client: Queryable,
  table: ReferenceTable,
  ownerId: number,
  references: readonly MonitorReference[],
): Promise<string | undefined> {
  const named = references.map(({ monitor_tag }) => monitor_tag);
  const impacts = references.map(({ impact }) => impact);
  const tags = await lockMonitors(client, named);
  await client.query(`delete from ${table} where ${OWNER[table]} = $1`, [ownerId]);
  const { rowCount } = await client.query(
    `insert into ${table} (${OWNER[table]}, monitor_id, impact, position)
     select $1, monitors.id, impact, position
     from unnest($2::text[], $3::text[]) with ordinality as named (tag, impact, position) join monitors using (tag)`,
    [ownerId, tags, impacts],
  );
  if (rowCount === references.length) return undefined;
  return findUnknownTag(client, named);
}

/**
 * Keeps the monitors of these tags until the transaction ends; in one order, so that two who do so never wait for each
 * other. Returns the tags as statements take them.
 */
export async function lockMonitors(client: Queryable, tags: readonly string[]): Promise<string[]> {
  const taken = tags.map(storable);
  await client.query('select from monitors where tag = any($1) order by id for key share', [taken]);
  return taken;
}

/** The first of `tags` that is no monitor's. */
export async function findUnknownTag(db: Queryable, tags: readonly string[]): Promise<string | undefined> {
  const { rows } = await db.query<{ position: number }>(
    `select position from unnest($1::text[]) with ordinality as named (tag, position)
     where not exists (select from monitors where monitors.tag = named.tag) order by position limit 1`,
    [tags.map(storable)],
  );
  return rows[0] && tags[rows[0].position - 1];
}

/** No stored text holds a NUL, and PostgreSQL takes none: what stands in for it is as unknown. */
function storable(tag: string): string {
  return tag.replaceAll('\0', '\u{FFFF}');
}
