import { readdir, readFile } from 'node:fs/promises';
import type pg from 'pg';
import { inTransaction } from './client.ts';
import { chooseEngine } from './engine.ts';
import { findServerProblems } from './server-check.ts';

/** Any number will do, as long as every program takes the same one. */
const MIGRATION_LOCK = 7_261_001;
const COMMON = new URL('./migrations/', import.meta.url);
const OF_ENGINE = {
  timescale: new URL('./engines/timescale/', import.meta.url),
  partitions: new URL('./engines/partitions/', import.meta.url),
};

/** The longest that a timer takes: a migration may need hours, and a program waits for the one that another runs. */
const UNTIMED = { query_timeout: 2 ** 31 - 1 };

/**
 * Brings the schema up to date: the numbered files of `migrations/` and of the engine's folder, in one order, each
 * once, all in one transaction under an advisory lock, so that programs which start together wait for each other. However
 * short the pool's statements must be, these may take their time. Returns the names applied. Throws where the server is
 * not fit (`findServerProblems`).
 */
export async function migrate(pool: pg.Pool): Promise<string[]> {
  return inTransaction(pool, async (client) => {
    await client.query('set local statement_timeout = 0');
    await client.query({ ...UNTIMED, text: 'select pg_advisory_xact_lock($1)', values: [MIGRATION_LOCK] });
    const problems = await findServerProblems(client);
    if (problems.length > 0) throw new Error(`the database server is not fit: ${problems.join('; ')}`);
    const files = await migrationFiles(OF_ENGINE[await chooseEngine(client)]);
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz default now())',
    );
    const { rows } = await client.query<{ name: string }>('select name from migrations');
    const done = new Set(rows.map((row) => row.name));
    const missing = files.filter(({ name }) => !done.has(name));
    for (const { name, url } of missing) {
      await client.query({ ...UNTIMED, text: await readFile(url, 'utf8') });
      await client.query('insert into migrations (name) values ($1)', [name]);
    }
    return missing.map(({ name }) => name);
  });
}

interface MigrationFile {
  name: string;
  url: URL;
}

async function migrationFiles(ofEngine: URL): Promise<MigrationFile[]> {
  const lists = await Promise.all(
    [COMMON, ofEngine].map(async (folder) =>
      (await readdir(folder)).map((name) => ({ name, url: new URL(name, folder) })),
    ),
  );
  return lists
    .flat()
    .filter(({ name }) => /^\d{4}-.*\.sql$/.test(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}
