import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { inTransaction } from './client.ts';

/** Any number will do, as long as every program takes the same one. */
const MIGRATION_LOCK = 7_261_001;
const FOLDER = new URL('./migrations/', import.meta.url);

/**
 * Brings the schema up to date: the numbered files of `migrations/`, each once, all in one transaction under an
 * advisory lock, so that programs which start together wait for each other. Returns the names applied.
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return inTransaction(pool, async (client) => {
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const done = new Set(rows.map((row) => row.name));
    const missing = files.filter((name) => !done.has(name));
    for (const name of missing) {
      await client.query(await readFile(new URL(name, FOLDER), 'utf8'));
      await client.query('insert into migrations (name) values ($1)', [name]);
    }
    return missing;
  });
}
