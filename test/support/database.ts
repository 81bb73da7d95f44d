import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { openPool } from '../../db/client.ts';
import { administer, databaseUrl } from './database-server.ts';

export interface TestDatabase {
  url: string;
  pool: pg.Pool;
  /** Ends the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A migrated database of its own, cloned from the run's template. One per test file is the habit. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const { adminUrl, template } = inject('databaseServer');
  const name = `${template}_${randomBytes(4).toString('hex')}`;
  await administer(adminUrl, `create database ${name} template ${template}`);
  const url = databaseUrl(adminUrl, name);
  const pool = openPool({ url, name: 'test', max: 10, statementTimeoutMs: 0 });
  return {
    url,
    pool,
    async drop() {
      await pool.end();
      await administer(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** How many rows there are `from` something: a table, with or without a `where`. */
export async function countRows(pool: pg.Pool, from: string): Promise<number> {
  const { rows } = await pool.query<{ n: number }>(`select count(*) as n from ${from}`);
  return rows[0]?.n ?? NaN;
}
