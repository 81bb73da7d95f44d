import type pg from 'pg';
import type { Queryable } from './client.ts';
import type { Engine } from './engines/engine.ts';
import { partitions } from './engines/partitions.ts';
import { timescale } from './engines/timescale.ts';

const ENGINES = { timescale, partitions } as const;
type EngineName = keyof typeof ENGINES;

/** Older ones remove compressed rows one by one and lose some on upserts. */
export const MINIMUM_TIMESCALE = '2.20';

const opened = new WeakMap<pg.Pool, Promise<Engine>>();

/** The engine of a migrated database, read once for each pool. Throws where the database is not migrated. */
export function engineOf(pool: pg.Pool): Promise<Engine> {
  const known = opened.get(pool);
  if (known) return known;
  const engine = storedEngine(pool).then((name) => {
    if (name === null) throw new Error('the database is not migrated: it names no engine');
    return ENGINES[name];
  });
  opened.set(pool, engine);
  engine.catch(() => opened.delete(pool));
  return engine;
}

/**
 * Which engine's tables a database has or, at its first migration, gets: TimescaleDB where the server offers it
 * (preloaded, 2.20 or newer, with its community features, which compression is), else partitions.
 */
export async function chooseEngine(client: pg.PoolClient): Promise<EngineName> {
  const { rows } = await client.query<{ present: boolean }>(`select to_regclass('system') is not null as present`);
  const stored = rows[0]?.present ? await storedEngine(client) : null;
  if (stored !== null) return stored;
  if (!(await offersTimescale(client))) return 'partitions';
  await client.query('create extension if not exists timescaledb');
  return 'timescale';
}

async function storedEngine(db: Queryable): Promise<EngineName | null> {
  const { rows } = await db.query<{ value: string }>(`select value from system where key = 'engine'`);
  const name = rows[0]?.value;
  if (name === undefined) return null;
  if (name === 'timescale' || name === 'partitions') return name;
  throw new Error(`the database names an engine this program does not know: ${name}`);
}

const OFFERED = `
  select coalesce(installed_version, default_version) as version,
    coalesce((select setting from pg_settings where name = 'shared_preload_libraries'), '') ~ '\\ytimescaledb\\y'
      or installed_version is not null as loaded,
    coalesce((select setting from pg_settings where name = 'timescaledb.license'), 'timescale') = 'timescale' as community
  from pg_available_extensions where name = 'timescaledb'`;

async function offersTimescale(client: pg.PoolClient): Promise<boolean> {
  const { rows } = await client.query<{ version: string; loaded: boolean; community: boolean }>(OFFERED);
  const [offer] = rows;
  return offer !== undefined && offer.loaded && offer.community && isRecentTimescale(offer.version);
}

/** True for versions that do what this program relies on. */
export function isRecentTimescale(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = MINIMUM_TIMESCALE.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
